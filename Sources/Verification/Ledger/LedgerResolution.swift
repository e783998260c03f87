// SPDX-License-Identifier: Apache-2.0

/// What becomes of an order, and of every payment that its proof shows, once the ledger was asked.
package struct LedgerResolution: Hashable, Sendable {
    package var outcome: OrderOutcome

    /// Payments that the ledger doesn't hold and that aren't granted here.
    package var unclaimed: [UnclaimedTransaction] = []

    /// Candidates that are payments of the ledger, or of this resolution's grant, under another transaction id: that id
    /// belongs to the grant with their key, or to the one that knows the original transaction which that key names.
    package var knownAgain: [Candidate] = []

    /// Candidates that the ledger knows to be taken back, and their proof doesn't: kept for a reversal.
    package var takenBack: [Candidate] = []

    /// Decides between the candidates of a proof by what the ledger says of each.
    ///
    /// Every candidate ends in exactly one way: granted here to this order or to its own, held by the ledger, taken back, or unclaimed with a
    /// reason. An order that is paid, refunded or cancelled stays as it is. So does an order that isn't fulfilled
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
        resolution.knownAgain += examined.filter(\.isKnownUnderAnotherID).map(\.candidate)
        resolution.takenBack = examined.filter(\.isTakenBackByAnotherProof).map(\.candidate)
        return resolution
    }

    /// What pays for the order comes first, then what pays for another order of the account.
    private static func decide(_ examined: [Examined], order: Order) -> LedgerResolution {
        let state = examined[0].facts.orderState
        let payment = examined.first { if case .paidThisOrder = $0.standing { true } else { false } }
        let isOver = payment != nil || !state.canBeFulfilled
        let grantable = examined.first { if case .free = $0.standing { true } else { false } }
        if let grantable, !isOver { return grant(grantable.candidate, of: examined) }

        let resolution =
            isOver ? leave(state, paidBy: payment?.candidate, examined, order: order) : refuse(examined, order: order)
        return grantOwn(examined, orElse: resolution)
    }

    /// The order stays as it is; what else was paid is unclaimed.
    private static func leave(
        _ state: OrderState, paidBy payment: Candidate?, _ examined: [Examined], order: Order
    ) -> LedgerResolution {
        let original = examined[0].facts.orderOriginalTransactionID
        let unclaimed = examined.filter(\.standing.isUnclaimed).map { other in
            // What was bought after the order's refund renews nothing that anybody has.
            let isAnew = state == .refunded && other.facts.originalWasRevokedBefore
            let isRenewal = !isAnew && other.candidate.isRenewal(of: original, after: payment)
            let reason: Reason =
                switch (payment, state) {
                case _ where other.facts.isRenewal: .renewal
                case _ where other.candidate.isForAnotherProduct(than: order): other.candidate.obstacle ?? .wrongProduct
                case (nil, .cancelled): .orderCancelled
                case _ where isRenewal: .renewal
                case (nil, _): .orderAlreadyPaid
                case (.some, _): .noOrder
                }
            return UnclaimedTransaction(other.candidate.transaction, reason: reason)
        }
        return LedgerResolution(outcome: .unchanged, unclaimed: unclaimed)
    }

    /// One candidate pays for the order; the others are the same payment under another id, or unclaimed.
    private static func grant(_ payment: Candidate, of examined: [Examined]) -> LedgerResolution {
        var resolution = LedgerResolution(outcome: .fulfilled(payment))
        for other in examined where other.standing.isUnclaimed && other.candidate.transaction != payment.transaction {
            if other.candidate.key == payment.key && !other.facts.originalWasRevokedBefore {
                resolution.knownAgain.append(other.candidate)
            } else {
                let isRenewal = other.candidate.isRenewal(of: payment.transaction.originalID, after: payment)
                resolution.unclaimed.append(
                    UnclaimedTransaction(other.candidate.transaction, reason: isRenewal ? .renewal : .noOrder)
                )
            }
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
            granting.unclaimed.removeAll { other in names.contains { $0.transaction == other.transaction } }
            granting.knownAgain += names.filter { $0.transaction != one.candidate.transaction }
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
        if let first = unclaimed.first(where: { $0.reason != .renewal }) {
            return LedgerResolution(outcome: .review(first.reason, first.transaction.id), unclaimed: unclaimed)
        }
        if let renewal = unclaimed.first {
            return LedgerResolution(outcome: .anotherPayment(renewal.transaction), unclaimed: unclaimed)
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

    var isTakenBackByAnotherProof: Bool {
        guard case .takenBack = standing else { return false }
        return !candidate.transaction.isRefunded
    }

    /// Whether the grant that holds it was made for another transaction id.
    var isKnownUnderAnotherID: Bool {
        guard let holder = facts.holder else { return false }
        switch standing {
        case .paidThisOrder, .paidAnotherOrder: return holder.transactionID != candidate.transaction.id
        case .ownOrder, .renewal, .takenBack, .blocked, .free: return false
        }
    }
}

extension Candidate {
    fileprivate func isForAnotherProduct(than order: Order) -> Bool { transaction.productID != order.productID }

    /// Whether it pays for a further period of a subscription, one of which is known to be paid.
    ///
    /// Without the payment at hand any other period counts.
    fileprivate func isRenewal(of original: TransactionID?, after payment: Candidate?) -> Bool {
        guard kind == .autoRenewable, transaction.originalID == original else { return false }
        return payment.map { $0.transaction.precedes(transaction) } ?? true
    }
}
