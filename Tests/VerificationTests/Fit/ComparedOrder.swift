// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// An order and the payments that its proof shows, judged by both rules. It goes with the old rule.
struct ComparedOrder {
    typealias Cause = RuleComparisonTests.Cause

    struct Answer: Equatable {
        let outcome: ChoiceCase.Expected
        let kept: [TransactionID: KeptPayment.Role]
        let showsPartlyRefundedGrant: Bool
    }

    let order: Order
    let policy: AppPolicy
    let proof: ProofTraits
    let payments: [DrawnPayment]

    /// By today's rule. Nil where it doesn't ask the ledger about one of the payments.
    let old: Answer?
    let new: Answer?

    init(_ payments: [DrawnPayment], for order: Order, _ policy: AppPolicy, _ proof: ProofTraits) {
        self.order = order
        self.policy = policy
        self.proof = proof
        self.payments = payments
        var candidates: [Candidate] = []
        for payment in payments {
            guard case .candidate(let candidate) = payment.offered(for: order, policy, hint: proof.hint) else { break }
            candidates.append(candidate)
        }
        guard candidates.count == payments.count else {
            old = nil
            new = nil
            return
        }
        let facts = zip(payments, candidates).map { $0.facts(for: order, policy, of: $1) }
        let isReceipt = payments.allSatisfy(\.isReceipt)
        old = Self.resolved(candidates, facts, order, proof, isReceipt: isReceipt)
        let choice = Choice.choose(
            among: zip(payments, facts).map { PaymentFacts($0.shown(for: order), ledger: $1) }, for: order, under: policy,
            as: proof)
        new = Answer(
            outcome: ChoiceCase.Expected(choice.outcome), kept: Self.roles(choice.kept),
            showsPartlyRefundedGrant: choice.showsPartlyRefundedGrant)
    }

    // MARK: Today's rule

    /// The resolution, and what a settlement makes of it.
    private static func resolved(
        _ candidates: [Candidate], _ facts: [LedgerFacts], _ order: Order, _ proof: ProofTraits, isReceipt: Bool
    ) -> Answer {
        let resolution = LedgerResolution.resolve(candidates, facts: facts, order: order)
        var outcome = ChoiceCase.Expected(resolution.outcome)
        switch outcome {
        case .fulfilled, .paidAnother: break
        case .unchanged, .anotherPayment, .rejected, .review, .refunded:
            if proof.showsUnstorable {
                switch outcome {
                case .rejected, .anotherPayment: outcome = .review(.unknownAnswer, nil)
                default: break
                }
            }
            let isOldReceipt = isReceipt && proof.hint == nil && candidates.allSatisfy { $0.kind == .consumable }
            if isOldReceipt, case .rejected(.grantedToAnotherAccount, _) = outcome {
                outcome = .rejected(.purchaseNotInReceipt, nil)
            }
            if !proof.isUpload { outcome = .unchanged }
        }
        return Answer(
            outcome: outcome, kept: roles(resolution.kept), showsPartlyRefundedGrant: resolution.showsPartlyRefundedGrant)
    }

    private static func roles(_ kept: [KeptPayment]) -> [TransactionID: KeptPayment.Role] {
        Dictionary(uniqueKeysWithValues: kept.map { ($0.transaction.id, $0.role) })
    }

    // MARK: Causes

    /// The causes of all differences, none where there is no difference; nil if one has no cause.
    ///
    /// A cause in the facts of a payment is taken out of them: what differs then has other causes. It is taken out as well where
    /// nothing differs by it: a graver fact may hide it until that one is taken out.
    func causes() -> [Cause]? {
        var compared = self
        var causes: [Cause] = []
        for (cause, removal) in Self.removals {
            guard compared.old != compared.new else { return causes }
            var payments = compared.payments
            for index in payments.indices { removal(&payments[index]) }
            let without = ComparedOrder(payments, for: order, policy, proof)
            guard without.old != nil else { continue }
            if without.difference != compared.difference { causes.append(cause) }
            compared = without
        }
        guard compared.old != compared.new else { return causes }
        return compared.causesThatStay().map { causes + $0 }
    }

    private struct Difference: Equatable {
        var outcomes: [ChoiceCase.Expected?] = []
        var roles: [TransactionID: [KeptPayment.Role?]] = [:]
    }

    /// What differs, as both rules have it.
    private var difference: Difference {
        var difference = Difference()
        if old?.outcome != new?.outcome { difference.outcomes = [old?.outcome, new?.outcome] }
        for id in payments.map(\.transaction.id) where old?.kept[id] != new?.kept[id] {
            difference.roles[id] = [old?.kept[id], new?.kept[id]]
        }
        return difference
    }

    private static let removals: [(Cause, @Sendable (inout DrawnPayment) -> Void)] = [
        (.refundsAreTheLedgersWord, { if $0.showsReversedRefund { $0.transaction.revocation = nil } }),
        (
            .advancedCommerceComesFirst,
            {
                $0.transaction.isAdvancedCommerce = false
                $0.isKnownAsAdvancedCommerce = false
            }
        ),
        (.seatsComeBeforeShares, { if $0.showsSeats { $0.transaction.additionalReason = nil } }),
    ]

    private func causesThatStay() -> [Cause]? {
        guard let old, let new, old.showsPartlyRefundedGrant == new.showsPartlyRefundedGrant else { return nil }
        var causes: Set<Cause> = []
        if old.outcome != new.outcome {
            guard let cause = causeOfOutcome(old.outcome, new.outcome) else { return nil }
            causes.insert(cause)
        }
        for payment in payments where old.kept[payment.transaction.id] != new.kept[payment.transaction.id] {
            guard let cause = causeOfRole(of: payment, old, new) else { return nil }
            causes.insert(cause)
        }
        return Array(causes)
    }

    private func causeOfOutcome(_ old: ChoiceCase.Expected, _ new: ChoiceCase.Expected) -> Cause? {
        switch (old, new) {
        case (.refunded(let id), .review(.purchaseBeforeOrder, let same)) where same == id:
            let isOlder = payments.contains { $0.transaction.id.rawValue == id && $0.refund != nil && !order.isRecovery }
            return isOlder ? .anOlderRefundDoesNotEndTheOrder : nil
        case (_, .paidAnother):
            return payments.contains(where: hasOwnOrderThatWasHidden) ? .theOwnOrderComesFirst : nil
        default: return nil
        }
    }

    /// Whether it has an order of its own, and was shown in time for one that can't be paid by it.
    private func hasOwnOrderThatWasHidden(_ payment: DrawnPayment) -> Bool {
        payment.ownOrder != nil && payment.isLifted(for: order, policy)
    }

    /// Whether it has an order of its own, and is the one that today's rule gives to its order, or another name of that one or of
    /// the payer: the payer's own order was hidden, and comes before.
    private func givesWay(_ payment: DrawnPayment, _ old: Answer, _ new: Answer) -> Bool {
        guard payment.ownOrder != nil, case .paidAnother(_, let former) = old.outcome,
            case .paidAnother(_, let payer) = new.outcome, former != payer
        else { return false }
        let payers = payments.filter { [former, payer].contains($0.transaction.id.rawValue) }
        return payers.contains { $0.transaction.id.rawValue == payer && hasOwnOrderThatWasHidden($0) }
            && payers.contains { $0.key == payment.key }
    }

    private func causeOfRole(of payment: DrawnPayment, _ old: Answer, _ new: Answer) -> Cause? {
        let (before, after) = (old.kept[payment.transaction.id], new.kept[payment.transaction.id])
        if hasOwnOrderThatWasHidden(payment) || givesWay(payment, old, new) { return .theOwnOrderComesFirst }
        guard case .unclaimed(let reason) = after, case .unclaimed(let former) = before else { return nil }
        guard case .candidate(let candidate) = payment.offered(for: order, policy, hint: proof.hint) else { return nil }
        let facts = payment.facts(for: order, policy, of: candidate)
        let objections = Fit.objections(
            to: PaymentFacts(payment.shown(for: order), ledger: facts), for: order, under: policy)
        if let doubt = objections.first(where: { $0.scope == .payment }) {
            return doubt.reason == reason ? .noOrderHidesADoubt : nil
        }
        if former == .ownerMismatch && !payment.isAnotherAccounts { return .anOwnTokenIsNoMismatch }
        if reason == .renewal, case .paidAnother = new.outcome { return .renewsWhatItsOwnOrderPaysFor }
        return nil
    }
}

extension ComparedOrder {
    /// An order in any state, and one to three payments that today's rule asks the ledger about.
    static func draw(_ draws: inout PaymentDraws) -> ComparedOrder {
        let policy = draws.policy()
        let kind = draws.kind()
        let order = draws.order([.open, .open, .open, .rejected, .review, .fulfilled, .refunded, .cancelled], kind: kind)
        let isAnother = draws.once(in: 5)
        // Only a receipt names no kinds, and it offers no payment for another product.
        let isSigned = isAnother || draws.once(in: 2)
        let isReceipt = !isSigned && draws.once(in: 2)
        let proof = ProofTraits(
            hint: !isReceipt && draws.once(in: 8) ? TransactionID(rawValue: "1") : nil, isUpload: !draws.once(in: 10),
            showsUnstorable: draws.once(in: 10))
        let count = draws.one(of: [1, 2, 3])
        var payments: [DrawnPayment] = []
        while payments.count < count {
            let id = String(payments.count + 1)
            var drawn = draws.payment(
                id, of: isAnother ? "gems" : "coins", kind: isAnother ? kind ?? .consumable : kind, isSigned: isSigned)
            drawn.isReceipt = isReceipt
            guard case .candidate(let candidate) = drawn.offered(for: order, policy, hint: proof.hint) else { continue }
            draws.drawLedger(of: &drawn, candidate, order)
            payments.append(drawn)
        }
        return ComparedOrder(payments, for: order, policy, proof)
    }
}

extension PaymentDraws {
    /// What the ledger knows of grants, own orders and earlier periods.
    fileprivate mutating func drawLedger(of drawn: inout DrawnPayment, _ candidate: Candidate, _ order: Order) {
        if once(in: 6) {
            let (id, account) = one(of: [("other", "ann"), ("other", "bob"), ("third", "bob"), (order.id.rawValue, "ann")])
            drawn.holder = LedgerFacts.Holder(
                orderID: OrderID(rawValue: id), accountID: AccountID(rawValue: account),
                transactionID: once(in: 2) ? drawn.transaction.id : TransactionID(rawValue: "0"))
        }
        if candidate.mayBeAnotherOrders && once(in: 2) { drawn.ownOrder = OrderID(rawValue: one(of: ["own", "older"])) }
        if candidate.kind == .autoRenewable && once(in: 4) { drawn.isRenewal = true }
    }
}

extension ChoiceCase.Expected {
    init(_ outcome: OrderOutcome) {
        switch outcome {
        case .unchanged: self = .unchanged
        case .fulfilled(let candidate): self = .fulfilled(candidate.transaction.id.rawValue)
        case .paidAnother(let order, let candidate): self = .paidAnother(order.rawValue, by: candidate.transaction.id.rawValue)
        case .anotherPayment(let transaction): self = .anotherPayment(transaction.id.rawValue)
        case .rejected(let reason, let id): self = .rejected(reason, id?.rawValue)
        case .review(let reason, let id): self = .review(reason, id?.rawValue)
        case .refunded(let transaction): self = .refunded(transaction.id.rawValue)
        }
    }
}
