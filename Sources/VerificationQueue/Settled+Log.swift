// SPDX-License-Identifier: Apache-2.0

package import Logging
import Verification

extension Settled {
    /// Writes the one line that each attempt gets.
    package func log(to logger: Logger) {
        guard case .settled(let outcome) = result else {
            logger.warning("lease lost", metadata: ["job.id": "\(settlement.job.id.rawValue)"])
            return
        }
        logger.info(
            "attempt settled",
            metadata: [
                "job.id": "\(settlement.job.id.rawValue)", "job.attempt": "\(settlement.job.attempt)",
                "order.id": "\(settlement.job.order.id.rawValue)", "disposition": "\(settlement.disposition.name)",
                "outcome": "\(outcome.name)", "reason": "\((outcome.reason ?? settlement.reason)?.rawValue ?? "none")",
            ])
    }
}
