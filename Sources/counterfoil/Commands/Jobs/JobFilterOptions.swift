// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Postgres
import Verification
import VerificationQueue

/// Which jobs a command acts on: one, or all that fit everything that is named.
struct JobFilterOptions: ParsableArguments {
    @Argument(help: "A job's id; without it, a filter chooses jobs.")
    var job: Int64?

    @Option(help: "Only jobs that wait for this reason, or were given up for it.")
    var reason: Reason?

    @Option(help: "Only jobs of this order.")
    var order: String?

    @Option(help: "Only jobs of this app, by its bundle id.")
    var bundle: String?

    @Option(
        help: "Only jobs that were made, or proofs that were kept, since. A date or time in ISO 8601, in UTC.",
        transform: PostgresTimestamp.init(argumentText:))
    var since: PostgresTimestamp?

    @Flag(help: "Every job, in place of a filter.")
    var all = false

    @Flag(help: "Show what would be done, and do nothing.")
    var dryRun = false

    /// - Throws: unless either something is named or all are meant.
    func filter(state: JobStateArgument? = nil) throws -> JobFilter {
        var filter = JobFilter()
        filter.id = job.map(JobID.init(rawValue:))
        filter.state = state?.rawValue
        filter.reason = reason
        filter.order = order.map(OrderID.init(rawValue:))
        filter.bundle = bundle.map(BundleID.init(rawValue:))
        filter.since = since
        guard filter.isEmpty == all else {
            throw CommandFailure(
                .usage, all ? "--all goes with no filter" : "name a job, a filter, or --all")
        }
        return filter
    }
}

extension Reason: ExpressibleByArgument {}
