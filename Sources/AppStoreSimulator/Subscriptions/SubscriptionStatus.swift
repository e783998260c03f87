// SPDX-License-Identifier: Apache-2.0

/// Apple's status of a subscription, by its number.
package enum SubscriptionStatus: Int, CaseIterable, Sendable {
    case active = 1
    case expired = 2
    /// Unpaid, and Apple tries again.
    case billingRetry = 3
    /// Unpaid, and the customer keeps access for some days.
    case gracePeriod = 4
    /// Refunded, or taken from a member of a family.
    case revoked = 5
}

/// Why a subscription ended, by Apple's number.
package enum ExpirationIntent: Int, CaseIterable, Sendable {
    case cancelled = 1
    case billingError = 2
    case priceIncrease = 3
    case productNotForSale = 4
    case other = 5

    /// The subtype of the notification that tells of it.
    var subtype: String? {
        switch self {
        case .cancelled: "VOLUNTARY"
        case .billingError: "BILLING_RETRY"
        case .priceIncrease: "PRICE_INCREASE"
        case .productNotForSale: "PRODUCT_NOT_FOR_SALE"
        case .other: nil
        }
    }
}
