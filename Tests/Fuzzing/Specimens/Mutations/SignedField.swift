// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Fuzzing
import Verification

/// A field of a signed transaction, with the values that Apple documents for it. Written from Apple's pages, not from the verifier.
enum SignedField: String, CaseIterable {
    // Decide about money.
    case transactionId, originalTransactionId, webOrderLineItemId, bundleId, productId, type, environment
    case inAppOwnershipType, additionalTransactionReason, transactionReason, quantity, appAccountToken
    case purchaseDate, originalPurchaseDate, expiresDate, signedDate
    case revocationDate, revocationType, revocationPercentage, revocationReason, isUpgraded, multiSeatInfo
    case advancedCommerceInfo

    // Don't.
    case appTransactionId, subscriptionGroupIdentifier, storefront, storefrontId, price, currency
    case offerType, offerIdentifier, offerPeriod, offerDiscountType, billingPlanType, previousOriginalTransactionId
    case commitmentInfo, deviceVerification, deviceVerificationNonce, somethingNew

    /// What a value means for the verdict.
    enum Effect {
        /// Admissible: the facts change so.
        case facts((inout SignedFacts) -> Void)
        /// Admissible, or left to an operator. The form isn't Apple's, and its meaning is plain.
        case perhaps((inout SignedFacts) -> Void)
        /// Outside of the field's table.
        case outside
        case ofXcode
        case outsideRoot
        case outsideValidity
    }

    static let otherBundleID = BundleID(rawValue: "com.example.other")

    var decidesAboutMoney: Bool {
        switch self {
        case .transactionId, .originalTransactionId, .webOrderLineItemId, .bundleId, .productId, .type, .environment,
            .inAppOwnershipType, .additionalTransactionReason, .transactionReason, .quantity, .appAccountToken, .purchaseDate,
            .originalPurchaseDate, .expiresDate, .signedDate, .revocationDate, .revocationType, .revocationPercentage,
            .revocationReason, .isUpgraded, .multiSeatInfo, .advancedCommerceInfo:
            true
        case .appTransactionId, .subscriptionGroupIdentifier, .storefront, .storefrontId, .price, .currency,
            .offerType, .offerIdentifier, .offerPeriod, .offerDiscountType, .billingPlanType, .previousOriginalTransactionId,
            .commitmentInfo, .deviceVerification, .deviceVerificationNonce, .somethingNew:
            false
        }
    }

    /// Values that the field's table lists, and their neighbours.
    func listedValues(at date: Date) -> [JSONLiteral] {
        let later = String(Int(date.timeIntervalSince1970 + 3600) * 1000)
        return switch self {
        case .transactionId, .originalTransactionId: [.text("430000000000009"), .number("430000000000009")]
        case .webOrderLineItemId: [.text("480000000000009"), .number("480000000000009")]
        case .bundleId: [.text(Self.otherBundleID.rawValue), .text("com.example.untrusted")]
        case .productId: [.text("com.example.app.another")]
        case .type:
            ["Consumable", "Non-Consumable", "Non-Renewing Subscription", "Auto-Renewable Subscription", "consumable"].map { .text($0) }
        case .environment: ["Sandbox", "Production", "production", "Staging", "Xcode", "LocalTesting", "xcode"].map { .text($0) }
        case .inAppOwnershipType: ["FAMILY_SHARED", "PURCHASED", "ASSIGNED", "purchased"].map { .text($0) }
        case .additionalTransactionReason: [.text("SEAT_ADDITION")]
        case .transactionReason: ["RENEWAL", "PURCHASE", "GIFT", "renewal"].map { .text($0) }
        case .quantity: [.number("2"), .number("2147483647"), .number("2147483648"), .text("2"), .number("2.0"), .number("1e1")]
        case .appAccountToken: [.text("2E1B7C0A-54D4-4E57-9B30-5D0C6A7CDB5F"), .text("2e1b7c0a-54d4-4e57-9b30-5d0c6a7cdb5f")]
        case .purchaseDate, .originalPurchaseDate, .expiresDate, .signedDate, .revocationDate:
            [.number(later), .number("1.7e12"), .text(later), .number(later + "000"), .number(later + "000000")]
        case .revocationType: ["REFUND_FULL", "REFUND_PRORATED", "FAMILY_REVOKE", "refund_full"].map { .text($0) }
        case .revocationPercentage: ["40000", "1", "99999", "100000", "100001", "50000.5"].map { .number($0) } + [.text("40000")]
        case .revocationReason: [.number("1"), .number("0"), .text("1")]
        case .isUpgraded: [.bool(false), .bool(true), .text("true")]
        case .multiSeatInfo:
            ["0", "3", "-3", #""3""#, "1.5", "null", "[]", "1e300"].map { .composite(#"{"revokedSeatQuantity":\#($0)}"#) }
                + [.composite(#"{"invitationManagement":"APPLE","priceTiers":[{"price":1990,"quantity":2}]}"#)]
        case .advancedCommerceInfo: [.composite(#"{"requestReferenceId":"reference"}"#)]
        case .price: [.number("2990"), .number("0"), .text("1990")]
        case .currency: [.text("JPY"), .text("usd"), .text("EURO")]
        case .appTransactionId, .subscriptionGroupIdentifier, .storefront, .storefrontId, .offerType,
            .offerIdentifier, .offerPeriod, .offerDiscountType, .billingPlanType, .previousOriginalTransactionId,
            .commitmentInfo, .deviceVerification, .deviceVerificationNonce, .somethingNew:
            [.text("RENEWAL"), .number("2")]
        }
    }
}
