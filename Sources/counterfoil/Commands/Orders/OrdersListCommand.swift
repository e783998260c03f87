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
        abstract: "Lists orders, newest first.",
        discussion: """
            The command looks at 5000 orders at a time, however many there are. If it comes to this bound before it has found enough, \
            a line on standard error says how to go on. Orders in review are listed by the time when they went there.
            """
    )

    @Option(help: "Only orders of this account.")
    var account: String?

    @Option(help: "Only orders in this state: open, fulfilled, refunded, rejected, review or cancelled.")
    var state: OrderState?

    @Option(help: "Only orders of this product.")
    var product: String?

    @Option(help: "Only orders of this app, by its bundle id.")
    var bundle: String?

    @Option(
        help: "Only orders made since this time. A date or time in ISO 8601, in UTC.",
        transform: PostgresTimestamp.init(argumentText:))
    var since: PostgresTimestamp?

    @Option(
        help: "Only orders made before this time. A date or time in ISO 8601, in UTC.",
        transform: PostgresTimestamp.init(argumentText:))
    var until: PostgresTimestamp?

    @Option(help: "Only orders after this one in the list: the last one of the page before.")
    var before: String?

    @OptionGroup var limit: LimitOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let filter = OrderFilter(
            account: account, state: state, product: product, bundle: bundle, since: since, until: until, before: before)
        var orders = try await Assembly().withConnection { connection in
            if let before, try await connection.execute(SQLFile.readOrderStatus.statement, [.text(before)]).isEmpty {
                throw CommandFailure(.failure, "there is no order \(OutputValue.text(before).plainText) to go on behind")
            }
            return try await connection.execute(SQLFile.listOrders.statement, filter.parameters(limit.rowsToRead)).map {
                OutputValue($0)
            }
        }
        // Where the look ended before it had found enough.
        if let last = orders.last, last["order_id"] == .null {
            orders.removeLast()
            let time = Screen().text(last["created_at"])
            StandardErrorText.write("The command looked back to \(time) and no further: go on with --until \(time).")
        }
        output.list(
            limit.cut(orders, next: ("--before", "order_id")),
            first: ["order_id", "state", "reason", "created_at", "product_id", "account_id", "transaction_id"], nothing: "no orders"
        )
    }
}

extension OrderState: ExpressibleByArgument {}
