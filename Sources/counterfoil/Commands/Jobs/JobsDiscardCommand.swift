// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Postgres
import VerificationQueue

struct JobsDiscardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard",
        abstract: "Gives waiting jobs up: they are kept as dead letters, and their orders are left to a person.",
        discussion: """
            One job by its id, or all that a filter chooses. A discarded job can be retried. Running jobs are left alone.
            """
    )

    @OptionGroup var filter: JobFilterOptions
    @OptionGroup var manual: OperatorOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let assembly = try Assembly()
        let chosen = try filter.filter()
        try await assembly.withPool { pool in
            let store = OperatorStore(pool: pool)
            guard !filter.dryRun else {
                var waiting = chosen
                waiting.state = JobStateArgument.available.rawValue
                let found = try await store.countJobs(waiting).map { OutputValue($0) }
                return output.list(found, nothing: "nothing would be discarded")
            }
            let jobs = try await store.discardJobs(chosen, by: try manual.act(assembly))
            if let job = filter.job, jobs == 0 {
                throw try await pool.withConnection { connection in try await JobObstacle.failure(for: job, connection) }
            }
            output.tell([("jobs_discarded", jobs)], filter.job.map { "job \($0) is discarded" } ?? "\(jobs) jobs are discarded")
        }
    }
}
