// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Postgres
import VerificationQueue

struct JobsDiscardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard",
        abstract: "Discards waiting jobs. They are kept as dead letters, and their orders go to review.",
        discussion: """
            Name one job by its id, or choose jobs by options. A discarded job can be retried. The command leaves running jobs \
            alone.
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
                output.list(found, nothing: "nothing would be discarded")
                return try await filter.saveSet(waiting, store)
            }
            let jobs = try await store.discardJobs(chosen, by: try manual.act(assembly))
            if let job = filter.job, jobs == 0 {
                throw try await pool.withConnection { connection in try await JobObstacle.failure(for: job, connection) }
            }
            output.report([("jobs_discarded", jobs)], filter.job.map { "job \($0) is discarded" } ?? "\(jobs) jobs are discarded")
        }
    }
}
