// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Postgres
import Schema
import VerificationQueue

struct OrdersTransferCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer",
        abstract: "Makes a paid order another account's.",
        discussion: """
            From then on only that account sees the order, and is told of its refunds. Later periods of its subscription are that \
            account's. The payment stays granted to the order: nothing is granted again. The feed tells both accounts \
            (order_transferred). To take a transfer back, transfer the order again. The command is safe to repeat.

            To move all that an account has, see counterfoil accounts move.
            """
    )

    @Argument(help: "The shop's id of the order.")
    var order: String

    @Argument(help: "The shop's id of the account that the order is to be of.")
    var account: String

    @Flag(help: "Show what would change, and change nothing.")
    var dryRun = false

    @OptionGroup var manual: OperatorOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let assembly = try Assembly()
        guard !dryRun else {
            let found = try await assembly.withConnection { connection in
                try await connection.execute(SQLFile.previewTransfer.statement, [.text(order), .text(account)]).map { OutputValue($0) }
            }
            guard let found = found.first else {
                throw CommandFailure(.failure, "there is no order \(OutputValue.text(order).plainText)")
            }
            return output.show(found)
        }
        let act = try manual.act(assembly)
        let moved = try await assembly.write(
            .callTransferOrder, [.text(order), .text(account), .text(act.who), .text(act.why)], orSay: "nothing was transferred")
        let now = moved["account_now"].plainText
        if output.json { return output.show(moved) }
        print(
            moved["is_new"] == .bool(true)
                ? "order \(OutputValue.text(order).plainText) is account \(now)'s; it was \(moved["from_account"].plainText)'s"
                : "order \(OutputValue.text(order).plainText) was account \(now)'s before: nothing changed")
    }
}
