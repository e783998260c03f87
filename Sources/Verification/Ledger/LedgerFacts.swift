// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// What the ledger, the order and the shop's list say about one payment, read inside the settlement with both locked.
package struct LedgerFacts: Hashable, Sendable {
    /// The grant that holds the payment: under any of its ids and keys.
    ///
    /// A product that is bought for good, refunded and bought again may keep its original transaction id. The grant of
    /// the first payment doesn't hold the second one: answering "already owned" would take it for nothing.
    package struct Holder: Hashable, Sendable {
        package let orderID: OrderID
        package let accountID: AccountID

        /// The transaction that the grant was made for.
        package let transactionID: TransactionID

        package init(orderID: OrderID, accountID: AccountID, transactionID: TransactionID) {
            self.orderID = orderID
            self.accountID = accountID
            self.transactionID = transactionID
        }
    }

    /// The last word about a payment that was taken back as a whole.
    package struct Refund: Hashable, Sendable {
        /// The time for which it was said, by Apple's clock.
        package let asOf: Date

        /// When the ledger learnt it, by the database's clock.
        package let recordedAt: Date

        package init(asOf: Date, recordedAt: Date) {
            self.asOf = asOf
            self.recordedAt = recordedAt
        }
    }

    package let holder: Holder?

    /// The payment was taken back: there is a revocation, which no reversal follows, of this transaction, or of another id of
    /// the same payment.
    package let refund: Refund?

    /// A part of the payment was taken back, or nobody knows how much of it.
    package let isPartlyRefunded: Bool

    /// The ledger knows its transaction as one of several of its period: its proof may not say so.
    package let isAddition: Bool

    /// It is keyed by its original, and a refund of the same original lies between it and another payment: it was bought again, or
    /// is the first payment of what was bought again and granted since.
    package let isBoughtAgain: Bool

    /// A token, the period before it, or whose proof showed it first, says that it is another account's.
    package let isAnotherAccounts: Bool

    /// The order that the payment was made for, if it is another than the one being settled and can still be paid. Only looked for
    /// where ``Fit/mayPayAnOlderOrder(_:than:_:)``.
    package let ownOrder: OrderID?

    /// Who made the purchase, as any proof of it said.
    package let purchaseReason: Transaction.PurchaseReason?

    /// The state of the order being settled, fulfilled where the ledger has its payment; nil where no order shows the payment.
    package let orderState: OrderState?

    /// When the order of this account that showed the payment first was made.
    package let firstOrderedAt: Date?

    /// The app account token that any proof of the payment showed.
    package let token: UUID?

    /// The kind that the shop lists for the payment's product.
    package let listedKind: ProductKind?

    /// Any proof of it was of Apple's Advanced Commerce.
    package let isAdvancedCommerce: Bool

    /// When it was paid, where the ledger knows that apart from the purchase date.
    package let paidAt: Date?

    /// The account whose subscription it renews: by Apple's word, and without it by the time.
    package let renewedAccount: AccountID?

    package init(
        holder: Holder? = nil, refund: Refund? = nil, isPartlyRefunded: Bool = false, isAddition: Bool = false,
        isBoughtAgain: Bool = false, isAnotherAccounts: Bool = false, ownOrder: OrderID? = nil,
        purchaseReason: Transaction.PurchaseReason? = nil, orderState: OrderState?,
        firstOrderedAt: Date? = nil, token: UUID? = nil, listedKind: ProductKind? = nil, isAdvancedCommerce: Bool = false,
        paidAt: Date? = nil, renewedAccount: AccountID? = nil
    ) {
        self.holder = holder
        self.refund = refund
        self.isPartlyRefunded = isPartlyRefunded
        self.isAddition = isAddition
        self.isBoughtAgain = isBoughtAgain
        self.isAnotherAccounts = isAnotherAccounts
        self.ownOrder = ownOrder
        self.purchaseReason = purchaseReason
        self.orderState = orderState
        self.firstOrderedAt = firstOrderedAt
        self.token = token
        self.listedKind = listedKind
        self.isAdvancedCommerce = isAdvancedCommerce
        self.paidAt = paidAt
        self.renewedAccount = renewedAccount
    }
}

// MARK: Reversals

extension LedgerFacts {
    /// Whether the payment was taken back.
    package var isRevoked: Bool { refund != nil }

    /// How old a refund must be before Apple's word against it is believed. Ten minutes, in seconds: right after a refund some of
    /// Apple's servers may not know of it. A reversal takes days.
    package static let staleWordWindow: TimeInterval = 600

    /// Whether a proof may show that the refund was reversed: Apple signed the payment unrefunded after the refund. A proof alone
    /// never reverses it.
    package func mayBeReversed(by payment: ShownPayment) -> Bool {
        guard let refund, !payment.transaction.isRefunded else { return false }
        return payment.isConfirmed || payment.signedAt.map { $0 > refund.asOf } ?? false
    }

    /// Whether the refund was reversed: Apple was asked after the ledger had learnt of it, and said that nothing is refunded.
    ///
    /// - Parameter claimedAt: the database's time before Apple was asked.
    package func isReversed(by payment: ShownPayment, askedAfter claimedAt: Date) -> Bool {
        guard let refund, payment.isConfirmed, payment.transaction.revocation == nil else { return false }
        return refund.recordedAt < claimedAt && claimedAt.timeIntervalSince(refund.asOf) >= Self.staleWordWindow
    }
}
