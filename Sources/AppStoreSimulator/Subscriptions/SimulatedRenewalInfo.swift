// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// What Apple says of a subscription's next renewal, under Apple's names: a decoded renewal info.
package struct SimulatedRenewalInfo: Sendable, Equatable {
    /// The next renewal of a plan that is paid for month by month.
    package struct Commitment: Sendable, Equatable {
        package var autoRenewProductId: String
        package var autoRenewStatus: Int
        package var renewalBillingPlanType: String
        package var renewalDate: Date
        package var renewalPrice: Int64
    }

    /// Apple's number, only after the end.
    package var expirationIntent: Int?
    package var originalTransactionId: String
    package var autoRenewProductId: String
    package var productId: String
    /// 1 or 0.
    package var autoRenewStatus: Int
    /// Only after the end.
    package var isInBillingRetryPeriod: Bool?
    /// 0: the customer hasn't agreed yet; 1: agreed.
    package var priceIncreaseStatus: Int?
    package var gracePeriodExpiresDate: Date?
    package var offerType: Int?
    package var offerIdentifier: String?
    /// Only while the subscription renews, as its currency.
    package var renewalPrice: Int64?
    package var currency: String?
    package var signedDate: Date
    package var environment: SimulatedEnvironment
    /// The beginning of a row of periods with gaps of less than sixty days.
    package var recentSubscriptionStartDate: Date
    package var renewalDate: Date?
    package var offerDiscountType: String?
    package var eligibleWinBackOfferIds: [String]
    package var appAccountToken: UUID?
    package var appTransactionId: String?
    package var offerPeriod: String?
    package var renewalBillingPlanType: String?
    package var commitment: Commitment?
    /// Seats at the next renewal, of a purchase for several; their price stands beside it.
    package var renewalQuantity: Int?

    /// The payload of its signed form as JSON text, its fields in the order in which Apple writes them.
    package func payload() -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("expirationIntent", expirationIntent.map(Int64.init))
            json.field("originalTransactionId", originalTransactionId)
            json.field("autoRenewProductId", autoRenewProductId)
            json.field("productId", productId)
            json.field("autoRenewStatus", Int64(autoRenewStatus))
            json.field("isInBillingRetryPeriod", isInBillingRetryPeriod)
            json.field("priceIncreaseStatus", priceIncreaseStatus.map(Int64.init))
            json.field("gracePeriodExpiresDate", gracePeriodExpiresDate?.milliseconds)
            json.field("offerType", offerType.map(Int64.init))
            json.field("offerIdentifier", offerIdentifier)
            json.field("renewalPrice", renewalPrice)
            json.field("currency", renewalPrice == nil ? nil : currency)
            json.field("signedDate", signedDate.milliseconds)
            json.field("environment", environment.rawValue)
            json.field("recentSubscriptionStartDate", recentSubscriptionStartDate.milliseconds)
            json.field("renewalDate", renewalDate?.milliseconds)
            addRarerFields(to: &json)
        }
        return json.bytes
    }

    /// The renewal info as Apple hands it out: a compact JWS.
    package func signed(by authority: SimulatedCertificateAuthority) throws -> String {
        try authority.sign(payload: payload(), at: signedDate)
    }

    private func addRarerFields(to json: inout JSONWriter) {
        json.field("offerDiscountType", offerDiscountType)
        if !eligibleWinBackOfferIds.isEmpty {
            json.key("eligibleWinBackOfferIds")
            json.strings(eligibleWinBackOfferIds)
        }
        json.field("appAccountToken", appAccountToken?.uuidString.lowercased())
        json.field("appTransactionId", appTransactionId)
        json.field("offerPeriod", offerPeriod)
        json.field("renewalBillingPlanType", renewalBillingPlanType)
        if let commitment {
            json.key("commitmentInfo")
            json.object { json in
                json.field("commitmentAutoRenewProductId", commitment.autoRenewProductId)
                json.field("commitmentAutoRenewStatus", Int64(commitment.autoRenewStatus))
                json.field("commitmentRenewalBillingPlanType", commitment.renewalBillingPlanType)
                json.field("commitmentRenewalDate", commitment.renewalDate.milliseconds)
                json.field("commitmentRenewalPrice", commitment.renewalPrice)
            }
        }
        guard let renewalQuantity else { return }
        json.field("renewalQuantity", Int64(renewalQuantity))
        json.key("multiSeatInfo")
        json.object { $0.priceTiers([(price: renewalPrice ?? 0, quantity: renewalQuantity)], as: "renewalPriceTiers") }
    }
}
