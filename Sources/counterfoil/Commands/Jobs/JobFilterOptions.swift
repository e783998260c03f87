// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Postgres
import Schema
import Verification
import VerificationQueue

/// The jobs that a command acts on: one, or all that match every given option.
struct JobFilterOptions: ParsableArguments {
    @Argument(help: "A job's id. Without it, the options choose the jobs.")
    var job: Int64?

    @Option(help: "Only jobs that wait or were discarded for this reason.")
    var reason: Reason?

    @Option(help: "Only jobs of this order.")
    var order: String?

    @Option(help: "Only jobs of this app, by its bundle id.")
    var bundle: String?

    @Option(
        help: "Only jobs made and proofs kept since this time. A date or time in ISO 8601, in UTC.",
        transform: PostgresTimestamp.init(argumentText:))
    var since: PostgresTimestamp?

    @Flag(help: "All jobs, in place of other options.")
    var all = false

    @Flag(help: "Show the chosen jobs, and change nothing.")
    var dryRun = false

    @Option(help: "With --dry-run: write the ids of the chosen jobs into this new file.")
    var save: String?

    @Option(help: "Only jobs whose ids are in this file, as --save wrote it. Jobs that came to match since are left alone.")
    var only: String?

    func validate() throws {
        guard save == nil || dryRun else { throw ValidationError("--save goes with --dry-run.") }
    }

    /// Writes the set that a dry run shows, where a file is named.
    func saveSet(_ chosen: JobFilter, _ store: OperatorStore) async throws {
        guard let save else { return }
        let jobs = try await store.jobs(chosen, most: SetFile.most + 1)
        try JobSetFile.write(jobs, to: save)
        StandardErrorText.write("The ids of \(jobs.count) jobs are in \(save): --only \(save) acts on no others.")
    }

    /// - Throws: ``CommandFailure`` where an order is named that isn't known: nothing would be done, without a word.
    func requireOrder(_ pool: PostgresPool) async throws {
        guard let order, try await pool.execute(SQLFile.readOrderStatus.statement, [.text(order)]).isEmpty else { return }
        throw CommandFailure(.failure, "there is no order \(OutputValue.text(order).plainText)")
    }

    /// - Throws: unless either something is named or all are meant.
    func filter(state: JobStateArgument? = nil) throws -> JobFilter {
        var filter = JobFilter()
        filter.id = job.map(JobID.init(rawValue:))
        filter.state = state?.rawValue
        filter.reason = reason
        filter.order = order.map(OrderID.init(rawValue:))
        filter.bundle = bundle.map(BundleID.init(rawValue:))
        filter.since = since
        filter.only = try only.map(JobSetFile.read)
        guard filter.isEmpty == all else {
            throw CommandFailure(
                .usage, all ? "--all goes with no filter" : "name a job, a filter, or --all")
        }
        return filter
    }
}

extension Reason: ExpressibleByArgument {}
