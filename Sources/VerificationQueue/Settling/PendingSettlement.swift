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
    private(set) var attempted: Candidate?

    /// The order that the attempted candidate is to pay for, where it isn't the job's: another of the same account.
    private var otherOrder: Payee?

    /// The outcome of the order; nil while it is open.
    private(set) var outcome: OrderOutcome?

    /// Payments that aren't granted here.
    private(set) var kept: [KeptPayment]

    /// A payment that was granted before was refunded in part, by the proof.
    private(set) var showsPartlyRefundedGrant = false

    /// Whether refunds of its candidates were reversed by it.
    private var hasReversed = false

    var job: Job { settlement.job }

    var isUndecided: Bool { outcome == nil }

    /// The order to lock first: the payee, where it isn't the job's.
    var otherPayee: OrderID? { attempted == nil ? nil : otherOrder?.id }

    /// The order that the attempted candidate is to pay for.
    var payee: Payee { otherOrder ?? Payee(job.order) }

    /// The order that shows its payments; nil where no client did.
    var showingOrder: OrderID? { job.isUpload ? job.orderID : nil }

    /// A line about the attempt, for the history.
    var message: String? {
        guard case .paidAnother(let order, let candidate) = outcome else { return settlement.message }
        let paid = "transaction \(candidate.transaction.id.rawValue) paid for order \(order.rawValue), which it was made for"
        return [paid, settlement.message].compactMap(\.self).joined(separator: "; ")
    }

    /// The result, once the outcome is decided and written.
    var result: SettlementResult {
        guard let outcome else { preconditionFailure("an undecided settlement was carried out") }
        return SettlementResult(
            settlement: settlement, result: .settled(outcome), showsPartlyRefundedGrant: showsPartlyRefundedGrant)
    }

    init(_ settlement: Settlement, locksOrder: Bool) {
        self.settlement = settlement
        kept = settlement.unclaimed.map { KeptPayment($0) }
        self.locksOrder = locksOrder
        outcome = settlement.outcome.map(decided)
        if settlement.isLoneGrant && !locksOrder { attempted = settlement.candidates.first }
    }

    /// The outcome that is written. A proof that no client uploaded either pays for its order or leaves the order as it is, since nobody
    /// waits for an answer.
    private func decided(_ outcome: OrderOutcome) -> OrderOutcome {
        guard !job.isUpload else { return outcome }
        switch outcome {
        case .fulfilled, .paidAnother: return outcome
        case .unchanged, .anotherPayment, .rejected, .review, .refunded: return .unchanged
        }
    }

    /// Whether its proof, if it shows only payments of other accounts, is taken for a receipt from before the purchase, on a device that
    /// several accounts use: consumables leave a receipt once they are finished. What is bought for good stays in each.
    private var isOldReceipt: Bool {
        settlement.proofKind == .appReceipt && job.hintedTransactionID == nil
            && settlement.candidates.allSatisfy { $0.kind == .consumable }
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

    /// Somebody else holds or pays the payee: the job waits a turn, and its payments are judged again then.
    func waitForPayee() {
        let message = "order \(payee.id.rawValue), which a payment was made for, is being settled"
        let delay = RetryPolicy.delayOfHeldOrder(age: job.age)
        settlement = settlement.with(action: .keep(.snooze(for: delay), nil, lane: nil), message: message)
        outcome = settlement.outcome
        attempted = nil
        kept = settlement.unclaimed.map { KeptPayment($0) }
    }

    /// The payments whose refunds Apple reversed, to be recorded before it is resolved. Empty the second time: what is refunded then, is
    /// so under another name.
    func reversals(by facts: [LedgerFacts]) -> [Transaction] {
        guard !hasReversed else { return [] }
        let reversed = zip(settlement.candidates, facts).filter { $1.isReversed(by: $0, askedAfter: job.claimedAt) }
        hasReversed = !reversed.isEmpty
        return reversed.map(\.0.transaction)
    }

    /// Takes over the resolution: the candidate to try next, or the outcome.
    func resolve(_ resolution: LedgerResolution) {
        kept = settlement.unclaimed.map { KeptPayment($0) } + resolution.kept
        showsPartlyRefundedGrant = resolution.showsPartlyRefundedGrant
        switch resolution.outcome {
        case .fulfilled(let candidate):
            attempted = candidate
            otherOrder = nil
        case .paidAnother(let order, let candidate):
            attempted = candidate
            otherOrder = Payee(order, of: candidate, shownFor: job.order)
        case .unchanged, .anotherPayment, .rejected, .review, .refunded:
            outcome = settlement.showsUnstorable ? resolution.outcome.leftToReview : resolution.outcome
            if isOldReceipt, case .rejected(.grantedToAnotherAccount, _) = outcome {
                outcome = .rejected(.purchaseNotInReceipt, nil)
            }
            outcome = outcome.map(decided)
        }
    }
}

extension OrderOutcome {
    /// The outcome if the proof also shows a transaction that the database can't keep: what would be refused is left to an operator.
    fileprivate var leftToReview: OrderOutcome {
        switch self {
        case .rejected, .anotherPayment: .review(.unknownAnswer, nil)
        case .unchanged, .fulfilled, .paidAnother, .review, .refunded: self
        }
    }

    /// The candidate that was granted, to this order or to another.
    var granted: Candidate? {
        switch self {
        case .fulfilled(let candidate), .paidAnother(_, let candidate): candidate
        case .unchanged, .anotherPayment, .rejected, .review, .refunded: nil
        }
    }

    /// The state to move the order to; nil when it isn't moved, or was by its grant.
    var newState: OrderState? {
        switch self {
        case .unchanged, .fulfilled, .paidAnother, .anotherPayment: nil
        case .rejected: .rejected
        case .review: .review
        case .refunded: .refunded
        }
    }

    /// The word for it in the log.
    var name: String {
        switch self {
        case .unchanged: "unchanged"
        case .fulfilled: "fulfilled"
        case .paidAnother: "paid_another"
        case .anotherPayment: "another_payment"
        case .rejected: "rejected"
        case .review: "review"
        case .refunded: "refunded"
        }
    }

    var reason: Reason? {
        switch self {
        case .unchanged, .fulfilled: nil
        case .paidAnother, .anotherPayment: .anotherPayment
        case .rejected(let reason, _), .review(let reason, _): reason
        case .refunded: .refunded
        }
    }

    var transactionID: TransactionID? {
        switch self {
        case .unchanged: nil
        case .fulfilled(let candidate), .paidAnother(_, let candidate): candidate.transaction.id
        case .anotherPayment(let transaction): transaction.id
        case .rejected(_, let id), .review(_, let id): id
        case .refunded(let transaction): transaction.id
        }
    }

    var environment: AppStoreEnvironment? {
        switch self {
        case .unchanged, .rejected, .review: nil
        case .fulfilled(let candidate), .paidAnother(_, let candidate): candidate.transaction.environment
        case .anotherPayment(let transaction): transaction.environment
        case .refunded(let transaction): transaction.environment
        }
    }
}
