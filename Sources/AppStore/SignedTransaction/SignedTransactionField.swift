// SPDX-License-Identifier: Apache-2.0

/// The fields of Apple's JWSTransactionDecodedPayload: all that are known, by our use of them.
///
/// A field that decides about money never falls back to a default. Null is the same as absent.
///
/// | Field | Absent | Readable | Any other value |
/// |---|---|---|---|
/// | `transactionId`, `originalTransactionId` | odd | a text that isn't empty, an integer above 0 as its digits | odd |
/// | `bundleId`, `productId` | odd | a text that isn't empty | odd |
/// | `environment` | odd | `Production`, `Sandbox`; `Xcode`, `LocalTesting` are refused | odd |
/// | `purchaseDate` | odd | a number of milliseconds, of the years 1970 to 9999 | odd |
/// | `signedDate` | now | as `purchaseDate` | odd |
/// | `originalPurchaseDate`, `expiresDate` | none | as `purchaseDate` | odd |
/// | `type` | the shop's list of products decides | the four kinds | odd |
/// | `quantity` | 1 | an integer from 1 | odd |
/// | `webOrderLineItemId` | none | as `transactionId`; empty is absent | odd |
/// | `appAccountToken` | none | a UUID; empty is absent | odd |
/// | `isUpgraded` | false | a Boolean | odd |
/// | `inAppOwnershipType` | `PURCHASED` | `PURCHASED`, `FAMILY_SHARED`, `ASSIGNED`; of a consumable `PURCHASED` alone | ``Transaction/Ownership/unknown``; a shared consumable is odd |
/// | `revocationDate` | none | as `purchaseDate` | odd |
/// | `revocationType`, `revocationPercentage` | none | ``Revocation/Share`` lists the combinations | an unknown share |
/// | `revocationReason` | none | any value: it counts as a reason | |
/// | `multiSeatInfo` | none | an object; its `revokedSeatQuantity` is an integer from 0, or absent | an unknown share |
/// | `additionalTransactionReason` | none | `SEAT_ADDITION`; empty is absent | ``Transaction/AdditionalReason/unknown`` |
/// | `transactionReason` | none | `PURCHASE`, `RENEWAL` | odd |
/// | `advancedCommerceInfo` | none | any value: the purchase is one of Advanced Commerce | |
///
/// *Odd*: the transaction is genuine and goes to an operator, with the field's name. An unknown ownership, an unknown share, a
/// further transaction of a period and Advanced Commerce are left to an operator too, by ``Fit``.
package enum SignedTransactionField: String, CodingKey, CaseIterable, Sendable {
    // These decide about money.
    case transactionId, originalTransactionId, webOrderLineItemId
    case bundleId, productId, environment, type, quantity
    case purchaseDate, originalPurchaseDate, expiresDate, signedDate
    case appAccountToken, inAppOwnershipType
    case revocationDate, revocationType, revocationPercentage, revocationReason
    case isUpgraded, multiSeatInfo, additionalTransactionReason, transactionReason, advancedCommerceInfo

    // These are kept with the payment, as signed. A value that can't be kept is the same as none.
    case price, currency, appTransactionId
    case storefront, offerType, offerIdentifier, offerPeriod, offerDiscountType
    case billingPlanType, commitmentInfo

    // These are passed over on purpose, whatever their values are.
    case storefrontId, subscriptionGroupIdentifier, previousOriginalTransactionId
    case deviceVerification, deviceVerificationNonce

    /// Our use of a field.
    package enum Use: Hashable, Sendable {
        case decidesMoney
        case keptAsSigned
        case passedOver
    }

    package var use: Use {
        switch self {
        case .transactionId, .originalTransactionId, .webOrderLineItemId, .bundleId, .productId, .environment, .type, .quantity,
            .purchaseDate, .originalPurchaseDate, .expiresDate, .signedDate, .appAccountToken, .inAppOwnershipType,
            .revocationDate, .revocationType, .revocationPercentage, .revocationReason, .isUpgraded, .multiSeatInfo,
            .additionalTransactionReason, .transactionReason, .advancedCommerceInfo:
            .decidesMoney
        case .price, .currency, .appTransactionId, .storefront, .offerType, .offerIdentifier, .offerPeriod, .offerDiscountType,
            .billingPlanType, .commitmentInfo:
            .keptAsSigned
        case .storefrontId, .subscriptionGroupIdentifier, .previousOriginalTransactionId, .deviceVerification,
            .deviceVerificationNonce:
            .passedOver
        }
    }

    /// Whether a value outside of the table above keeps the transaction from being granted without an operator.
    package var decidesMoney: Bool { use == .decidesMoney }

    /// Whether a transaction without the field is verified all the same.
    package var mayBeAbsent: Bool {
        switch self {
        case .transactionId, .originalTransactionId, .bundleId, .productId, .environment, .purchaseDate: false
        default: true
        }
    }
}
