// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Sets the verified transactions of a proof against an order.
///
/// It sorts the transactions, and offers those that may pay. The caller's word is only compared with what Apple says: product, app,
/// environment and quantity come from the transactions. What stands against each, ``Fit`` says; the ledger isn't asked here, but in
/// the settlement (``Choice``).
///
/// A class, because its closures would copy the order a dozen times.
package final class OrderMatching {
    private let order: Order
    private let policy: AppPolicy
    private let hint: TransactionID?
    private let contents: ProofContents
    private let awaitsHinted: Bool

    /// Whether the proof is a receipt: it may hold old purchases, and lack the new one.
    private let isReceipt: Bool

    /// Whether Apple confirmed the transactions just now.
    private let isConfirmed: Bool

    private let signedAt: Date?

    /// Whether the proof alone shows that its sender has the purchase.
    private let provesPossession: Bool

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
    /// unrevoked transaction of the order's app is a candidate or among the others, unless it is a sandbox purchase that the
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
        var offered: Set<TransactionID> = []
        if case .candidates(let candidates) = verdict { offered.formUnion(candidates.lazy.map(\.transaction.id)) }
        let leftOut = (contents.paid + contents.paidForOthers).filter { !offered.contains($0.id) }
        return Judgement(
            verdict: verdict, others: leftOut.map(shown), revoked: contents.revoked, unstorable: contents.unstorable,
            shared: shared.map(shown), note: note(on: verdict))
    }

    private var shared: [Transaction] {
        let meant = contents.paidByOthers.filter { mayBeMeant($0) }
        return meant + contents.paidByOthers.filter { !mayBeMeant($0) } + contents.sharedForOthers
    }

    /// Whoever only knows an id gets what it pays for, or a person's attention; the payment isn't kept as unclaimed under an
    /// account that may have nothing to do with it.
    private func judgement(ofBareID verdict: Verdict) -> Judgement {
        var verdict = verdict
        if case .candidates(let candidates) = verdict, !candidates[0].transaction.isRefunded,
            let objection = objections(to: candidates[0]).first
        {
            verdict = .review(objection.reason)
        }
        return Judgement(
            verdict: verdict, revoked: contents.revoked, unstorable: contents.unstorable, note: note(on: verdict))
    }

    /// An unknown ownership is the only fact that leads to this review, and isn't kept with a payment.
    private func note(on verdict: Verdict) -> String? {
        guard verdict == .review(.unknownAnswer), contents.unstorable.isEmpty else { return nil }
        return contents.ofUnknownOwnership.isEmpty ? nil : "its inAppOwnershipType: " + Objection.unknownOwnership.description
    }

    private func verdict(offering candidates: [ShownPayment]) -> Verdict {
        if contents.isOfAnotherApp { return .rejected(.wrongApp) }
        if contents.isDeniedSandbox { return .rejected(.sandboxNotAllowed) }

        // A purchase from before the order says nothing of it, taken back or not, unless the client named it.
        let refunded = contents.takenBack.filter { !predatesOrder($0) || !isReceipt && isHinted($0) }
        if let named = refunded.first(where: { isHinted($0) }), !contents.paid.contains(where: { isHinted($0) }) {
            return .candidates([shown(named)])
        }
        if !candidates.isEmpty {
            return lacksHinted && candidates.allSatisfy { kind(of: $0.transaction) ?? .consumable == .consumable }
                ? .missing : .candidates(candidates)
        }
        // What became of another purchase says nothing of the one that the client named.
        if lacksHinted { return .missing }
        // It may be the payment, and is kept nowhere but in the proof.
        if !contents.unstorable.isEmpty { return .review(.unknownAnswer) }
        // The settlement says what another owner's means, for the ledger may know it.
        if let only = refunded.first(where: { !$0.bearsAnotherToken(than: order) }) ?? refunded.first {
            return .candidates([shown(only)])
        }
        if !isReceipt && !contents.takenBack.isEmpty { return .review(.purchaseBeforeOrder) }
        if contents.ofUnknownOwnership.contains(where: { mayBeMeant($0) }) { return .review(.unknownAnswer) }
        if contents.paid.isEmpty, let unpaid = contents.paidByOthers.first(where: { mayBeMeant($0) }) {
            return .rejected(Objection.paidBySomebodyElse(unpaid.ownership).reason)
        }
        return isReceipt || !contents.showsAnything ? .missing : verdictOnAnotherProduct()
    }

    /// The ledger may know the payment, or the order that it was made for.
    private func verdictOnAnotherProduct() -> Verdict {
        guard provesPossession else { return .rejected(.wrongProduct) }
        if !contents.paidForOthers.isEmpty { return .candidates(contents.paidForOthers.map(shown)) }
        if let refunded = contents.takenBackForOthers.first { return .candidates([shown(refunded)]) }
        return .rejected(.wrongProduct)
    }

    /// Whether a transaction is what the client uploaded the proof for: a receipt keeps many from before the order.
    private func mayBeMeant(_ transaction: Transaction) -> Bool {
        !isReceipt || !predatesOrder(transaction) || isHinted(transaction)
    }

    /// The payments that may pay for the order, best first.
    ///
    /// Receipts keep old purchases for years, and those say nothing about a new order: one from before the order is
    /// offered only when the client named it, when it is the same payment as one that is offered, or, with nothing
    /// better in the receipt, when its product is bought for good: then the ledger can tell that the customer owns it.
    private func offeredCandidates() -> [ShownPayment] {
        guard contents.paid.count > 1 else { return offered(contents.paid.map(shown)) }
        let candidates = contents.paid.map { transaction in
            let payment = shown(transaction)
            return (payment, isClear: !transaction.bearsAnotherToken(than: order) && objections(to: payment).isEmpty)
        }
        return offered(candidates.sorted(by: isPreferred).map(\.0))
    }

    private func offered(_ candidates: [ShownPayment]) -> [ShownPayment] {
        guard isReceipt else { return candidates }
        let current = Set(candidates.filter { !predatesOrder($0.transaction) }.map { PaymentFacts($0).key })
        return candidates.filter { candidate in
            if current.contains(PaymentFacts(candidate).key) || isHinted(candidate.transaction) { return true }
            return current.isEmpty && kind(of: candidate.transaction)?.isKeyedByOriginal == true
        }
    }

    /// Whether a receipt is older than the purchase that the client named.
    private var lacksHinted: Bool {
        isReceipt && awaitsHinted && hint != nil && !contents.showsHinted
    }

    /// Candidates that nothing stands in the way of come first, then those that the client named, then the oldest.
    private func isPreferred(_ left: (ShownPayment, isClear: Bool), over right: (ShownPayment, isClear: Bool)) -> Bool {
        if left.isClear != right.isClear { return left.isClear }
        let (one, other) = (left.0.transaction, right.0.transaction)
        if isHinted(one) != isHinted(other) { return isHinted(one) }
        return one.precedes(other)
    }

    private func isHinted(_ transaction: Transaction) -> Bool {
        transaction.isNamed(by: hint)
    }

    // MARK: One payment

    private func shown(_ transaction: Transaction) -> ShownPayment {
        ShownPayment(
            transaction, listedKind: order.listedKind(of: transaction.productID), isConfirmed: isConfirmed,
            provesPossession: provesPossession, signedAt: signedAt, isReceipt: isReceipt)
    }

    private func objections(to payment: ShownPayment) -> [Objection] {
        Fit.objectionsInAnyState(to: PaymentFacts(payment), for: order, under: policy)
    }

    private func kind(of transaction: Transaction) -> ProductKind? { PaymentFacts(shown(transaction)).kind }

    private func predatesOrder(_ transaction: Transaction) -> Bool {
        PaymentFacts(shown(transaction)).predates(order, under: policy)
    }
}
