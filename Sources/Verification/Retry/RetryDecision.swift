// SPDX-License-Identifier: Apache-2.0

/// How a job that stays in the queue goes on.
package enum Wait: Hashable, Sendable {
    /// Available again after a delay; the attempt counts.
    case retry(after: Duration)
    /// Available again after a delay; the attempt doesn't count.
    case snooze(for: Duration)
    /// Available again at once, in the lane that fits it; the attempt doesn't count.
    case release
}

/// The end of a job, or its next attempt, after an attempt that found nothing out.
package enum RetryDecision: Hashable, Sendable {
    /// The job ends: its order is rejected, or goes to review.
    case end(VerificationFailure.Ending, Reason)
    /// The job waits for its next attempt, and its order stays as it is.
    case wait(Wait, Reason)
    /// The job is given up and stays for an operator; its order goes to review.
    case discard(Reason)

    /// Why the job waits, ended or was given up.
    package var reason: Reason {
        switch self {
        case .end(_, let reason), .wait(_, let reason), .discard(let reason): reason
        }
    }

    /// Whether the job goes on looking for a missing purchase: its ``MissingTimes`` count from the first such decision.
    package var isMissing: Bool {
        switch self {
        case .wait(.snooze, .purchaseNotInReceipt), .wait(.snooze, .transactionNotFound): true
        case .end, .wait, .discard: false
        }
    }
}
