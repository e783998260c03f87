// SPDX-License-Identifier: Apache-2.0

import Verification

/// A settlement on its way through the ledger. It only remembers; the store asks and writes.
///
/// A class, because each statement is made from a list of some of them.
final class PendingSettlement {
    private(set) var settlement: Settlement

    /// The candidate to try next; nil when the ledger has to be asked first, or the outcome is decided.
    private(set) var attempted: Candidate?

    /// The order that the attempted candidate is to pay for: the job's, or another of the same account.
    private(set) var payee: OrderID

    /// The outcome of the order; nil while it is open.
    private(set) var outcome: OrderOutcome?

    /// Payments that aren't granted here.
    private(set) var unclaimed: [UnclaimedTransaction]

    /// Payments that the ledger holds under another id.
    private(set) var knownAgain: [Candidate] = []

    /// Payments that were refunded, by the ledger.
    private(set) var takenBack: [Candidate] = []

    var job: Job { settlement.job }

    var isUndecided: Bool { outcome == nil }

    /// The order to lock first: the payee, where it isn't the job's.
    var otherPayee: OrderID? { attempted == nil || payee == job.order.id ? nil : payee }

    /// A line about the attempt, for the history.
    var message: String? {
        guard case .paidAnother(let order, let candidate) = outcome else { return settlement.message }
        let paid = "transaction \(candidate.transaction.id.rawValue) paid for order \(order.rawValue), which it was made for"
        return [paid, settlement.message].compactMap(\.self).joined(separator: "; ")
    }

    /// Whether there are payments to record that aren't granted here.
    var leavesPayments: Bool { !unclaimed.isEmpty || !knownAgain.isEmpty || !takenBack.isEmpty }

    /// The result, once the outcome is decided and written.
    var result: SettlementResult {
        guard let outcome else { preconditionFailure("an undecided settlement was carried out") }
        return SettlementResult(settlement: settlement, result: .settled(outcome))
    }

    init(_ settlement: Settlement) {
        self.settlement = settlement
        unclaimed = settlement.unclaimed
        outcome = settlement.outcome
        payee = settlement.job.order.id
        let candidates = settlement.candidates
        if candidates.count == 1, candidates[0].obstacle == nil, !candidates[0].mayBeAnotherOrders {
            attempted = candidates[0]
        }
    }

    /// The attempted candidate was granted.
    func win() {
        guard let granted = attempted else { preconditionFailure("only an attempted candidate is granted") }
        outcome = payee == job.order.id ? .fulfilled(granted) : .paidAnother(payee, by: granted)
        attempted = nil
    }

    /// The attempted candidate was not granted: the ledger is asked why.
    func lose() {
        attempted = nil
    }

    /// Somebody else holds or pays the payee: the job waits a turn, and its payments are judged again then.
    func waitForPayee() {
        let message = "order \(payee.rawValue), which a payment was made for, is being settled"
        settlement = settlement.with(action: .keep(.snooze(for: RetryPolicy.heldOrderDelay), nil, lane: nil), message: message)
        outcome = settlement.outcome
        attempted = nil
        unclaimed = settlement.unclaimed
        knownAgain = []
        takenBack = []
    }

    /// Takes over the resolution: the candidate to try next, or the outcome.
    func resolve(_ resolution: LedgerResolution) {
        unclaimed = settlement.unclaimed + resolution.unclaimed
        knownAgain = resolution.knownAgain
        takenBack = resolution.takenBack
        switch resolution.outcome {
        case .fulfilled(let candidate):
            attempted = candidate
            payee = job.order.id
        case .paidAnother(let order, let candidate):
            attempted = candidate
            payee = order
        case .unchanged, .anotherPayment, .rejected, .review, .refunded:
            outcome = settlement.showsUnstorable ? resolution.outcome.leftToReview : resolution.outcome
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
