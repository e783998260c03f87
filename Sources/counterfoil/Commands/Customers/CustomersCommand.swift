// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Postgres
import Schema
import VerificationQueue

struct CustomersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "customers",
        abstract: "Shows all that is known of a customer's account.",
        subcommands: [CustomersShowCommand.self]
    )
}

struct CustomersShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows an account's orders, payments, refunds and subscriptions, the newest first.",
        discussion: """
            client_action of an order is the action that the customer's app is told. Payments are those of the account's newest \
            orders, and those that nothing was granted for. Other accounts of the same Apple customer are hints for a person: two \
            people may share a phone.
            """
    )

    @Argument(help: "The shop's id of the account.")
    var account: String

    @OptionGroup var limit: LimitOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let found = try await Assembly().withConnection { connection in
            let orders = try await connection.execute(
                SQLFile.listOrders.statement, OrderFilter(account: account).parameters(limit.rowsToRead)
            ).map { OutputValue($0) }
            let payments = try await connection.execute(
                SQLFile.callCustomerPayments.statement, [.text(account), .int4(limit.limit)]
            ).map { OutputValue($0) }
            var originals: [String] = []
            for payment in payments where payment["expires_at"] != .null {
                let original = payment["original_transaction_id"].plainText
                if !originals.contains(original) { originals.append(original) }
            }
            var subscriptions: [OutputValue] = []
            for original in originals.prefix(10) {
                subscriptions += try await connection.execute(
                    SQLFile.showSubscriptions.statement, [.text(original), .text(nil), .text(nil)]
                ).map { OutputValue($0) }
            }
            let others = try await connection.execute(SQLFile.callCustomerAccounts.statement, [.text(account)]).map {
                OutputValue($0)
            }
            let moves = try await connection.execute(SQLFile.callMovesOfAccount.statement, [.text(account), .int4(20)]).map {
                OutputValue($0)
            }
            let now = try await connection.execute(SQLFile.readMovedAccount.statement, [.text(account)]).first
                .map { OutputValue($0)["account_now"] }
            return (orders: orders, payments: payments, subscriptions: subscriptions, others: others, moves: moves, movedTo: now)
        }
        guard !found.orders.isEmpty || !found.payments.isEmpty else {
            throw CommandFailure(.failure, "no order and no payment of this account is known; counterfoil find looks for other ids")
        }
        let counts: [OutputValue.Field] = [
            .init(name: "account_id", value: .text(account)),
            .init(name: "moved_to", value: found.movedTo ?? .null),
            .init(name: "unclaimed_payments", value: .integer(Int64(found.payments.count { $0["state"] == .text("unclaimed") }))),
            .init(name: "refunds", value: .integer(Int64(found.payments.count { $0["refunded_share"] != .null }))),
        ]
        output.show(
            .object(counts),
            with: [
                "orders": limit.cut(found.orders, next: ("counterfoil orders list --account ACCOUNT --before", "order_id")).map {
                    $0.dropping(["account_id"]).putting([
                        "order_id", "state", "reason", "client_action", "product_id", "created_at", "transaction_id",
                    ])
                },
                "payments": found.payments, "subscriptions": found.subscriptions, "other_accounts": found.others,
                "moves": found.moves,
            ])
    }
}
