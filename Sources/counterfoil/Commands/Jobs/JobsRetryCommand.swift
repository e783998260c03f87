// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Postgres
import Verification
import VerificationQueue

struct JobsRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Makes waiting and discarded jobs available now, with all their attempts before them.",
        discussion: """
            Name one job by its id, or choose jobs by options. With --reason the command also judges kept proofs again, after a \
            mistake of ours or Apple's is mended: proofs of orders that were rejected or went to review for that reason, of \
            cancelled jobs, and of orders whose refund was reversed. The command is safe to repeat and leaves running jobs alone. \
            With --dry-run --save FILE it writes down which jobs match; --only FILE later acts on none but these, and on no kept proofs.
            """
    )

    @OptionGroup var filter: JobFilterOptions

    @Option(help: "Only jobs in this state: available or discarded.")
    var state: JobStateArgument?

    @OptionGroup var manual: OperatorOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard state != .running else { throw ValidationError("A running job is left alone: --state is available or discarded.") }
    }

    func run() async throws {
        let assembly = try Assembly()
        let chosen = try filter.filter(state: state)
        // Kept proofs have no job any more.
        let judgesAgain = chosen.reason != nil && chosen.id == nil && chosen.state == nil && chosen.only == nil
        try await assembly.withPool { pool in
            let store = OperatorStore(pool: pool)
            guard !filter.dryRun else {
                var found = try await store.countJobs(chosen).map { OutputValue($0) }
                if judgesAgain {
                    found += try await store.countProofs(chosen).map { OutputValue($0).naming("proofs of orders in ") }
                }
                output.list(found, nothing: "nothing would be retried")
                return try await filter.saveSet(chosen, store)
            }
            let act = try manual.act(assembly)
            try await filter.requireOrder(pool)
            let jobs = try await store.retryJobs(chosen, by: act)
            let proofs = judgesAgain ? try await store.requeueProofs(chosen, by: act) : 0
            if let job = filter.job, jobs == 0 {
                throw try await pool.withConnection { connection in try await JobObstacle.failure(for: job, connection) }
            }
            output.report(
                [("jobs_retried", jobs), ("proofs_judged_again", proofs)],
                filter.job.map { "job \($0) is available" }
                    ?? "\(jobs) jobs are available" + (judgesAgain ? ", \(proofs) kept proofs are judged again" : ""))
        }
    }
}

extension OutputValue {
    /// A row of counted proofs in the columns of counted jobs.
    fileprivate func naming(_ prefix: String) -> OutputValue {
        guard case .object(let fields) = self else { return self }
        let names = ["state", "reason", "bundle_id", "jobs", "oldest_created_at"]
        return .object(
            zip(names, fields).map { name, field in
                Field(name: name, value: name == "state" ? .text(prefix + field.value.plainText) : field.value)
            })
    }
}
