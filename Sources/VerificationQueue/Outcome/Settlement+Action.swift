// SPDX-License-Identifier: Apache-2.0

package import Verification

/// What follows from the action.
extension Settlement {
    /// Why the job waits or ended; nil when it is done.
    package var reason: Reason? {
        switch action {
        case .grantOne: nil
        case .end(let outcome): outcome.reason
        case .wait(_, let reason, _): reason
        case .discard(let reason, _): reason
        }
    }

    /// The outcome of the order; nil where the ledger decides.
    package var outcome: OrderOutcome? {
        switch action {
        case .grantOne: nil
        case .end(let outcome): outcome
        case .wait: .unchanged
        case .discard(let reason, _): .review(reason, nil)
        }
    }

    /// Whether the job ends and leaves the queue.
    package var ends: Bool {
        switch action {
        case .grantOne, .end: true
        case .wait, .discard: false
        }
    }

    package var isDiscarded: Bool {
        if case .discard = action { true } else { false }
    }

    /// How the job goes on; nil where it doesn't.
    package var wait: Wait? {
        if case .wait(let wait, _, _) = action { wait } else { nil }
    }

    /// The lane that the job changes to.
    package var lane: LaneID? {
        switch action {
        case .grantOne, .end: nil
        case .wait(_, _, let lane), .discard(_, let lane): lane
        }
    }

    /// Whether all that it asks for is another attempt.
    var isReleased: Bool {
        switch wait {
        case .snooze, .release: true
        case .retry, nil: false
        }
    }

    /// Whether the attempt counts: it found something out, or failed. A job that is released or snoozed did neither.
    package var counts: Bool {
        switch wait {
        case nil, .retry: true
        case .snooze, .release: false
        }
    }

    /// How long the job waits.
    var delay: Duration {
        switch wait {
        case .retry(let delay), .snooze(let delay): delay
        case nil, .release: .zero
        }
    }

    /// The word for the action in the history.
    var disposition: String {
        switch action {
        case .grantOne, .end: "complete"
        case .wait(.retry, _, _): "retry"
        case .wait(.snooze, _, _): "snooze"
        case .wait(.release, _, _): "release"
        case .discard: "discard"
        }
    }

    /// Whether its order is locked before it is read: it may be moved otherwise than by the grant of a lone candidate.
    var locksOrder: Bool {
        job.orderID != nil && !isLoneGrant && (counts && job.work.upload != nil || payments.contains(where: \.hasWords))
    }

    /// The most transactions of one upload that the history keeps. 100. `upload_status` reads them.
    package static let longestShownList = 100

    /// The transactions that the proof showed, the latest purchases first, one a line; nil where it showed none but this one.
    func shownTransactionIDs(besides id: TransactionID?) -> String? {
        guard counts, job.work.upload != nil else { return nil }
        let shown = payments.map(\.transaction)
        if shown.allSatisfy({ $0.id == id }) { return nil }
        var known: Set<TransactionID> = []
        return shown.sorted { $0.purchaseDate > $1.purchaseDate }.map(\.id).filter { known.insert($0).inserted }
            .prefix(Self.longestShownList).map(\.rawValue).joined(separator: "\n")
    }

    /// What of its proof as a whole bears on the choice.
    var proofTraits: ProofTraits {
        ProofTraits(hint: job.work.upload?.hint, isUpload: job.work.isFromClient, showsUnstorable: showsUnstorable)
    }
}

extension Settlement.Action {
    /// - Parameter lane: the lane that a job which stays changes to.
    init(_ decision: RetryDecision, lane: LaneID?) {
        switch decision {
        case .end(.rejected, let reason): self = .end(.rejected(reason, nil))
        case .end(.review, let reason): self = .end(.review(reason, nil))
        case .wait(let wait, let reason): self = .wait(wait, reason, lane: lane)
        case .discard(let reason): self = .discard(reason, lane: lane)
        }
    }
}
