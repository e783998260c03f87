// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// All that is known of one payment: by what shows it, and by the ledger.
package struct PaymentFacts: Hashable, Sendable {
    package let shown: ShownPayment

    /// Nil while the ledger wasn't asked.
    package var ledger: LedgerFacts?

    package init(_ shown: ShownPayment, ledger: LedgerFacts? = nil) {
        self.shown = shown
        self.ledger = ledger
    }

    package var transaction: Transaction { shown.transaction }

    /// The shop's word for the kind of the product.
    package var listedKind: ProductKind? { ledger?.listedKind ?? shown.listedKind }

    /// Apple's word for the kind of the product, else the shop's; nil where neither is known.
    package var kind: ProductKind? { transaction.productKind ?? listedKind }

    /// The token that any proof of the payment showed.
    package var token: UUID? { transaction.appAccountToken ?? ledger?.token }

    /// Who made the purchase, as any proof of the payment names it.
    package var purchaseReason: Transaction.PurchaseReason? { transaction.purchaseReason ?? ledger?.purchaseReason }

    /// When it was paid. Of an unknown kind the purchase date counts.
    package var paidAt: Date { paidAt(as: kind ?? .consumable) }

    /// The payment's key. Without any kind it is that of a consumable: such a payment is looked up by its own id, and never granted
    /// under that key, because ``Objection/unknownKind(_:)`` stands.
    package var key: GrantKey { GrantKey(transaction, kind: kind ?? .consumable) }

    /// Whether the whole went back. The proof's own refund counts only while the ledger isn't asked. Later the refund is in the
    /// ledger, and perhaps a newer reversal.
    package var isTakenBack: Bool {
        ledger.map(\.isRevoked) ?? (transaction.isRefunded && transaction.ownership == .purchased)
    }

    /// Whether a part went back, or an unknown share.
    package var isPartlyRefunded: Bool { ledger.map(\.isPartlyRefunded) ?? transaction.isPartlyRefunded }

    /// Whether Apple signed or confirmed it unrefunded after its refund.
    package var mayBeReversed: Bool { ledger.map { $0.mayBeReversed(by: shown) } ?? false }

    /// Whether it was paid before `start`, when another system may have delivered it.
    ///
    /// verifyReceipt names no kinds. A purchase of unknown kind without a period counts as a non-consumable: a restore was paid at
    /// the original purchase.
    func wasPaid(before start: Date) -> Bool {
        let isPeriod = transaction.webOrderLineItemID != nil || transaction.expiresDate != nil
        return paidAt(as: kind ?? (isPeriod ? .autoRenewable : .nonConsumable)) < start
    }

    private func paidAt(as kind: ProductKind) -> Date { ledger?.paidAt ?? transaction.paymentDate(as: kind) }
}

// MARK: Compared with an order

extension PaymentFacts {
    func isForAnotherProduct(than order: Order) -> Bool { transaction.productID != order.productID }

    /// Whether the payment and the order each bear a token.
    func bearsTokenBeside(_ order: Order) -> Bool { token != nil && order.appAccountToken != nil }

    /// Whether it was paid before the order was made, by more than the policy's tolerance. Never before a recovery order.
    func predates(_ order: Order, under policy: AppPolicy) -> Bool {
        !order.isRecovery && paidAt < order.createdAt.addingTimeInterval(-policy.purchaseTimeTolerance)
    }

    /// Whether this account showed it first for an order that was made before it was paid, within the policy's tolerance.
    ///
    /// - Parameter order: the one that shows it now; nil: only an earlier showing counts.
    func wasShownInTime(under policy: AppPolicy, atFirstFor order: Order? = nil) -> Bool {
        let orderedAt = ledger?.firstOrderedAt ?? order?.createdAt
        return orderedAt.map { $0 <= paidAt.addingTimeInterval(policy.purchaseTimeTolerance) } ?? false
    }

    /// Whether it is a further period of the subscription that `earlier` paid for: by Apple's word, and without it by the time.
    /// `renewed_account.sql` has the same rule for periods that the ledger holds.
    func renews(_ earlier: PaymentFacts) -> Bool {
        let (paid, later) = (earlier.transaction, transaction)
        guard kind == .autoRenewable, later.originalID == paid.originalID, paid.purchaseDate < later.purchaseDate else {
            return false
        }
        switch purchaseReason {
        case .purchase: return false
        case .renewal: return true
        case nil: return paid.expiresDate.map { end in
            // What is bought before the end of a period is another plan. A receipt knows whole seconds.
            later.purchaseDate > end.addingTimeInterval(-1) && later.purchaseDate <= end.addingTimeInterval(Transaction.renewalWindow)
        } ?? true
        }
    }
}
