// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Postgres
import Schema
import VerificationQueue

struct GatesCloseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "close",
        abstract: "Closes a gate until an operator opens it. Jobs behind it wait and spend no attempt."
    )

    @Argument(help: "The gate's lane, a number that gates list shows.")
    var lane: Int32

    @OptionGroup var manual: OperatorOptions

    func run() async throws {
        let assembly = try Assembly()
        let act = try manual.act(assembly)
        let hasClosed = try await assembly.withConnection(writing: true) { connection in
            let closed = try await connection.execute(
                SQLFile.closeGate.statement,
                [
                    .int4(lane), .text(Gate.Closer.operator.rawValue), .text(act.who), .text(act.why), .double(nil),
                ])
            if closed.isEmpty {
                try await GateLookup.require(lane, connection)
            }
            return !closed.isEmpty
        }
        print(hasClosed ? "gate \(lane) is closed" : "gate \(lane) was closed by an operator already")
    }
}
