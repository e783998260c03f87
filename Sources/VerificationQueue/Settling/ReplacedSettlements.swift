// SPDX-License-Identifier: Apache-2.0

import Logging
import Verification

/// What is written in place of settlements that the database refuses, or that somebody's lock holds up.
struct ReplacedSettlements {
    /// How long a job waits whose lease was over before somebody else's lock was. Default 5 seconds.
    private static let pauseAfterLock = Duration.seconds(5)

    let retry: RetryPolicy
    let logger: Logger

    /// The settlement in place of one that the database refuses. Its job waits until an operator mends the cause; in the end its
    /// order goes to review, its payments unclaimed. See ``RetryPolicy/decideRefusedSettlement(attempt:age:)``.
    func putOff(_ settlement: Settlement, _ message: String) -> Settlement {
        let job = settlement.job
        logger.error(
            """
            the database refused a settlement; does a trigger or a constraint stand in its way, is a privilege missing \
            (counterfoil doctor says which), or is a disk full?
            """,
            metadata: Self.names(job, error: message))
        let decision = retry.decideRefusedSettlement(attempt: job.attempt, age: job.age)
        guard case .end(_, let reason) = decision else {
            return Settlement(
                job, Settlement.Action(decision, lane: nil), message: message, proofKind: settlement.proofKind,
                environment: settlement.environment)
        }
        // Nothing but the notification tells of its payment: it stays.
        guard job.orderID != nil else { return Settlement(job, .discard(reason, lane: nil), message: message) }
        // The ledger isn't asked: that may be what fails.
        // Revocations are left out: a trigger on them may be what fails. The proof is kept, and shows them again.
        let shown = settlement.payments.filter { $0.place != .takenBack && !$0.transaction.isRefunded }
        return Settlement(
            job, .end(.review(reason, settlement.candidates.first?.transaction.id)),
            payments: shown.map { SettledPayment($0.shown, .unclaimed(reason)) }, message: message, proofKind: settlement.proofKind,
            environment: settlement.environment)
    }

    /// The settlement in place of one that somebody else's lock holds up: its job is attempted again, and its order isn't touched.
    func release(_ settlement: Settlement) -> Settlement {
        logger.warning(
            "somebody has locked what an attempt is about; it is made again later",
            metadata: Self.names(settlement.job))
        return Settlement(
            settlement.job, .wait(.snooze(for: Self.pauseAfterLock), nil, lane: nil), message: "somebody else's lock was in the way"
        )
    }

    /// The settlement in place of one that the database refuses although its job was put off, or its order left to review.
    func discard(_ settlement: Settlement, _ message: String) -> Settlement {
        let job = settlement.job
        logger.error(
            "the database refused even a review; the job is discarded, and only its proof keeps the payment",
            metadata: Self.names(job, error: message))
        return Settlement(
            job, Settlement.Action(retry.decideUnstorable(), lane: nil), message: message,
            proofKind: settlement.proofKind, environment: settlement.environment)
    }

    private static func names(_ job: Job, error: String? = nil) -> Logger.Metadata {
        var names: Logger.Metadata = ["job.id": "\(job.id.rawValue)", "order.id": "\(job.orderID?.rawValue ?? "none")"]
        if let error { names["error"] = "\(error)" }
        return names
    }
}
