// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AppStoreSimulator

@Suite struct ReceiptReaderTests {
    private static func receipts(_ count: Int) throws -> [String] {
        try (0..<count).map { _ in try SimulatedReceipt(transactions: []).base64 }
    }

    @Test func receiptIsReadOnce() throws {
        let reader = ReceiptReader(limits: .init(), size: 1_000_000)
        let receipt = try Self.receipts(1)[0]

        #expect(reader.read(receipt) === reader.read(receipt))
    }

    @Test func unreadableTextIsRememberedToo() {
        let reader = ReceiptReader(limits: .init(), size: 1_000_000)

        let first = reader.read("no receipt")

        #expect(first.id == nil)
        #expect(first === reader.read("no receipt"))
    }

    @Test func longUnusedReceiptIsForgottenAndAnOftenUsedOneStays() throws {
        let receipts = try Self.receipts(100)
        let reader = ReceiptReader(limits: .init(), size: 20 * receipts[0].utf8.count)
        let unused = reader.read(receipts[0])
        let used = reader.read(receipts[1])

        for receipt in receipts.dropFirst(2) {
            _ = reader.read(receipt)
            _ = reader.read(receipts[1])
        }

        #expect(reader.read(receipts[1]) === used)
        #expect(reader.read(receipts[0]) !== unused)
    }

    @Test func receiptLargerThanTheMemoryIsStillRead() throws {
        let receipt = SimulatedReceipt(transactions: [SimulatedTransaction(productId: "coins")])
        let reader = ReceiptReader(limits: .init(), size: 10)

        #expect(reader.read(try receipt.base64).id == receipt.id)
    }
}
