// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Logging
import Postgres
import Schema
import Verification
import VerificationQueue

struct GatesOpenCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Opens a gate, whoever closed it.",
        discussion: "The command logs who opened the gate and why, and why it was closed. Only the log keeps this."
    )

    @Argument(help: "The gate's lane, a number that gates list shows.")
    var lane: Int32

    @OptionGroup var manual: OperatorOptions

    func run() async throws {
        let assembly = try Assembly(logLevel: .notice)
        let act = try manual.act(assembly)
        let hasOpened = try await assembly.withConnection(writing: true) { connection in
            let opened = try await connection.execute(
                SQLFile.openGate.statement, GateStore.opening(LaneID(rawValue: lane), byOperator: true))
            guard let gate = opened.first else {
                try await GateLookup.require(lane, connection)
                return false
            }
            let closedBy = try gate.optionalString(1) ?? ""
            let closedFor = try gate.optionalString(2) ?? ""
            let closedWhy = try gate.optionalString(3) ?? ""
            assembly.logger.notice(
                "gate opened by hand",
                metadata: [
                    "lane": "\(lane)", "operator": "\(act.who)", "why": "\(act.why)", "closed.by": "\(closedBy)",
                    "closed.for": "\(closedFor)", "closed.why": "\(closedWhy)",
                ])
            return true
        }
        print(hasOpened ? "gate \(lane) is open" : "gate \(lane) was open already")
    }
}
