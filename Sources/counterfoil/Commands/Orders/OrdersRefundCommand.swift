// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Postgres
import Verification
import VerificationQueue

struct OrdersRefundCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refund",
        abstract: "Records that Apple refunded an order's payment, or that it reversed the refund.",
        discussion: """
            Use it for a refund that no proof has shown yet. The command returns no money: only Apple does. A fulfilled order \
            becomes refunded, and so does an order whose only payment was verified and never granted. The payment can't be \
            granted afterwards. If the order's proofs showed several payments, name each with --transaction. Name also a renewal \
            or a payment of another product.

            With --reversed the command undoes a refund that Apple reversed or that never was. If the payment was granted to \
            the order, the order is fulfilled again, and the feed has refund_reversed. Any other order goes to review; \
            counterfoil jobs retry judges its proof again.
            """
    )

    @Argument(help: "The shop's id of the order.")
    var order: String

    @Option(help: "The payment, if the order's proofs showed several. With --reversed: any payment of the order's app.")
    var transaction: String?

    @Flag(help: "Apple reversed the refund, or it was recorded by mistake.")
    var reversed = false

    @Option(
        help: """
            The time of Apple's refund, or with --reversed of its reversal. Default: now. Purchases with the same original id \
            before and after a refund are separate payments. A date or time in ISO 8601, in UTC.
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
