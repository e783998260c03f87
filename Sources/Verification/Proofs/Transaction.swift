// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// Apple's record of a purchase, with every fact taken from a verified answer or signature.
package struct Transaction: Hashable, Sendable {
    package enum Ownership: String, Hashable, Sendable {
        case purchased
        case familyShared = "family_shared"
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

    /// Set when the purchase was refunded or removed from family sharing.
    package var revocationDate: Date?

    package var appAccountToken: UUID?
    package var ownership: Ownership

    package init(
        bundleID: BundleID, environment: AppStoreEnvironment, id: TransactionID, originalID: TransactionID,
        webOrderLineItemID: String? = nil, productID: ProductID, productKind: ProductKind? = nil, quantity: Int = 1,
        purchaseDate: Date, expiresDate: Date? = nil, revocationDate: Date? = nil, appAccountToken: UUID? = nil,
        ownership: Ownership = .purchased, originalPurchaseDate: Date? = nil
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
        self.revocationDate = revocationDate
        self.appAccountToken = appAccountToken
        self.ownership = ownership
        self.originalPurchaseDate = originalPurchaseDate
    }

    /// When the customer paid for what this transaction stands for, if its product is of the given kind.
    ///
    /// The restore of a product that is bought for good is dated at the restore, and was paid at the original purchase.
    /// A renewal is a payment of its own.
    package func paymentDate(as kind: ProductKind) -> Date {
        guard kind.isKeyedByOriginal, let originalPurchaseDate else { return purchaseDate }
        return min(purchaseDate, originalPurchaseDate)
    }
}
