// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Postgres
import Schema
import VerificationQueue

struct OrdersCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Withdraws an order that isn't paid.",
        discussion: """
            A payment that comes later is kept, and granted to nobody until an operator decides or the client orders again. The command \
            is safe to repeat.
            """
    )

    @Argument(help: "The shop's id of the order.")
    var order: String

    @OptionGroup var manual: OperatorOptions

    func run() async throws {
        let assembly = try Assembly()
        let act = try manual.act(assembly)
        try await assembly.withConnection(writing: true) { connection in
            // The row of the act names the database's role: the reason names who.
            _ = try await connection.execute(
                SQLFile.callCancelOrder.statement, [.text(order), .text("\(act.who): \(act.why)"), .null])
        }
        print("order \(OutputValue.text(order).plainText) is cancelled")
    }
}
