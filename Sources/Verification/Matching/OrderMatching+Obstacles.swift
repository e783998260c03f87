// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Why a transaction of the right product isn't granted without a person.
extension OrderMatching {
    /// The candidate that a paid transaction of the order's product makes.
    ///
    /// Without any kind there is no telling the grant key. The candidate is then looked up as a consumable, by its own
    /// transaction id, and can't be granted under that key, because a candidate with an obstacle never is.
    func candidate(_ transaction: Transaction) -> Candidate {
        let obstacle = isOrdered(transaction) ? obstacle(to: transaction) : doubt(about: transaction) ?? .wrongProduct
        return Candidate(
            transaction, kind: kind(of: transaction) ?? .consumable, obstacle: obstacle,
            obstacleAtAnyAge: obstacle == .purchaseBeforeOrder ? self.obstacle(to: transaction, atAnyAge: true) : nil,
            mayBeAnotherOrders: mayBeAnotherOrders(transaction), isConfirmed: isConfirmed, signedAt: signedAt)
    }

    /// Whether another order of the account may be what it was paid for, and could be granted it without an operator.
    ///
    /// Whoever only knows an id gets what it pays for, and nothing for other orders.
    private func mayBeAnotherOrders(_ transaction: Transaction) -> Bool {
        let bearsItsOwnToken = transaction.appAccountToken != nil && transaction.appAccountToken != order.appAccountToken
        guard bearsItsOwnToken || !isOrdered(transaction) || predatesOrder(transaction), provesPossession else { return false }
        guard doubt(about: transaction) == nil, let kind = kind(of: transaction), obstacleToAnyOrder(transaction, kind) == nil else {
            return false
        }
        return !followsRevocation(transaction, kind: kind)
    }

    /// Whether the payment was made before the order, by more than the policy's tolerance.
    ///
    /// Never true of an order that was made for a payment that came first.
    func predatesOrder(_ transaction: Transaction) -> Bool {
        guard !order.isRecovery else { return false }
        return paymentDate(of: transaction) < order.createdAt.addingTimeInterval(-policy.purchaseTimeTolerance)
    }

    /// Why nobody may be granted the payment without an operator, whatever was ordered: of which sort the payment is, what went back
    /// of it, when it was paid.
    func doubt(about transaction: Transaction) -> Reason? {
        if transaction.isAdvancedCommerce { return .unsupportedYet }
        if transaction.additionalReason != nil { return .seatsAdded }
        if transaction.isPartlyRefunded { return .partlyRefunded }
        return predatesLedger(transaction) ? .beforeLedger : nil
    }

    private func isOrdered(_ transaction: Transaction) -> Bool { transaction.productID == order.productID }

    /// The first obstacle in order of weight: the doubt about the payment itself, then what it pays for, when it was paid, how much was
    /// paid, whose it is.
    ///
    /// - Parameter atAnyAge: whether it doesn't matter when it was paid.
    private func obstacle(to transaction: Transaction, atAnyAge: Bool = false) -> Reason? {
        if let doubt = doubt(about: transaction) { return doubt }
        guard let kind = kind(of: transaction) else { return .unknownProduct }
        if let obstacle = obstacleToAnyOrder(transaction, kind) { return obstacle }
        if !atAnyAge && predatesOrder(transaction) { return .purchaseBeforeOrder }

        // A transaction's token on an order without one is judged in the settlement: other orders may bear that token.
        let bearsBoth = transaction.appAccountToken != nil && order.appAccountToken != nil
        // Anybody may know an id: only a token that both sides bear says whose it is.
        if !bearsBoth && (!provesPossession || order.appAccountToken != nil && policy.absentToken == .review) {
            return .tokenMissing
        }
        if transaction.quantity < order.quantity { return .quantityShort }
        if followsRevocation(transaction, kind: kind) { return .boughtAgainAfterRevocation }
        // The last one, since the ledger may find that it is none: the token is that of another order of the account.
        return transaction.bearsAnotherToken(than: order) ? .ownerMismatch : nil
    }

    /// The first obstacle that would stand against it whichever order of the account it pays for.
    private func obstacleToAnyOrder(_ transaction: Transaction, _ kind: ProductKind) -> Reason? {
        // Of another product the shop's kind isn't known here.
        if isOrdered(transaction), let listed = order.productKind, listed != kind { return .productKindMismatch }
        // Each consumable is a payment of its own; this one restores or renews another, whatever the shop listed it as.
        if kind == .consumable && transaction.originalID != transaction.id { return .productKindMismatch }
        if kind == .autoRenewable && transaction.webOrderLineItemID == nil && !isConfirmed { return .subscriptionUnconfirmed }
        return nil
    }

    /// Whether the payment was made before the ledger began: another system may have granted it.
    ///
    /// A receipt names no kinds, and the order knows only that of its own product. A purchase without a period is then dated as what
    /// is bought for good: a restore was paid at the original purchase.
    private func predatesLedger(_ transaction: Transaction) -> Bool {
        guard let start = policy.ledgerStartsAt else { return false }
        let listed = isOrdered(transaction) ? order.productKind : nil
        let isPeriod = transaction.webOrderLineItemID != nil || transaction.expiresDate != nil
        let kind = transaction.productKind ?? listed ?? (isPeriod ? .autoRenewable : .nonConsumable)
        return transaction.paymentDate(as: kind) < start
    }

    /// What Apple signed, else what the shop listed for the ordered product.
    private func kind(of transaction: Transaction) -> ProductKind? {
        transaction.productKind ?? (isOrdered(transaction) ? order.productKind : nil)
    }

    private func paymentDate(of transaction: Transaction) -> Date {
        transaction.paymentDate(as: kind(of: transaction) ?? .consumable)
    }

    /// Whether the original transaction is the payment, and the proof itself shows that it was taken back.
    ///
    /// The settlement asks the ledger the same; the revocation may have come to light only with this proof. A transaction from before
    /// the revocation may be a copy of what was refunded. Each period of a subscription is a payment of its own.
    private func followsRevocation(_ transaction: Transaction, kind: ProductKind) -> Bool {
        kind.isKeyedByOriginal && contents.revoked.contains { $0.isRefunded && $0.originalID == transaction.originalID }
    }
}
