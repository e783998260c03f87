// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A verified payment that isn't granted, or another name of one that is, and why it is kept.
package struct KeptPayment: Hashable, Sendable {
    package enum Role: Hashable, Sendable {
        /// The ledger doesn't hold it.
        case unclaimed(Reason)
        /// It is a payment of the ledger, or of this resolution's grant, under another transaction id: that id belongs to the grant
        /// with its key, or to the one that knows the original transaction which that key names.
        case restored
        /// It was refunded. A reversal makes it unclaimed.
        case refunded
    }

    package let transaction: Transaction
    package let role: Role

    /// The number of the policy under which it would pay for a new order of what was paid; nil where it would not, or nobody knows.
    package let fitsUnder: Int?

    package init(_ transaction: Transaction, as role: Role, fitsUnder: Int? = nil) {
        self.transaction = transaction
        self.role = role
        self.fitsUnder = fitsUnder
    }

    package init(_ unclaimed: UnclaimedTransaction) {
        self.init(unclaimed.transaction, as: .unclaimed(unclaimed.reason))
    }
}

/// What becomes of an order, and of every payment that its proof shows, once the ledger was asked.
package struct LedgerResolution: Hashable, Sendable {
    package var outcome: OrderOutcome

    /// Payments of the proof that aren't granted here. Those that the ledger holds under the same id are left out.
    package var kept: [KeptPayment] = []

    /// Whether the proof shows that a part of a payment was refunded which the ledger holds as granted.
    package var showsPartlyRefundedGrant = false

    /// Decides between the candidates of a proof by what the ledger says of each.
    ///
    /// Every candidate ends in exactly one way: granted here to this order or to its own, held by the ledger, taken back, or unclaimed
    /// with a reason. An order that is paid, refunded or cancelled stays as it is. So does an order that isn't fulfilled
    /// though the ledger holds its payment: a second grant is impossible and the first stands; a check of the ledger
    /// finds it.
    ///
    /// - Parameters:
    ///   - candidates: of one proof, best first; never empty.
    ///   - facts: what the ledger says of each candidate, read with the order locked; as many as candidates.
    package static func resolve(
        _ candidates: [Candidate], facts: [LedgerFacts], order: Order
    ) -> LedgerResolution {
        precondition(!candidates.isEmpty, "A proof without candidates has nothing to ask the ledger for.")
        precondition(candidates.count == facts.count, "Every candidate has its facts.")

        let examined = zip(candidates, facts).map { candidate, facts in
            Examined(
                candidate: candidate, facts: facts,
                standing: LedgerStanding(candidate, facts: facts, order: order))
        }
        var resolution = decide(examined, order: order)
        resolution.kept += examined.compactMap(\.keptAsKnown)
        resolution.showsPartlyRefundedGrant = examined.contains {
            $0.facts.holder != nil && $0.candidate.transaction.isPartlyRefunded
        }
        return resolution
    }

    /// A payment for the order comes first. A payment for another order of the account comes next.
    private static func decide(_ examined: [Examined], order: Order) -> LedgerResolution {
        let state = examined[0].facts.orderState ?? order.state
        let payment = examined.first { if case .paidThisOrder = $0.standing { true } else { false } }
        let isOver = payment != nil || !state.canBeFulfilled
        let grantable = examined.first { if case .free = $0.standing { true } else { false } }
        if let grantable, !isOver { return grant(grantable.candidate, of: examined) }

        let resolution =
            isOver ? leave(state, isPaid: payment != nil, examined, order: order) : refuse(examined, order: order)
        return grantOwn(examined, orElse: resolution)
    }

    /// The order stays as it is; what else was paid is unclaimed.
    private static func leave(
        _ state: OrderState, isPaid: Bool, _ examined: [Examined], order: Order
    ) -> LedgerResolution {
        let kept = examined.filter(\.standing.isUnclaimed).map { other in
            let reason: Reason =
                switch (isPaid, state) {
                case _ where other.facts.isRenewal: .renewal
                case _ where other.candidate.isForAnotherProduct(than: order): other.candidate.obstacle ?? .wrongProduct
                case (false, .cancelled): .orderCancelled
                case (false, _): .orderAlreadyPaid
                case (true, _): .noOrder
                }
            return KeptPayment(other.candidate.transaction, as: .unclaimed(other.ownReason ?? reason))
        }
        return LedgerResolution(outcome: .unchanged, kept: kept)
    }

    /// One candidate pays for the order; the others are the same payment under another id, or unclaimed.
    private static func grant(_ payment: Candidate, of examined: [Examined]) -> LedgerResolution {
        var resolution = LedgerResolution(outcome: .fulfilled(payment))
        for other in examined where other.standing.isUnclaimed && other.candidate.transaction != payment.transaction {
            let isSamePayment = other.candidate.key == payment.key && !other.facts.originalWasRevokedBefore
            let reason = other.ownReason ?? (other.facts.isRenewal || other.renews(payment) ? .renewal : .noOrder)
            resolution.kept.append(
                KeptPayment(other.candidate.transaction, as: isSamePayment ? .restored : .unclaimed(reason)))
        }
        return resolution
    }

    /// A candidate that was made for another order pays for that one; the others end as they would without it.
    private static func grantOwn(_ examined: [Examined], orElse resolution: LedgerResolution) -> LedgerResolution {
        for one in examined {
            guard case .ownOrder(let own) = one.standing else { continue }
            let names = examined.filter { other in
                if case .ownOrder = other.standing { other.candidate.key == one.candidate.key } else { false }
            }.map(\.candidate)
            var granting = resolution
            granting.outcome = .paidAnother(own, by: one.candidate)
            granting.kept.removeAll { other in names.contains { $0.transaction == other.transaction } }
            granting.kept += names.filter { $0.transaction != one.candidate.transaction }
                .map { KeptPayment($0.transaction, as: .restored) }
            return granting
        }
        return resolution
    }

    /// No candidate pays for the order: the best answer that they leave.
    ///
    /// A payment that a person may still accept outweighs a replay, a replay by the same account one by another (the
    /// client may then finish its transaction), and any replay a refund.
    private static func refuse(_ examined: [Examined], order: Order) -> LedgerResolution {
        let unclaimed = examined.compactMap { other -> UnclaimedTransaction? in
            switch other.standing {
            case .blocked(let reason): UnclaimedTransaction(other.candidate.transaction, reason: reason)
            case .ownOrder: UnclaimedTransaction(other.candidate.transaction, reason: other.candidate.obstacle ?? .noOrder)
            case .renewal: UnclaimedTransaction(other.candidate.transaction, reason: .renewal)
            case .paidThisOrder, .paidAnotherOrder, .takenBack, .free: nil
            }
        }
        let kept = unclaimed.map { KeptPayment($0) }
        if let first = unclaimed.first(where: { $0.reason != .renewal }) {
            return LedgerResolution(outcome: .review(first.reason, first.transaction.id), kept: kept)
        }
        if let renewal = unclaimed.first {
            return LedgerResolution(outcome: .anotherPayment(renewal.transaction), kept: kept)
        }
        if let replay = replay(examined, order: order) { return LedgerResolution(outcome: replay) }
        // What another account was paid back doesn't end this order.
        guard let refunded = examined.first(where: { !$0.facts.isAnotherAccounts }) else {
            return LedgerResolution(outcome: .review(.ownerMismatch, examined[0].candidate.transaction.id))
        }
        // Nor does the refund of something else.
        let transaction = refunded.candidate.transaction
        return LedgerResolution(
            outcome: refunded.candidate.isForAnotherProduct(than: order) ? .anotherPayment(transaction) : .refunded(transaction))
    }

    /// The answer to a proof whose payments the ledger knows; nil when it holds none of them.
    private static func replay(_ examined: [Examined], order: Order) -> OrderOutcome? {
        var isHeldElsewhere = false
        for replayed in examined {
            guard case .paidAnotherOrder(let holder) = replayed.standing else { continue }
            guard holder.accountID == order.accountID else {
                isHeldElsewhere = true
                continue
            }
            if replayed.candidate.isForAnotherProduct(than: order) { return .anotherPayment(replayed.candidate.transaction) }
            let id = replayed.candidate.transaction.id
            let isRestore = replayed.candidate.kind.isKeyedByOriginal && id != holder.transactionID
            return .rejected(isRestore ? .alreadyOwned : .alreadyGranted, id)
        }
        return isHeldElsewhere ? .rejected(.grantedToAnotherAccount, nil) : nil
    }
}

/// A candidate with all that is known of it.
private struct Examined {
    let candidate: Candidate
    let facts: LedgerFacts
    let standing: LedgerStanding

    /// Why it is unclaimed whatever became of its order: it is another account's, or in doubt. Nil where that depends on the order.
    /// Such a payment renews nothing, and no further order pays for it.
    var ownReason: Reason? {
        if facts.isAnotherAccounts { return .ownerMismatch }
        if candidate.obstacle == .unsupportedYet { return .unsupportedYet }
        if facts.isAddition || candidate.transaction.additionalReason != nil { return .seatsAdded }
        return candidate.obstacle == .partlyRefunded || candidate.obstacle == .beforeLedger ? candidate.obstacle : nil
    }

    /// Whether it is a further period of the subscription that pays here, which the ledger doesn't hold yet: by Apple's word, and
    /// without it by the time. `renewed_account.sql` has the same rule for periods that the ledger holds.
    func renews(_ payment: Candidate) -> Bool {
        let (paid, later) = (payment.transaction, candidate.transaction)
        guard candidate.kind == .autoRenewable, later.originalID == paid.originalID, paid.purchaseDate < later.purchaseDate else {
            return false
        }
        switch later.purchaseReason ?? facts.purchaseReason {
        case .purchase: return false
        case .renewal: return true
        case nil: return paid.expiresDate.map { later.purchaseDate <= $0.addingTimeInterval(Transaction.renewalWindow) } ?? true
        }
    }

    /// How it is kept where the ledger knows it already. Nil where it is granted under the same id, or its own proof shows the refund.
    var keptAsKnown: KeptPayment? {
        let transaction = candidate.transaction
        return switch standing {
        case .paidThisOrder, .paidAnotherOrder:
            facts.holder?.transactionID == transaction.id ? nil : KeptPayment(transaction, as: .restored)
        case .takenBack: transaction.isRefunded ? nil : KeptPayment(transaction, as: .refunded)
        case .ownOrder, .renewal, .blocked, .free: nil
        }
    }
}

extension Candidate {
    fileprivate func isForAnotherProduct(than order: Order) -> Bool { transaction.productID != order.productID }
}
