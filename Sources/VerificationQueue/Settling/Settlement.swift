// SPDX-License-Identifier: Apache-2.0

package import Verification

/// What one finished attempt asks for: what becomes of the job, of its order, and of every payment that came to light.
///
/// Carried out in a batch with others, in one database transaction, or not at all when the lease is lost.
package final class Settlement: Sendable {
    package enum Action: Sendable {
        /// The job ends; which candidate pays for the order is decided by the ledger. Never empty; best first.
        case grantOne(of: [Candidate])
        /// The job ends, and the order as told.
        case end(OrderOutcome)
        /// The job stays: for a retry, a snooze, a release (to another lane, when one is named) or as a dead letter.
        case keep(Disposition, OrderOutcome, lane: LaneID?)
    }

    package let job: Job
    package let action: Action

    /// Why the job waits or ended; nil when it is done.
    package let reason: Reason?

    /// What happened, in a line without anything secret.
    package let message: String?
    package let proofKind: ProofKind?
    package let environment: AppStoreEnvironment?
    package let unclaimed: [UnclaimedTransaction]
    package let revoked: [Transaction]

    /// The attempt ended its own process.
    package let crashed: Bool

    /// The attempt brought an answer that may be a passing fault.
    package let uncertain: Bool

    package init(
        _ job: Job, _ action: Action, reason: Reason? = nil, message: String? = nil, proofKind: ProofKind? = nil,
        environment: AppStoreEnvironment? = nil, unclaimed: [UnclaimedTransaction] = [], revoked: [Transaction] = [],
        crashed: Bool = false, uncertain: Bool = false
    ) {
        self.job = job
        self.action = action
        self.reason = reason
        self.message = message
        self.proofKind = proofKind
        self.environment = environment
        self.unclaimed = unclaimed
        self.revoked = revoked
        self.crashed = crashed
        self.uncertain = uncertain
    }

    /// The job ends and leaves the queue.
    package var ends: Bool {
        switch action {
        case .grantOne, .end: true
        case .keep: false
        }
    }

    package var disposition: Disposition {
        switch action {
        case .grantOne, .end: .complete
        case .keep(let disposition, _, _): disposition
        }
    }

    /// The attempt is counted: it found something out, or failed. Being handed back or told to wait is neither.
    package var counts: Bool {
        switch disposition {
        case .complete, .retry, .discard: true
        case .snooze, .release: false
        }
    }

    /// The payments that it may grant; no batch holds one of them twice.
    package var candidates: [Candidate] {
        if case .grantOne(let candidates) = action { candidates } else { [] }
    }

    /// How many payments it may grant, take back or leave unclaimed.
    package var payments: Int {
        candidates.count + unclaimed.count + revoked.count
    }
}

/// How a settlement came out.
package struct SettlementResult: Sendable {
    package enum Result: Sendable, Equatable {
        /// Nothing was written: another holds the job, or it is gone.
        case leaseLost
        case settled(OrderOutcome)
    }

    package let settlement: Settlement
    package let result: Result
}

extension Disposition {
    /// The word for it in the history.
    var name: String {
        switch self {
        case .complete: "complete"
        case .retry: "retry"
        case .snooze: "snooze"
        case .release: "release"
        case .discard: "discard"
        }
    }

    /// How long the job waits.
    var delay: Duration {
        switch self {
        case .retry(let delay), .snooze(let delay): delay
        case .complete, .release, .discard: .zero
        }
    }
}
