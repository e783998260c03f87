// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Verification
import VerificationQueue

struct OrdersRefundCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refund",
        abstract: "Records that an order's payment was given back.",
        discussion: """
            For a refund that no proof has shown yet. It gives no money back: only Apple does. A fulfilled order becomes \
            refunded, and so does one whose only payment was verified and never granted. The payment can't be granted \
            afterwards. A payment of another product, or a renewal, that the order's proof showed too has to be named.
            """
    )

    @Argument(help: "The shop's id of the order.")
    var order: String

    @Option(help: "Which payment, of those that the order's proofs showed and that were not granted.")
    var transaction: String?

    @OptionGroup var manual: ManualOptions

    func run() async throws {
        let assembly = try Assembly()
        let act = try manual.act(assembly)
        try await assembly.withPool { pool in
            let taken = try await SettlementStore(pool: pool, workerID: WorkerID(rawValue: 0)).refund(
                OrderID(rawValue: order), transaction: transaction.map(TransactionID.init(rawValue:)), by: act)
            print("transaction \(taken.transaction.rawValue) was taken back: order \(order) is \(taken.state.rawValue)")
        }
    }
}
