// SPDX-License-Identifier: Apache-2.0

/// One payment of a proof, with what stands against it for an order.
struct WeighedPayment {
    let facts: PaymentFacts
    let objections: [Objection]

    /// Why a proof of nothing else is rejected. Such a payment isn't kept.
    let rejection: Reason?

    /// The order that was granted it.
    let holder: LedgerFacts.Holder?
    let isTakenBack: Bool

    /// Whether it is for another product than the order.
    let isForAnotherProduct: Bool

    /// Whether it renews a subscription of the order's account.
    let isRenewal: Bool

    /// Why it is kept whatever became of its order: the heaviest objection that no order changes.
    let doubt: Reason?

    /// The account's older order that it pays for.
    let ownOrder: OrderID?

    /// Whether the client named it beside a proof that is no receipt.
    let isNamed: Bool

    /// Whether it is kept. Anybody may know an id: what a bare one shows is kept only with the order's token.
    private let isKept: Bool

    /// The number of the policy under which it pays for a new order.
    private let fitsUnder: Int?

    init(_ facts: PaymentFacts, for order: Order, under policy: AppPolicy, as proof: ProofTraits) {
        let objections = Fit.objections(to: facts, for: order, under: policy)
        self.facts = facts
        self.objections = objections
        isForAnotherProduct = facts.isForAnotherProduct(than: order)
        let isBare = !facts.shown.provesPossession
        let heldBy = facts.ledger?.holder
        rejection =
            isBare && isForAnotherProduct ? .wrongProduct : heldBy == nil ? objections.first(where: \.rejects)?.reason : nil
        holder = rejection == nil ? heldBy : nil
        isTakenBack = rejection == nil && heldBy == nil && objections.contains(.takenBack)
        isRenewal = Fit.isRenewal(facts, of: order.accountID)
        doubt = objections.first { $0.scope == .payment }?.reason
        isNamed = !facts.shown.isReceipt && facts.transaction.isNamed(by: proof.hint)
        isKept = objections.allSatisfy(\.isKept) && (!isBare || facts.token != nil && facts.token == order.appAccountToken)
        fitsUnder = Fit.wouldPayANewOrder(facts, shownFor: order, under: policy, objections) ? policy.number : nil

        // `order_again` named the order that shows it: an order that it is too old for, but for its first showing.
        let wasAskedFor = objections.isEmpty && facts.predates(order, under: policy)
        ownOrder = doubt == nil && !wasAskedFor ? facts.ledger?.ownOrder : nil
    }

    var transaction: Transaction { facts.transaction }

    /// Whether it paid for nothing, and wasn't taken back.
    var isUnclaimed: Bool { rejection == nil && holder == nil && !isTakenBack }

    /// Whether it pays for the order.
    var pays: Bool { objections.isEmpty && ownOrder == nil }

    /// Whether it renews a subscription of another product: the order doesn't go to review for it.
    var isAnotherRenewal: Bool { isRenewal && isForAnotherProduct && yieldsToARenewal }

    /// Whether it is called a renewal, if it is one: nothing graver than its age and its kind stands against it, whatever is
    /// ordered.
    var yieldsToARenewal: Bool { objections.allSatisfy { $0.scope != .payment || $0.yieldsToARenewal } }

    /// Why an order that can be paid isn't paid by it.
    var reason: Reason? {
        objections.first { !$0.isOfAnOrderThatIsOver }?.reason
    }

    /// How it is kept by a reason; nil where it isn't.
    func kept(as reason: Reason) -> KeptPayment? {
        isKept ? KeptPayment(transaction, as: .unclaimed(reason), fitsUnder: fitsUnder) : nil
    }
}

/// Decides between the payments of one proof.
struct Choosing {
    let payments: [WeighedPayment]
    let others: [WeighedPayment]
    let order: Order
    let proof: ProofTraits

    /// A payment for the order comes first, a payment for another order of the account next.
    func choice() -> Choice {
        let state = payments[0].facts.ledger?.orderState ?? order.state
        let isPaid = payments.contains { $0.holder?.orderID == order.id }
        let isOver = isPaid || !state.canBeFulfilled
        let payer = isOver ? nil : payments.first(where: \.pays)
        let own = payer == nil ? payments.first { $0.isUnclaimed && $0.ownOrder != nil } : nil

        var choice =
            if let payer {
                grant(payer)
            } else if isOver {
                leave(state, isPaid: isPaid)
            } else {
                refuse()
            }
        if let own { payAnother(own, instead: &choice) }
        choice.kept += keepOthers(beside: payer ?? own) + keepKnown()
        choice.outcome = answered(choice.outcome)
        return choice
    }

    // MARK: The order

    /// One payment pays for the order; the others are the same payment under another id, or unclaimed.
    private func grant(_ payer: WeighedPayment) -> Choice {
        let others = payments.filter { $0.isUnclaimed && $0.transaction != payer.transaction }
        return Choice(
            outcome: .fulfilled(payer.facts),
            kept: others.compactMap { other in
                let isSamePayment = other.facts.key == payer.facts.key && !other.objections.contains(.boughtAgain)
                if isSamePayment { return KeptPayment(other.transaction, as: .restored) }
                return other.kept(as: other.doubt ?? (renews(other, payer) ? .renewal : .noOrder))
            })
    }

    /// The order stays as it is; what else was paid is unclaimed.
    private func leave(_ state: OrderState, isPaid: Bool) -> Choice {
        let kept = payments.filter(\.isUnclaimed).compactMap { other in
            let circumstance: Reason =
                switch (isPaid, state) {
                case _ where other.isRenewal: .renewal
                case _ where other.isForAnotherProduct: .wrongProduct
                case (true, _): .noOrder
                case (false, .cancelled): .orderCancelled
                case (false, _): .orderAlreadyPaid
                }
            return other.kept(as: other.doubt ?? circumstance)
        }
        return Choice(outcome: .unchanged, kept: kept)
    }

    /// A payment that was made for another order pays for that one; the others end as they would without it.
    private func payAnother(_ payer: WeighedPayment, instead choice: inout Choice) {
        guard let ownOrder = payer.ownOrder else { return }
        let names = payments.filter { $0.isUnclaimed && $0.ownOrder != nil && $0.facts.key == payer.facts.key }
        choice.outcome = .paidAnother(ownOrder, by: payer.facts)
        choice.kept.removeAll { kept in names.contains { $0.transaction == kept.transaction } }
        // What no order claims renews the subscription that is paid there.
        let unordered: [KeptPayment.Role] = [
            .unclaimed(.noOrder), .unclaimed(.wrongProduct), .unclaimed(.orderAlreadyPaid), .unclaimed(.orderCancelled),
        ]
        let renewals = payments.filter { $0.isUnclaimed && $0.doubt == nil && $0.facts.renews(payer.facts) }
        choice.kept = choice.kept.map { kept in
            guard unordered.contains(kept.role), let renewal = renewals.first(where: { $0.transaction == kept.transaction })
            else { return kept }
            return renewal.kept(as: .renewal) ?? kept
        }
        choice.kept += names.filter { $0.transaction != payer.transaction }.map { KeptPayment($0.transaction, as: .restored) }
    }

    /// No payment pays for the order: the best answer that they leave.
    ///
    /// A payment that a person may still accept outweighs a replay, a replay by the same account one by another (the client may
    /// then finish its transaction), any replay a refund, and a refund what nobody of the account paid for.
    private func refuse() -> Choice {
        let unclaimed = payments.filter(\.isUnclaimed)
        let kept = unclaimed.compactMap { other in
            other.kept(as: other.isAnotherRenewal ? .renewal : other.doubt ?? other.reason ?? .noOrder)
        }
        let outcome: OrderOutcome =
            if let first = unclaimed.first(where: { !$0.isAnotherRenewal }) {
                .review(first.reason ?? .noOrder, first.transaction.id)
            } else if let renewal = unclaimed.first {
                .anotherPayment(renewal.transaction)
            } else if let replay = replay() {
                replay
            } else if let refund = refund() {
                refund
            } else {
                // None of them is unclaimed, held or taken back: each has its rejection.
                .rejected(payments.compactMap(\.rejection)[0], nil)
            }
        return Choice(outcome: outcome, kept: kept)
    }

    /// The answer to a proof whose payments the ledger has granted; nil when it has granted none of them.
    private func replay() -> OrderOutcome? {
        let replayed = payments.compactMap { one in one.holder.map { (one, $0) } }
        guard let (own, holder) = replayed.first(where: { $1.accountID == order.accountID }) else {
            return replayed.isEmpty ? nil : .rejected(.grantedToAnotherAccount, nil)
        }
        if own.isForAnotherProduct { return .anotherPayment(own.transaction) }
        let isRestore = own.facts.kind?.isKeyedByOriginal == true && own.transaction.id != holder.transactionID
        return .rejected(isRestore ? .alreadyOwned : .alreadyGranted, own.transaction.id)
    }

    /// The answer to a proof of payments that were taken back; nil when none was.
    private func refund() -> OrderOutcome? {
        let takenBack = payments.filter(\.isTakenBack)
        guard let first = takenBack.first else { return nil }
        // What another account was paid back doesn't end this order, nor does the refund of something else, or of something older.
        guard let refunded = takenBack.first(where: { !$0.objections.contains(.anotherOwner) }) else {
            return .review(.ownerMismatch, first.transaction.id)
        }
        if refunded.isForAnotherProduct { return .anotherPayment(refunded.transaction) }
        if refunded.objections.contains(.beforeOrder) && !refunded.isNamed {
            return .review(.purchaseBeforeOrder, refunded.transaction.id)
        }
        return .refunded(refunded.transaction)
    }

    // MARK: The proof

    /// How the others are kept where none of the proof's payments may pay.
    func kept() -> [KeptPayment] { keepOthers(beside: nil) + keepKnown() }

    /// The payments that the ledger holds under another id, or knows as taken back.
    private func keepKnown() -> [KeptPayment] {
        (payments + others).filter { $0.holder != nil || $0.isTakenBack }.compactMap(\.facts.keptAsKnown)
    }

    /// The payments of the proof that may pay for no order.
    private func keepOthers(beside payer: WeighedPayment?) -> [KeptPayment] {
        others.filter(\.isUnclaimed).compactMap { other in
            let isUnordered = other.isForAnotherProduct && !other.facts.shown.isReceipt
            let circumstance: Reason = isUnordered ? .wrongProduct : .noOrder
            let isRenewal = payer.map { renews(other, $0) } ?? other.isRenewal
            return other.kept(as: isRenewal && other.yieldsToARenewal ? .renewal : other.doubt ?? circumstance)
        }
    }

    /// Whether a payment renews what its account has, now that `payer` was granted.
    private func renews(_ payment: WeighedPayment, _ payer: WeighedPayment) -> Bool {
        payment.isRenewal || payment.facts.renews(payer.facts)
    }

    /// The outcome that is written.
    private func answered(_ outcome: OrderOutcome) -> OrderOutcome {
        switch outcome {
        case .fulfilled, .paidAnother: return outcome
        case .unchanged, .anotherPayment, .rejected, .review, .refunded: break
        }
        guard proof.isUpload else { return answeredWithoutClient(outcome) }
        switch outcome {
        case .rejected where proof.showsUnstorable, .anotherPayment where proof.showsUnstorable: return .review(.unknownAnswer, nil)
        case .rejected(.grantedToAnotherAccount, _) where isOldReceipt: return .rejected(.purchaseNotInReceipt, nil)
        default: return outcome
        }
    }

    /// What Apple told of the payment that was made for an order, before it was granted: an order that waits for it ends as it
    /// would after a grant. Nothing else moves an order that no client asks about.
    private func answeredWithoutClient(_ outcome: OrderOutcome) -> OrderOutcome {
        let state = payments[0].facts.ledger?.orderState ?? order.state
        guard state == .open || state == .rejected else { return .unchanged }
        switch outcome {
        case .refunded, .review(.partlyRefunded, _): return outcome
        case .fulfilled, .paidAnother, .unchanged, .anotherPayment, .rejected, .review: return .unchanged
        }
    }

    /// Whether the proof, if it shows only payments of other accounts, is taken for a receipt from before the purchase, on a device
    /// that several accounts use: consumables leave a receipt once they are finished. Non-consumables stay in each.
    private var isOldReceipt: Bool {
        proof.hint == nil
            && payments.allSatisfy { $0.facts.shown.isReceipt && ($0.facts.kind ?? .consumable) == .consumable }
    }
}
