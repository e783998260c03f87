// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Sets the verified transactions of a proof against an order.
///
/// The caller's word is only compared with what Apple says: product, app, environment and quantity come from the
/// transactions. The ledger isn't asked here; what it holds is decided by ``LedgerResolution``.
///
/// A class, because its closures would copy the order a dozen times.
package final class OrderMatching {
    let order: Order
    let policy: AppPolicy
    let hint: TransactionID?
    let contents: ProofContents
    private let awaitsHinted: Bool

    /// Whether the proof is a receipt: it may hold old purchases, and lack the new one.
    private let isReceipt: Bool

    /// Whether Apple confirmed the transactions just now.
    let isConfirmed: Bool

    let signedAt: Date?

    /// Whether the proof alone shows that its sender has the purchase.
    let provesPossession: Bool

    private init(
        _ transactions: VerifiedTransactions, order: Order, policy: AppPolicy, hint: TransactionID?, awaitsHinted: Bool
    ) {
        self.order = order
        self.policy = policy
        self.hint = hint
        self.awaitsHinted = awaitsHinted
        contents = ProofContents(transactions, order: order, policy: policy, hint: hint)
        isReceipt = transactions.mayBeIncomplete
        isConfirmed = transactions.isConfirmed
        signedAt = transactions.signedAt
        provesPossession = transactions.provesPossession
    }

    /// Judges what a genuine proof means for `order`.
    ///
    /// The same arguments always give the same judgement, in whatever order the transactions come. Every paid,
    /// unrevoked transaction of the order's app is a candidate or unclaimed, unless it is a sandbox purchase that the
    /// policy denies: nobody paid for that, nor for a family member's or an assigned seat. One that the database can't keep is
    /// neither.
    ///
    /// - Parameters:
    ///   - hint: the transaction that the client named, by its id or its original id (StoreKit 1's id may be either).
    ///     It chooses among transactions that are all genuine, and proves nothing.
    ///   - awaitsHinted: whether a receipt that lacks what the client named is taken for an old one. Where others in it may pay,
    ///     only if those are consumables: of all others a restore shows under another id what the client names.
    package static func judge(
        _ transactions: VerifiedTransactions, for order: Order, policy: AppPolicy, hint: TransactionID?, awaitsHinted: Bool = true
    ) -> Judgement {
        OrderMatching(transactions, order: order, policy: policy, hint: hint, awaitsHinted: awaitsHinted).judgement()
    }

    private func judgement() -> Judgement {
        let verdict = verdict(offering: offeredCandidates())
        guard provesPossession else { return judgement(ofBareID: verdict) }
        var leftOut = contents.paid
        var leftOutOfOthers = contents.paidForOthers
        if case .candidates(let candidates) = verdict {
            if candidates.count == leftOut.count && leftOutOfOthers.isEmpty {
                // Each of them is one of those that were paid.
                leftOut = []
            } else {
                let offered = Set(candidates.map(\.transaction.id))
                leftOut.removeAll { offered.contains($0.id) }
                leftOutOfOthers.removeAll { offered.contains($0.id) }
            }
        }
        return Judgement(
            verdict: verdict,
            unclaimed: leftOut.map { UnclaimedTransaction($0, reason: doubt(about: $0) ?? .noOrder) }
                + leftOutOfOthers.map {
                    UnclaimedTransaction($0, reason: doubt(about: $0) ?? (isReceipt ? .noOrder : .wrongProduct))
                },
            revoked: contents.revoked, unstorable: contents.unstorable
        )
    }

    /// Whoever only knows an id gets what it pays for, or a person's attention; the payment isn't kept as unclaimed under an
    /// account that may have nothing to do with it.
    private func judgement(ofBareID verdict: Verdict) -> Judgement {
        if case .candidates(let candidates) = verdict, let obstacle = candidates[0].obstacle {
            return judgement(of: .review(obstacle))
        }
        return judgement(of: verdict)
    }

    /// Without any payment that is kept.
    private func judgement(of verdict: Verdict) -> Judgement {
        Judgement(verdict: verdict, revoked: contents.revoked, unstorable: contents.unstorable)
    }

    private func verdict(offering candidates: [Candidate]) -> Verdict {
        if contents.isOfAnotherApp { return .rejected(.wrongApp) }
        if contents.isDeniedSandbox { return .rejected(.sandboxNotAllowed) }

        // A purchase from before the order says nothing of it, taken back or not, unless the client named it.
        let refunded = contents.takenBack.filter { !predatesOrder($0) || !isReceipt && isHinted($0) }
        if let named = refunded.first(where: { isHinted($0) }), !contents.paid.contains(where: { isHinted($0) }) {
            return .refunded(named)
        }
        if !candidates.isEmpty {
            return lacksHinted && candidates.allSatisfy { $0.kind == .consumable } ? .missing : .candidates(candidates)
        }
        // What became of another purchase says nothing of the one that the client named.
        if lacksHinted { return .missing }
        // It may be the payment, and is kept nowhere but in the proof.
        if !contents.unstorable.isEmpty { return .review(.unknownAnswer) }
        // The settlement says what another owner's means, for the ledger may know it.
        if let only = refunded.first(where: { !$0.bearsAnotherToken(than: order) }) ?? refunded.first { return .refunded(only) }
        if !isReceipt && !contents.takenBack.isEmpty { return .review(.purchaseBeforeOrder) }
        if contents.ofUnknownOwnership.contains(where: { mayBeMeant($0) }) { return .review(.unknownAnswer) }
        if contents.paid.isEmpty, let unpaid = contents.paidByOthers.first(where: { mayBeMeant($0) }) {
            return .rejected(unpaid.ownership == .assigned ? .assignedSeat : .familyShared)
        }
        return isReceipt || !contents.showsAnything ? .missing : verdictOnAnotherProduct()
    }

    /// The ledger may know the payment, or the order that it was made for.
    private func verdictOnAnotherProduct() -> Verdict {
        guard provesPossession else { return .rejected(.wrongProduct) }
        if !contents.paidForOthers.isEmpty { return .candidates(contents.paidForOthers.map { candidate($0) }) }
        if let refunded = contents.takenBackForOthers.first { return .refunded(refunded) }
        return .rejected(.wrongProduct)
    }

    /// Whether a transaction is what the client uploaded the proof for: a receipt keeps many from before the order.
    private func mayBeMeant(_ transaction: Transaction) -> Bool {
        !isReceipt || !predatesOrder(transaction) || isHinted(transaction)
    }

    /// The transactions that may pay for the order, best first.
    ///
    /// Receipts keep old purchases for years, and those say nothing about a new order: one from before the order is
    /// offered only when the client named it, when it is the same payment as one that is offered, or, with nothing
    /// better in the receipt, when its product is bought for good: then the ledger can tell that the customer owns it.
    private func offeredCandidates() -> [Candidate] {
        var candidates = contents.paid.map { candidate($0) }
        if candidates.count > 1 { candidates.sort { isPreferred($0, over: $1) } }
        guard isReceipt else { return candidates }

        let current = Set(candidates.filter { !predatesOrder($0.transaction) }.map(\.key))
        return candidates.filter { candidate in
            if current.contains(candidate.key) || isHinted(candidate.transaction) { return true }
            return current.isEmpty && candidate.kind.isKeyedByOriginal
        }
    }

    /// Whether a receipt is older than the purchase that the client named.
    private var lacksHinted: Bool {
        isReceipt && awaitsHinted && hint != nil && !contents.showsHinted
    }

    /// Candidates that nothing stands in the way of come first, then those that the client named, then the oldest.
    private func isPreferred(_ left: Candidate, over right: Candidate) -> Bool {
        if (left.obstacle == nil) != (right.obstacle == nil) { return left.obstacle == nil }
        if isHinted(left.transaction) != isHinted(right.transaction) { return isHinted(left.transaction) }
        return left.transaction.precedes(right.transaction)
    }

    private func isHinted(_ transaction: Transaction) -> Bool {
        transaction.isNamed(by: hint)
    }
}
