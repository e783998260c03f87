// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Postgres
import Schema
import VerificationQueue

struct GatesOpenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Opens a gate, whoever closed it."
    )

    @Argument(help: "The gate's lane, a number from gates list.")
    var lane: Int32

    func run() async throws {
        let hasOpened = try await Assembly().withConnection { connection in
            let opened = try await connection.execute(SQLFile.openGate.statement, [.int4(lane), .bool(true)])
            if opened.isEmpty {
                try await GateLookup.require(lane, connection)
            }
            return !opened.isEmpty
        }
        print(hasOpened ? "gate \(lane) is open" : "gate \(lane) was open already")
    }
}
