// SPDX-License-Identifier: Apache-2.0

/// What settling does to the job and to its order after an attempt that found nothing out.
package struct FailureDecision: Hashable, Sendable {
    package let disposition: Disposition
    package let outcome: OrderOutcome

    /// Why the job waits, or why it ended.
    package let reason: Reason

    package init(_ disposition: Disposition, _ outcome: OrderOutcome, reason: Reason) {
        self.disposition = disposition
        self.outcome = outcome
        self.reason = reason
    }
}
