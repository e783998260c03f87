// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Testing

@Suite struct SimulatedTransactionReceiptTests {
    @Test func uploadBeginsLikeAGenuineOne() {
        let receipt = SimulatedTransactionReceipt(transaction: SimulatedTransaction(productId: "coins"))

        #expect(receipt.base64.hasPrefix("ewo"))
    }

    @Test func purchaseIsFoundTheWayApplesLibraryLooksForIt() throws {
        let transaction = SimulatedTransaction(productId: "coins", environment: .sandbox)
        let receipt = SimulatedTransactionReceipt(transaction: transaction)

        let envelope = try #require(receipt.text.firstMatch(of: /"purchase-info"\s+=\s+"([a-zA-Z0-9+\/=]+)";/))
        let purchase = try #require(Data(base64Encoded: String(envelope.1)))
        let text = String(decoding: purchase, as: UTF8.self)
        let id = try #require(text.firstMatch(of: /"transaction-id"\s+=\s+"([a-zA-Z0-9+\/=]+)";/))

        #expect(String(id.1) == transaction.transactionId)
        #expect(receipt.text.contains(#""environment" = "Sandbox";"#))
    }
}
