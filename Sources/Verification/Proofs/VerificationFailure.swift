// SPDX-License-Identifier: Apache-2.0

/// Verification could not find out. Nothing follows about the proof.
///
/// A class, so that it stays one word wide as a thrown error.
package final class VerificationFailure: Error, Sendable {
    package enum Kind: Hashable, Sendable {
        /// Apple's service or the way to it failed: tried again for as long as the horizon lasts.
        case transient
        /// An answer that may be a passing fault: tried a limited number of times, then the order ends as ``Ending`` has it.
        case uncertain(Ending)
        /// Too many calls: tried again when the other side allows it. Costs no attempt.
        case rateLimited
        /// A fault of our own set-up: costs no attempt, closes the gate, alerts.
        case configuration
        /// Apple refuses the app's secret or key for this proof: a fault of our set-up or of the proof, see ``CredentialStanding``.
        case credentialRefused
        /// Only an operator can decide.
        case needsAPerson
    }

    /// The end of the order if the uncertain answer stays.
    package enum Ending: Hashable, Sendable {
        case rejected
        case review
    }

    package let kind: Kind
    package let reason: Reason

    /// A line for logs and the attempts table: no proof, no secret.
    package let message: String

    /// The least time to wait, when the other side named one.
    package let retryAfter: Duration?

    /// The odd proof that Apple signed, if the failure is due to one.
    package let odd: OddProof?

    /// Whether the call's turn was over before a connection stood. Nothing was sent: the call is free to take another turn.
    package let isLate: Bool

    package init(
        _ kind: Kind, _ reason: Reason, message: String, retryAfter: Duration? = nil, odd: OddProof? = nil, isLate: Bool = false
    ) {
        self.odd = odd
        self.isLate = isLate
        self.kind = kind
        self.reason = reason
        self.message = message
        self.retryAfter = retryAfter
    }
}
