// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Postgres
import Schema
import VerificationQueue

struct JobsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs",
        abstract: "Shows pending and discarded jobs, and acts on them.",
        subcommands: [
            JobsListCommand.self, JobsShowCommand.self, JobsRetryCommand.self, JobsDiscardCommand.self,
            JobsCancelCommand.self,
        ]
    )
}

struct JobsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists jobs, oldest first. A job behind a closed gate is parked."
    )

    @Option(help: "Only jobs in this state: available, running or discarded.")
    var state: JobStateArgument?

    @Option(help: "Only jobs of this order.")
    var order: String?

    @Option(help: "The last job of the page before: its number. The list goes on behind it.")
    var after: Int64?

    @OptionGroup var limit: LimitOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let jobs = try await Assembly().withConnection { connection in
            try await connection.execute(
                SQLFile.listJobs.statement, [.text(state?.rawValue), .text(order), .int4(limit.rowsToRead), .int8(after)]
            ).map { OutputValue($0) }
        }
        output.list(
            limit.cut(jobs, next: ("counterfoil jobs list --after", "id")), first: ["id", "order_id", "kind", "state", "parked", "reason", "attempt", "run_at"], nothing: "no jobs"
        )
    }
}

/// A job's state, as a list is narrowed by it.
enum JobStateArgument: String, ExpressibleByArgument, CaseIterable {
    case available, running, discarded
}
