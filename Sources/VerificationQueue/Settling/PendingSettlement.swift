// SPDX-License-Identifier: Apache-2.0

import Verification

/// A settlement on its way through the ledger. It only remembers; the store asks and writes.
///
/// A class, because each statement is made from a list of some of them.
final class PendingSettlement {
    private(set) var settlement: Settlement

    /// Whether the order was locked before it is moved. Only a grant may lock it itself.
    var locksOrder: Bool

    /// The candidate to try next; nil when the ledger has to be asked first, or the outcome is decided.
    private(set) var attempted: PaymentFacts?

    /// The order that the attempted candidate is to pay for, where it isn't the job's: another of the same account.
    private var otherOrder: Payee?

    /// The outcome of the order; nil while it is open.
    private(set) var outcome: OrderOutcome?

    /// Payments that aren't granted here.
    private(set) var kept: [KeptPayment]

    /// Whether the ledger was asked about the payments beside those that may pay.
    private var knowsOthers: Bool

    /// Whether the order is looked for that a payment which only Apple told was made for.
    private(set) var mayBeAnOrders = false

    /// Whether it recorded the refund of a part of a granted payment.
    var recordsRefundOfPart = false

    /// Whether the order that shows its payments is refunded.
    private var isOfRefundedOrder = false

    /// Whether refunds of its candidates were reversed by it.
    private var hasReversed = false

    /// How the others are kept if the job has to wait for another order.
    private var keptOthers: [KeptPayment] = []

    var job: Job { settlement.job }

    var isUndecided: Bool { outcome == nil }

    /// Whether the ledger has to be asked about its payments.
    var wantsFacts: Bool { isUndecided ? attempted == nil : !knowsOthers }

    /// The payments to ask the ledger about: those that may pay, while that is open, and the others. Last come those of which only
    /// the refund of a part is written: whether they were granted.
    var asked: [AskedPayment] {
        settlement.payments.compactMap { one in
            switch one.place {
            case .mayPay: isUndecided ? job.work.ordered.map { AskedPayment(one.shown, for: $0) } : nil
            case .beside: AskedPayment(PaymentFacts(one.shown), orderID: showingOrder)
            case .takenBack: one.isRefundOfPart ? AskedPayment(PaymentFacts(one.shown), orderID: showingOrder) : nil
            case .unclaimed: nil
            }
        }
    }

    /// Whether what the ledger knew may move an order, now that the payment is kept: a refund was known of a name before anybody
    /// knew whose it is; or an order was refunded for what stands, before anybody knew that it showed the payment.
    func mayMoveOrders(_ kept: KeptPayment) -> Bool {
        switch kept.role {
        case .restored, .unclaimed(.refunded): true
        case .unclaimed: isOfRefundedOrder || settlement.notification?.reversedAt != nil
        case .refunded: false
        }
    }

    /// The order to lock first: the payee, where it isn't the job's.
    var otherPayee: OrderID? { attempted == nil ? nil : otherOrder?.id }

    /// The order that the attempted candidate is to pay for; nil for a notification, which attempts none.
    var payee: Payee? { otherOrder ?? job.work.ordered.map { Payee($0.order) } }

    /// The order that shows its payments; nil where no client did.
    var showingOrder: OrderID? { job.work.isFromClient ? job.orderID : nil }

    /// A line about the attempt, for the history.
    var message: String? {
        guard case .paidAnother(let order, let payment) = outcome else { return settlement.message }
        let paid = "transaction \(payment.transaction.id.rawValue) paid for order \(order.rawValue), which it was made for"
        return [paid, settlement.message].compactMap(\.self).joined(separator: "; ")
    }

    /// The result, once the outcome is decided and written.
    var result: SettlementResult {
        guard let outcome else { preconditionFailure("an undecided settlement was carried out") }
        return SettlementResult(
            settlement: settlement, result: .settled(outcome), recordsRefundOfPart: recordsRefundOfPart)
    }

    init(_ settlement: Settlement, locksOrder: Bool) {
        self.settlement = settlement
        kept = settlement.payments.compactMap(\.keptUnasked)
        knowsOthers = !settlement.payments.contains { $0.place == .beside || $0.isRefundOfPart }
        self.locksOrder = locksOrder
        outcome = settlement.outcome.map { $0.written(of: settlement.job) }
        if settlement.isLoneGrant && !locksOrder { attempted = settlement.candidates.first.map { PaymentFacts($0.shown) } }
    }

    /// The attempted candidate was granted.
    func win() {
        guard let granted = attempted else { preconditionFailure("only an attempted candidate is granted") }
        outcome = otherOrder.map { .paidAnother($0.id, by: granted) } ?? .fulfilled(granted)
        attempted = nil
    }

    /// The attempted candidate was not granted: the ledger is asked why.
    func lose() {
        attempted = nil
    }

    /// The app doesn't take the sandbox purchase that Apple tells of: the notification is kept as denied, and nothing else.
    func deny() {
        settlement = settlement.denied
        knowsOthers = true
    }

    /// Somebody else holds or pays the payee: the job waits a turn, and its payments are judged again then.
    func wait(for payee: OrderID) {
        let message = "order \(payee.rawValue), which a payment was made for, is being settled"
        let delay = RetryPolicy.delayOfHeldOrder(age: job.age)
        settlement = settlement.with(action: .wait(.snooze(for: delay), nil, lane: nil), message: message)
        outcome = settlement.outcome
        attempted = nil
        kept = keptOthers
    }

    /// The payments whose refunds Apple reversed, to be recorded before it is decided. Empty the second time: what is refunded
    /// then, is so under another name.
    func reversals(by payments: [PaymentFacts]) -> [Transaction] {
        guard isUndecided, !hasReversed else { return [] }
        let reversed = payments.prefix(settlement.candidates.count).filter { payment in
            payment.ledger?.isReversed(by: payment.shown, askedAfter: job.claimedAt) ?? false
        }
        hasReversed = !reversed.isEmpty
        return reversed.map(\.transaction)
    }

    /// Decides, now that the ledger was asked: the payment to try next, or the outcome; and how the others are kept.
    ///
    /// - Parameters:
    ///   - payments: ``asked``, with their facts.
    ///   - policy: nil: that of the job's order.
    func decide(_ payments: [PaymentFacts], unordered policy: AppPolicy? = nil) {
        knowsOthers = true
        let payments = Array(payments.dropLast(settlement.payments.count(where: \.isRefundOfPart)))
        isOfRefundedOrder = payments.contains { $0.ledger?.orderState == .refunded }
        guard isUndecided, let ordered = job.work.ordered else {
            kept += keep(payments, unordered: policy)
            if let policy { mayBeAnOrders = payments.allSatisfy { Fit.mayBeAnOrders(Fit.objections(to: $0, under: policy)) } }
            return
        }
        let candidates = settlement.candidates.count
        let others = Array(payments.dropFirst(candidates))
        let choice = Choice.choose(
            among: Array(payments.prefix(candidates)), beside: others, for: ordered.order, under: ordered.policy,
            as: settlement.proofTraits)
        kept = choice.kept
        switch choice.outcome {
        case .fulfilled(let payment):
            attempted = payment
            otherOrder = nil
        case .paidAnother(let order, let payment):
            attempted = payment
            otherOrder = Payee(order, of: payment, shownFor: ordered.order)
            keptOthers = keep(others, unordered: nil)
        case .unchanged, .anotherPayment, .rejected, .review, .refunded:
            outcome = choice.outcome
        }
    }

    private func keep(_ others: [PaymentFacts], unordered policy: AppPolicy?) -> [KeptPayment] {
        if let policy { return others.compactMap { Choice.keep($0, under: policy) } }
        guard let ordered = job.work.ordered else { return [] }
        return Choice.keep(others, beside: ordered.order, under: ordered.policy, as: settlement.proofTraits)
    }
}

extension OrderOutcome {
    /// The outcome that is written where no payment was asked for. What no client uploaded leaves the order as it is, since nobody
    /// waits for an answer.
    fileprivate func written(of job: Job) -> OrderOutcome { job.work.isFromClient ? self : .unchanged }
}
