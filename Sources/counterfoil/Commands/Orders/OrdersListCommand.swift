// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Postgres
import Schema
import Verification
import VerificationQueue

struct OrdersListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists orders, newest first."
    )

    @Option(help: "Only orders of this account.")
    var account: String?

    @Option(help: "Only orders in this state: open, fulfilled, refunded, rejected, review or cancelled.")
    var state: OrderState?

    @OptionGroup var limit: LimitOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let orders = try await Assembly().withConnection { connection in
            try await connection.execute(
                SQLFile.listOrders.statement,
                [.text(account), .text(state?.rawValue), .int4(limit.rowsToRead)]
            ).map { OutputValue($0) }
        }
        output.list(limit.cut(orders), nothing: "no orders")
    }
}

extension OrderState: ExpressibleByArgument {}
