// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// A verified transaction of the ordered product that may pay for the order, if the ledger agrees.
///
/// A class, because it is passed on a dozen times on its way to the ledger.
package final class Candidate: Hashable, Sendable {
    package let transaction: Transaction
    package let kind: ProductKind
    package let key: GrantKey

    /// Why a person has to look before it may be granted; nil when nothing stands in the way.
    ///
    /// The ledger is asked first all the same: a replay is answered as a replay, whatever else is odd about it.
    package let obstacle: Reason?

    /// The obstacle if it doesn't matter when it was bought: the same, unless it was bought before the order.
    package let obstacleAtAnyAge: Reason?

    /// Whether it may pay for another order of the account than the one that its proof was uploaded for: it was bought before that
    /// order, its token isn't that order's, or its product is another. The ledger is asked for its own order first.
    package let mayBeAnotherOrders: Bool

    /// Whether Apple said just now what became of it.
    package let isConfirmed: Bool

    /// When Apple signed the proof that shows it; nil where the proof doesn't say.
    package let signedAt: Date?

    /// - Parameters:
    ///   - obstacleAtAnyAge: nil as well where nothing but its age stands in the way; looked at only if the obstacle is
    ///     ``Reason/purchaseBeforeOrder``.
    ///   - isBoughtAgain: a person gives it to an order although it was bought again after a refund.
    package init(
        _ transaction: Transaction, kind: ProductKind, obstacle: Reason? = nil, obstacleAtAnyAge: Reason? = nil,
        mayBeAnotherOrders: Bool = false, isConfirmed: Bool = false, signedAt: Date? = nil, isBoughtAgain: Bool = false
    ) {
        self.transaction = transaction
        self.kind = kind
        key =
            isBoughtAgain && kind.isKeyedByOriginal
            ? GrantKey(boughtAgain: transaction) : GrantKey(transaction, kind: kind)
        self.obstacle = obstacle
        self.obstacleAtAnyAge = obstacle == .purchaseBeforeOrder ? obstacleAtAnyAge : obstacle
        self.mayBeAnotherOrders = mayBeAnotherOrders
        self.isConfirmed = isConfirmed
        self.signedAt = signedAt
    }

    /// Whether nothing but its age stands in the way. A token that isn't the order's is judged by the ledger.
    var isPaidAtAnyAge: Bool {
        obstacle == .purchaseBeforeOrder && (obstacleAtAnyAge == nil || obstacleAtAnyAge == .ownerMismatch)
    }

    package static func == (left: Candidate, right: Candidate) -> Bool {
        left === right
            || left.transaction == right.transaction && left.kind == right.kind && left.obstacle == right.obstacle
                && left.obstacleAtAnyAge == right.obstacleAtAnyAge && left.isConfirmed == right.isConfirmed
                && left.signedAt == right.signedAt && left.mayBeAnotherOrders == right.mayBeAnotherOrders
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(transaction)
        hasher.combine(kind)
        hasher.combine(obstacle)
    }
}
