// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Postgres
import Schema
import VerificationQueue

struct JobsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists jobs, oldest first. Those behind a closed gate are parked."
    )

    @Option(help: "Only those in this state: available, running or discarded.")
    var state: JobStateArgument?

    @Option(help: "Only those of this order.")
    var order: String?

    @OptionGroup var limit: LimitOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let jobs = try await Assembly().withConnection { connection in
            try await connection.execute(
                SQLFile.listJobs.statement, [.text(state?.rawValue), .text(order), .int4(limit.rowsToRead)]
            ).map { OutputValue($0) }
        }
        output.list(limit.cut(jobs), nothing: "no jobs")
    }
}
