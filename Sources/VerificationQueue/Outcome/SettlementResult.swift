// SPDX-License-Identifier: Apache-2.0

package import Logging
package import Verification

/// How a settlement came out.
package struct SettlementResult: Sendable {
    package enum Result: Sendable, Equatable {
        /// Nothing was written: another worker holds the job, or it is gone.
        case leaseLost
        case settled(OrderOutcome)
    }

    package let settlement: Settlement
    package let result: Result

    /// Whether it recorded the refund of a part of a granted payment. A repetition records nothing.
    package var recordsRefundOfPart = false
}

extension SettlementResult {
    /// Writes the one line of an attempt.
    ///
    /// - Parameter lease: how long the job's lease was to last when the attempt began.
    package func log(to logger: Logger, lease: Duration) {
        guard case .settled(let outcome) = result else {
            logger.warning("lease lost", metadata: ["job.id": "\(settlement.job.id.rawValue)"])
            return
        }
        logger.info(
            "attempt settled",
            metadata: [
                "job.id": "\(settlement.job.id.rawValue)", "job.attempt": "\(settlement.job.attempt)",
                "order.id": "\(settlement.job.orderID?.rawValue ?? "none")", "disposition": "\(settlement.disposition)",
                "outcome": "\(outcome.name)", "reason": "\((outcome.reason ?? settlement.reason)?.rawValue ?? "none")",
                "environment": "\((outcome.environment ?? settlement.environment)?.rawValue ?? "none")",
                "duration_ms": "\(settlement.job.timeSinceClaim(lease: lease, at: .now).nanoseconds / 1_000_000)",
            ])
    }
}

extension Job {
    /// How long ago it was claimed, by this machine's clock.
    ///
    /// - Parameter lease: how long its lease was to last at the claim.
    func timeSinceClaim(lease: Duration, at now: ContinuousClock.Instant) -> Duration {
        lease - now.duration(to: leaseEnds)
    }
}
