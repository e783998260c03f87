// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Testing

@Suite struct SimulatedTransactionTests {
    private struct Payload: Decodable {
        var transactionId: String
        var originalTransactionId: String
        var webOrderLineItemId: String?
        var bundleId: String
        var productId: String
        var type: String
        var quantity: Int
        var purchaseDate: Int64
        var originalPurchaseDate: Int64
        var expiresDate: Int64?
        var signedDate: Int64
        var appAccountToken: String?
        var inAppOwnershipType: String
        var transactionReason: String
        var additionalTransactionReason: String?
        var environment: String
        var storefront: String?
        var price: Int64?
        var currency: String?
        var revocationDate: Int64?
        var revocationReason: Int?
        var revocationType: String?
        var revocationPercentage: Int?
        var multiSeatInfo: [String: Int]?
        var isUpgraded: Bool?
        var advancedCommerceInfo: [String: String]?
    }

    @Test func payloadHoldsWholeMillisecondsAndApplesWords() throws {
        let token = UUID()
        var transaction = SimulatedTransaction(
            productId: "coins.100", bundleId: "dev.shop", environment: .sandbox, quantity: 3,
            purchaseDate: Date(timeIntervalSince1970: 1_700_000_000.1234), appAccountToken: token)
        transaction.revocationDate = Date(timeIntervalSince1970: 1_700_000_500)
        transaction.revocationReason = 1

        let payload = try JSONDecoder().decode(Payload.self, from: Data(transaction.payload()))

        #expect(payload.transactionId == transaction.transactionId)
        #expect(payload.originalTransactionId == transaction.transactionId)
        #expect(payload.bundleId == "dev.shop")
        #expect(payload.productId == "coins.100")
        #expect(payload.type == "Consumable")
        #expect(payload.quantity == 3)
        #expect(payload.purchaseDate == 1_700_000_000_123)
        #expect(payload.signedDate == 1_700_000_000_123)
        #expect(payload.appAccountToken == token.uuidString.lowercased())
        #expect(payload.environment == "Sandbox")
        #expect(payload.price == 5970)
        #expect(payload.revocationDate == 1_700_000_500_000)
        #expect(payload.revocationReason == 1)
    }

    @Test func rarerFieldsHaveApplesNames() throws {
        var transaction = SimulatedTransaction(productId: "pro", type: .autoRenewable)
        transaction.inAppOwnershipType = "ASSIGNED"
        transaction.additionalTransactionReason = "SEAT_ADDITION"
        transaction.revocationType = "REFUND_PRORATED"
        transaction.revocationPercentage = 40_000
        transaction.revokedSeatQuantity = 2
        transaction.isUpgraded = true
        transaction.upgradeDate = Date()
        transaction.requestReferenceId = "reference"

        let payload = try JSONDecoder().decode(Payload.self, from: Data(transaction.payload()))

        #expect(payload.inAppOwnershipType == "ASSIGNED")
        #expect(payload.additionalTransactionReason == "SEAT_ADDITION")
        #expect(payload.revocationType == "REFUND_PRORATED")
        #expect(payload.revocationPercentage == 40_000)
        #expect(payload.multiSeatInfo == ["revokedSeatQuantity": 2])
        #expect(payload.isUpgraded == true)
        #expect(payload.revocationDate == nil)
        #expect(payload.advancedCommerceInfo == ["requestReferenceId": "reference"])
    }

    /// As in transactions that Apple signed.
    @Test func fieldsHaveApplesOrder() {
        var transaction = SimulatedTransaction(productId: "pro", type: .autoRenewable, appAccountToken: UUID())
        transaction.revocationDate = Date()
        transaction.revocationReason = 1
        transaction.offerType = 1
        transaction.billingPlanType = "BILLED_UPFRONT"

        #expect(
            FieldNames.outer(of: transaction.payload()) == [
                "transactionId", "originalTransactionId", "webOrderLineItemId", "bundleId", "productId",
                "subscriptionGroupIdentifier", "purchaseDate", "originalPurchaseDate", "expiresDate", "quantity", "type",
                "appAccountToken", "inAppOwnershipType", "signedDate", "revocationReason", "revocationDate", "offerType",
                "environment", "transactionReason", "storefront", "storefrontId", "price", "currency", "appTransactionId",
                "billingPlanType",
            ])
    }

    @Test func commitmentAndSeatsHaveApplesNames() {
        let life = SimulatedSubscription(
            SimulatedPlan("pro", price: 990, payments: 12), seats: 4, at: Date(timeIntervalSince1970: 1_769_850_000))
        let text = String(decoding: life.current.payload(), as: UTF8.self)

        #expect(text.contains(#""billingPlanType":"MONTHLY","commitmentInfo":{"billingPeriodNumber":1,"totalBillingPeriods":12,"#))
        #expect(text.contains(#""commitmentPrice":11880}"#))
        #expect(
            text.contains(#""multiSeatInfo":{"invitationManagement":"APPLE","priceTiers":[{"price":990,"quantity":4}]}"#))
    }

    @Test func absentFieldsAreLeftOut() {
        var transaction = SimulatedTransaction(productId: "coins")
        transaction.price = nil

        let text = String(decoding: transaction.payload(), as: UTF8.self)

        for field in [
            "appAccountToken", "expiresDate", "revocation", "offer", "price", "currency", "null", "isUpgraded",
            "multiSeatInfo", "advancedCommerceInfo", "commitmentInfo",
        ] {
            #expect(!text.contains(field))
        }
    }

    @Test func subscriptionHasAPeriodALineItemAndAGroup() {
        let transaction = SimulatedTransaction(productId: "pro", type: .autoRenewable)

        #expect(transaction.webOrderLineItemId != nil)
        #expect(transaction.subscriptionGroupIdentifier != nil)
        #expect(transaction.expiresDate == transaction.purchaseDate.addingTimeInterval(30 * 86_400))
    }

    @Test func transactionIDsLookLikeThoseOfTheirEnvironment() {
        let production = SimulatedTransaction(productId: "coins").transactionId
        let sandbox = SimulatedTransaction(productId: "coins", environment: .sandbox).transactionId

        #expect(production.count == 15)
        #expect(sandbox.count == 16)
        #expect(sandbox.hasPrefix("2000000"))
        #expect((production + sandbox).allSatisfy { $0.isNumber })
    }

    @Test func awkwardCharactersSurvive() throws {
        let name = "a\"b\\c\u{01}\n/é🎟️"
        let transaction = SimulatedTransaction(productId: name)

        let payload = try JSONDecoder().decode(Payload.self, from: Data(transaction.payload()))

        #expect(payload.productId == name)
    }
}
