// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Postgres
import Verification
import VerificationQueue

struct OrdersRefundCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refund",
        abstract: "Records that an order's payment was given back, or that it wasn't after all.",
        discussion: """
            For a refund that no proof has shown yet. It gives no money back: only Apple does. A fulfilled order becomes \
            refunded, and so does one whose only payment was verified and never granted. The payment can't be granted \
            afterwards. A payment of another product, or a renewal, that the order's proof showed too has to be named, \
            and so has each of several.

            With --reversed it is undone, because Apple reversed the refund or there was none: an order that the payment \
            was granted to is fulfilled again, and its shop's trigger sees a reversal. One that got nothing is in review; \
            counterfoil jobs retry judges its proof again.
            """
    )

    @Argument(help: "The shop's id of the order.")
    var order: String

    @Option(help: "Which payment, of those that the order's proofs showed; with --reversed any of the order's app.")
    var transaction: String?

    @Flag(help: "The refund was reversed, or recorded by mistake.")
    var reversed = false

    @Option(
        help: """
            When Apple gave it back, or with --reversed took that back; now, if it isn't given. It tells which purchases under the \
            same original id are payments of their own. A date or time in ISO 8601, in UTC.
            """,
        transform: PostgresTimestamp.init(argumentText:))
    var at: PostgresTimestamp?

    @OptionGroup var manual: OperatorOptions

    func run() async throws {
        let assembly = try Assembly()
        let act = try manual.act(assembly)
        try await assembly.withPool { pool in
            let store = SettlementStore(pool: pool, workerID: WorkerID(rawValue: 0))
            let id = transaction.map(TransactionID.init(rawValue:))
            if reversed {
                let given = try await store.reverseRefund(
                    OrderID(rawValue: order), transaction: id, at: at?.date, by: act)
                let ids = given.transactions.map(\.rawValue).joined(separator: ", ")
                print("nothing stands against transaction \(ids): order \(order) is \(given.state.rawValue)")
                return
            }
            let taken = try await store.refund(OrderID(rawValue: order), transaction: id, at: at?.date, by: act)
            print("transaction \(taken.transaction.rawValue) was taken back: order \(order) is \(taken.state.rawValue)")
        }
    }
}
