// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Testing

/// The signed form of a renewal info.
@Suite struct RenewalInfoTests {
    @Test func fieldsHaveApplesOrderAndAreThereOnlyInTheirTime() throws {
        var life = Life()
        #expect(
            Self.fields(life.renewalInfo(on: 10)) == [
                "originalTransactionId", "autoRenewProductId", "productId", "autoRenewStatus", "renewalPrice", "currency",
                "signedDate", "environment", "recentSubscriptionStartDate", "renewalDate", "appTransactionId",
                "renewalBillingPlanType",
            ])
        try life.play(.turnRenewalOff, on: 10)
        try life.play(.expire(), on: 30)
        #expect(
            Self.fields(life.renewalInfo(on: 30)).prefix(6) == [
                "expirationIntent", "originalTransactionId", "autoRenewProductId", "productId", "autoRenewStatus",
                "isInBillingRetryPeriod",
            ])
        #expect(!Self.fields(life.renewalInfo(on: 30)).contains("renewalPrice"))
    }

    @Test func rarerFieldsHaveApplesNames() throws {
        let token = UUID()
        var subscription = SimulatedSubscription(
            SimulatedPlan("pro", price: 990, payments: 12), token: token, seats: 4, at: Life.begin, seed: 7)
        subscription.winBackOffers = ["back"]

        let text = String(decoding: subscription.renewalInfo(at: Life.begin).payload(), as: UTF8.self)

        #expect(text.contains(#""eligibleWinBackOfferIds":["back"]"#))
        #expect(text.contains(#""appAccountToken":"\#(token.uuidString.lowercased())""#))
        #expect(text.contains(#""renewalBillingPlanType":"MONTHLY""#))
        #expect(text.contains(#""commitmentInfo":{"commitmentAutoRenewProductId":"pro","commitmentAutoRenewStatus":1"#))
        #expect(text.contains(#""commitmentRenewalPrice":11880}"#))
        #expect(text.contains(#""renewalQuantity":4,"multiSeatInfo":{"renewalPriceTiers":[{"price":990,"quantity":4}]}"#))
    }

    @Test func renewalInfoIsSignedAsTransactionsAre() async throws {
        let authority = try SimulatedCertificateAuthority(now: Life.begin)

        let signed = try Life().renewalInfo(on: 1).signed(by: authority)

        let inspection = try await TokenInspection(signed, authority: authority, signedAt: Life.day(1))
        #expect(inspection.findings == [])
    }

    /// The names of the outer fields, in their order.
    private static func fields(_ info: SimulatedRenewalInfo) -> [String] {
        FieldNames.outer(of: info.payload())
    }
}
