// SPDX-License-Identifier: Apache-2.0

import AppStore
import ArgumentParser
import CommandSupport
import Postgres
import Schema
import Verification
import VerificationQueue

struct OrdersLookUpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "look-up",
        abstract: "Shows what a customer paid for, by the order id on Apple's mail to the customer.",
        discussion: """
            The id is Apple's, such as MK2JQ5X4LN, not the shop's. Of each transaction the command shows what the ledger holds, the order \
            that it paid for, and orders that it may have been made for: by its token or its customer (orders_that_fit), and by its product \
            and time alone (orders_near), whoever's they are. It changes nothing: counterfoil orders assign TRANSACTION ORDER \
            grants one. It needs the app's key of the App Store Server API. Apple offers it for production only. Source: \
            appstoreserverapi/look-up-order-id.
            """
    )

    @Argument(help: "Apple's order id.")
    var appleOrder: String

    @Option(help: "The app.")
    var bundle: String

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let assembly = try Assembly()
        try await assembly.withPool { pool in
            let apps = try await pool.execute(SQLFile.listApps.statement).map { try $0.string(0) }
            guard apps.contains(bundle) else { throw CommandFailure.unknownApp(bundle, among: apps) }
            let transactions = try await TransactionFetch(assembly: assembly, pool: pool).fetch(
                appleOrder: appleOrder, of: BundleID(rawValue: bundle))
            guard !transactions.isEmpty else { throw CommandFailure(.failure, "Apple knows no such order of this app") }
            let found = try await pool.execute(
                SQLFile.findOrdersOfTransactions.statement,
                [
                    .textArray(transactions.map(\.id.rawValue)), .textArray(transactions.map(\.originalID.rawValue)), .text(bundle),
                    .textArray(transactions.map(\.productID.rawValue)),
                    .int4Array(transactions.map { Int32(clamping: $0.quantity) }),
                    .timestampArray(transactions.map { PostgresTimestamp($0.purchaseDate) }),
                    .timestampArray(transactions.map { $0.revocation?.date.map(PostgresTimestamp.init) }),
                    .uuidArray(transactions.map(\.appAccountToken)),
                ]
            ).map { OutputValue($0) }
            output.list(
                found, first: ["transaction_id", "state", "order_id", "product_id", "quantity", "purchased_at"], nothing: "")
        }
    }
}
