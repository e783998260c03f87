// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Postgres
import Schema
import VerificationQueue

struct GatesListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists all gates, and of the closed ones who closed them and why."
    )

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let gates = try await Assembly().withConnection { connection in
            try await connection.execute(SQLFile.listGates.statement).map { OutputValue($0) }
        }
        output.list(gates, nothing: "no gates: add an app")
    }
}
