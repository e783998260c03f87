// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Testing

@Suite struct SimulatedReceiptTests {
    private static let date = Date(timeIntervalSince1970: 1_766_773_187)

    private static func transactions(_ count: Int) -> [SimulatedTransaction] {
        (0..<count).map { index in
            SimulatedTransaction(
                productId: "product.\(index)", type: index.isMultiple(of: 3) ? .autoRenewable : .consumable,
                environment: .sandbox, quantity: 1 + index % 10,
                purchaseDate: date.addingTimeInterval(Double(index) * 3600))
        }
    }

    @Test func everyAttributeIsReadBackAsWritten() throws {
        var transactions = Self.transactions(1)
        transactions[0].originalTransactionId = "2000000000000001"
        transactions[0].revocationDate = Self.date.addingTimeInterval(60)
        transactions[0].offerType = 1
        var receipt = SimulatedReceipt(
            bundleId: "dev.shop", environment: .sandbox, transactions: transactions, creationDate: Self.date)
        receipt.originalPurchaseDate = Self.date.addingTimeInterval(-1000)
        receipt.expirationDate = Self.date.addingTimeInterval(1000)

        let contents = try ReceiptContents(receipt.encoded())

        #expect(contents.receiptType == "ProductionSandbox")
        #expect(contents.environment == .sandbox)
        #expect(contents.bundleID == "dev.shop")
        #expect(contents.applicationVersion == "42")
        #expect(contents.originalApplicationVersion == "1.0")
        #expect(contents.opaqueValue == receipt.opaqueValue)
        #expect(contents.id == receipt.id)
        #expect(contents.creationDate == Self.date)
        #expect(contents.originalPurchaseDate == Self.date.addingTimeInterval(-1000))
        #expect(contents.expirationDate == Self.date.addingTimeInterval(1000))
        let purchase = try #require(contents.purchases.first)
        #expect(purchase.productID == "product.0")
        #expect(purchase.quantity == 1)
        #expect(purchase.transactionID == transactions[0].transactionId)
        #expect(purchase.originalTransactionID == "2000000000000001")
        #expect(purchase.purchaseDate == Self.date)
        #expect(purchase.originalPurchaseDate == Self.date)
        #expect(purchase.expirationDate == Self.date.addingTimeInterval(30 * 86_400))
        #expect(purchase.webOrderLineItemID.map { String($0) } == transactions[0].webOrderLineItemId)
        #expect(purchase.cancellationDate == Self.date.addingTimeInterval(60))
        #expect(purchase.isIntroductoryOffer)
        #expect(purchase.isAutoRenewable)
    }

    @Test func anUpgradeIsDatedWhereARefundWouldBe() throws {
        var transactions = Self.transactions(1)
        transactions[0].isUpgraded = true
        transactions[0].upgradeDate = Self.date.addingTimeInterval(60)

        let contents = try ReceiptContents(SimulatedReceipt(environment: .sandbox, transactions: transactions).encoded())

        #expect(contents.purchases.first?.cancellationDate == Self.date.addingTimeInterval(60))
    }

    @Test(arguments: [0, 1, 2, 187, 2000])
    func allPurchasesAreReadBack(_ count: Int) throws {
        let transactions = Self.transactions(count)
        let receipt = SimulatedReceipt(environment: .sandbox, transactions: transactions)

        let contents = try ReceiptContents(receipt.encoded())

        #expect(contents.purchases.map(\.transactionID).sorted() == transactions.map(\.transactionId).sorted())
    }

    @Test func purchasesStandInNoOrderOfTime() throws {
        let receipt = SimulatedReceipt(environment: .sandbox, transactions: Self.transactions(30))

        let dates = try ReceiptContents(receipt.encoded()).purchases.compactMap(\.purchaseDate)

        #expect(dates != dates.sorted())
        #expect(dates != dates.sorted(by: >))
    }

    @Test func uploadBeginsLikeAGenuineOne() throws {
        let base64 = try SimulatedReceipt(transactions: []).base64

        #expect(base64.hasPrefix("MII"))
        #expect(!base64.contains("\n"))
    }

    @Test func equalReceiptsGiveEqualBytesAndOthersDont() throws {
        let receipt = SimulatedReceipt(transactions: Self.transactions(5))
        let other = SimulatedReceipt(transactions: receipt.transactions)

        #expect(try receipt.encoded() == receipt.encoded())
        #expect(try receipt.encoded() != other.encoded())
        #expect(receipt.id != other.id)
    }

    @Test func volumePurchaseInSandboxIsSandbox() throws {
        var receipt = SimulatedReceipt(transactions: [])
        receipt.receiptType = "ProductionVPPSandbox"

        #expect(try ReceiptContents(receipt.encoded()).environment == .sandbox)
    }
}
