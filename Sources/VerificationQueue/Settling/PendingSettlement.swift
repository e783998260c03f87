// SPDX-License-Identifier: Apache-2.0

import Verification

/// A settlement on its way through the ledger. It only remembers; the store asks and writes.
///
/// A class, because each statement is made from a list of some of them.
final class PendingSettlement {
    let settlement: Settlement

    /// Whether the order was locked before it is moved. Only a grant may lock it itself.
    var locksOrder: Bool

    /// The candidate to try next; nil when the ledger has to be asked first, or the outcome is decided.
    private(set) var attempted: Candidate?

    /// The outcome of the order; nil while it is open.
    private(set) var outcome: OrderOutcome?

    /// Payments that aren't granted here.
    private(set) var kept: [KeptPayment]

    /// A payment that was granted before was refunded in part, by the proof.
    private(set) var showsPartlyRefundedGrant = false

    var job: Job { settlement.job }

    var isUndecided: Bool { outcome == nil }

    /// The result, once the outcome is decided and written.
    var result: SettlementResult {
        guard let outcome else { preconditionFailure("an undecided settlement was carried out") }
        return SettlementResult(
            settlement: settlement, result: .settled(outcome), showsPartlyRefundedGrant: showsPartlyRefundedGrant)
    }

    init(_ settlement: Settlement, locksOrder: Bool) {
        self.settlement = settlement
        kept = settlement.unclaimed.map { KeptPayment($0) }
        outcome = settlement.outcome
        self.locksOrder = locksOrder
        if settlement.isLoneGrant && !locksOrder { attempted = settlement.candidates.first }
    }

    /// The attempted candidate was granted.
    func win() {
        guard let granted = attempted else { preconditionFailure("only an attempted candidate is granted") }
        outcome = .fulfilled(granted)
        attempted = nil
    }

    /// The attempted candidate was not granted: the ledger is asked why.
    func lose() {
        attempted = nil
    }

    /// Takes over the resolution: the candidate to try next, or the outcome.
    func resolve(_ resolution: LedgerResolution) {
        kept = settlement.unclaimed.map { KeptPayment($0) } + resolution.kept
        showsPartlyRefundedGrant = resolution.showsPartlyRefundedGrant
        if case .fulfilled(let candidate) = resolution.outcome {
            attempted = candidate
        } else {
            outcome = settlement.showsUnstorable ? resolution.outcome.leftToReview : resolution.outcome
        }
    }
}

extension OrderOutcome {
    /// The outcome if the proof also shows a transaction that the database can't keep: what would be refused is left to an operator.
    fileprivate var leftToReview: OrderOutcome {
        if case .rejected = self { .review(.unknownAnswer, nil) } else { self }
    }

    /// The state to move the order to; nil when it isn't moved, or was by its grant.
    var newState: OrderState? {
        switch self {
        case .unchanged, .fulfilled: nil
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
        case .rejected: "rejected"
        case .review: "review"
        case .refunded: "refunded"
        }
    }

    var reason: Reason? {
        switch self {
        case .unchanged, .fulfilled: nil
        case .rejected(let reason, _), .review(let reason, _): reason
        case .refunded: .refunded
        }
    }

    var transactionID: TransactionID? {
        switch self {
        case .unchanged: nil
        case .fulfilled(let candidate): candidate.transaction.id
        case .rejected(_, let id), .review(_, let id): id
        case .refunded(let transaction): transaction.id
        }
    }

    var environment: AppStoreEnvironment? {
        switch self {
        case .unchanged, .rejected, .review: nil
        case .fulfilled(let candidate): candidate.transaction.environment
        case .refunded(let transaction): transaction.environment
        }
    }
}
