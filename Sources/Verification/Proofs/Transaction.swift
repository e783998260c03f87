// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// Apple's record of a purchase, with every fact taken from a verified answer or signature.
package struct Transaction: Hashable, Sendable {
    /// Who paid for what the holder has.
    package enum Ownership: String, Hashable, Sendable {
        case purchased
        case familyShared = "family_shared"
        /// A seat of a subscription that a group or an organization paid for.
        case assigned
        /// Apple names an ownership that we don't know. Nothing follows about who paid.
        case unknown
    }

    /// Why Apple made a transaction for a period of a subscription that has one already.
    package enum AdditionalReason: String, Hashable, Sendable {
        /// Seats were bought in addition, in mid-period.
        case seatAddition = "seat_addition"
        /// Apple names a reason that we don't know.
        case unknown
    }

    /// Who made the purchase, in Apple's word.
    package enum PurchaseReason: String, Hashable, Sendable {
        /// The customer did: a first purchase, another plan, a subscription that was bought again.
        case purchase
        /// Apple's server did, when a period ended; the product may have changed with it.
        case renewal
    }

    package var bundleID: BundleID
    package var environment: AppStoreEnvironment
    package var id: TransactionID

    /// Equal to ``id`` for a first purchase; constant over restores and renewals.
    package var originalID: TransactionID

    /// The billing event of a subscription period; stable over devices and restores.
    package var webOrderLineItemID: String?

    package var productID: ProductID

    /// Named by a signed transaction; a receipt doesn't say.
    package var productKind: ProductKind?

    /// Units paid for in this transaction.
    package var quantity: Int

    /// When the customer was charged, or the purchase restored.
    package var purchaseDate: Date

    /// When the original transaction was paid; earlier than ``purchaseDate`` for restores and renewals.
    package var originalPurchaseDate: Date?

    /// End of a subscription period.
    package var expiresDate: Date?

    /// The time for which Apple said ``expiresDate``: `signedDate` of a signed transaction, the creation date of a receipt, the
    /// request date of an answer of verifyReceipt. Nil without an end, and where none is named.
    package var endAsOf: Date?

    /// Set when the purchase was refunded, wholly or in part, or removed from family sharing.
    package var revocation: Revocation?

    package var appAccountToken: UUID?
    package var ownership: Ownership

    /// Whether it was sold through Apple's Advanced Commerce, whose items and their refunds we don't read.
    package var isAdvancedCommerce: Bool

    /// Set when its period has several transactions, each with a payment of its own: Apple sets it on the first one too,
    /// afterwards.
    package var additionalReason: AdditionalReason?

    /// As a signed transaction names it: receipts, and systems before iOS 17, don't. It decides how a payment is called that no
    /// order claims, and keeps a payment from no order.
    package var purchaseReason: PurchaseReason?

    /// As a signed transaction names it. Nothing is decided by it.
    package var price: SignedPrice?

    /// What else a signed transaction names of the purchase. Nothing is decided by it.
    package var terms: SignedTerms?

    /// Who bought it, as a signed transaction names it. Only a payment whose client didn't show it is looked at by it.
    package var customerID: CustomerID?

    package init(
        bundleID: BundleID, environment: AppStoreEnvironment, id: TransactionID, originalID: TransactionID,
        webOrderLineItemID: String? = nil, productID: ProductID, productKind: ProductKind? = nil, quantity: Int = 1,
        purchaseDate: Date, expiresDate: Date? = nil, endAsOf: Date? = nil, revocation: Revocation? = nil,
        appAccountToken: UUID? = nil,
        ownership: Ownership = .purchased, originalPurchaseDate: Date? = nil, isAdvancedCommerce: Bool = false,
        additionalReason: AdditionalReason? = nil, purchaseReason: PurchaseReason? = nil, price: SignedPrice? = nil,
        customerID: CustomerID? = nil, terms: SignedTerms? = nil
    ) {
        self.bundleID = bundleID
        self.environment = environment
        self.id = id
        self.originalID = originalID
        self.webOrderLineItemID = webOrderLineItemID
        self.productID = productID
        self.productKind = productKind
        self.quantity = quantity
        self.purchaseDate = purchaseDate
        self.expiresDate = expiresDate
        self.endAsOf = expiresDate == nil ? nil : endAsOf
        self.revocation = revocation
        self.appAccountToken = appAccountToken
        self.ownership = ownership
        self.originalPurchaseDate = originalPurchaseDate
        self.isAdvancedCommerce = isAdvancedCommerce
        self.additionalReason = additionalReason
        self.purchaseReason = purchaseReason
        self.price = price
        self.customerID = customerID
        self.terms = terms
    }

    /// The billing event by which the ledger finds the names of the payment.
    ///
    /// Nil where several payments share the event: those are told apart by their times of purchase.
    package var paidLineItemID: String? { additionalReason == nil ? webOrderLineItemID : nil }

    /// How long after the end of a period another one renews it, where Apple doesn't say. 60 days, in seconds: as long as Apple
    /// tries to renew a subscription.
    package static let renewalWindow: TimeInterval = 60 * 86_400

    /// Whether the whole payment went back.
    package var isRefunded: Bool { revocation?.share == .whole }

    /// Whether a part of the payment went back, or Apple's word leaves open how much.
    package var isPartlyRefunded: Bool { revocation != nil && !isRefunded }

    /// When the customer paid for what this transaction stands for, if its product is of the given kind.
    ///
    /// The restore of a product that is bought for good is dated at the restore, and was paid at the original purchase.
    /// A renewal is a payment of its own.
    package func paymentDate(as kind: ProductKind) -> Date {
        guard kind.isKeyedByOriginal, let originalPurchaseDate else { return purchaseDate }
        return min(purchaseDate, originalPurchaseDate)
    }
}
