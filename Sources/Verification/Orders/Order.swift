// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// What a customer bought, as the shop recorded it, at the moment of the claim.
package struct Order: Sendable {
    package var id: OrderID
    package var bundleID: BundleID
    package var productID: ProductID
    package var accountID: AccountID

    /// Units ordered, 1 to 10.
    package var quantity: Int

    /// The token that the app passed to StoreKit at the purchase, if the shop uses tokens.
    package var appAccountToken: UUID?

    /// Made for a payment that came first: the purchase-before-order check is skipped.
    package var isRecovery: Bool

    package var createdAt: Date
    package var state: OrderState

    /// The transaction that paid for it, or that its verdict speaks of.
    package var transactionID: TransactionID?

    /// When an attempt at it was settled last; nil when none was.
    package var lastAttemptAt: Date?

    /// The kind that the shop listed for the product; nil when the product isn't listed.
    package var productKind: ProductKind?

    package init(
        id: OrderID, bundleID: BundleID, productID: ProductID, accountID: AccountID, quantity: Int = 1,
        appAccountToken: UUID? = nil, isRecovery: Bool = false, createdAt: Date, state: OrderState = .open,
        transactionID: TransactionID? = nil, lastAttemptAt: Date? = nil, productKind: ProductKind? = nil
    ) {
        self.id = id
        self.bundleID = bundleID
        self.productID = productID
        self.accountID = accountID
        self.quantity = quantity
        self.appAccountToken = appAccountToken
        self.isRecovery = isRecovery
        self.createdAt = createdAt
        self.state = state
        self.transactionID = transactionID
        self.lastAttemptAt = lastAttemptAt
        self.productKind = productKind
    }

    /// The kind that the shop lists for a paid product, as far as the order knows it: of its own product.
    package func listedKind(of product: ProductID) -> ProductKind? { product == productID ? productKind : nil }
}
