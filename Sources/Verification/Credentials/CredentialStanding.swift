// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// The facts about a secret or key that Apple has just refused for one proof, and the fault that follows from them.
///
/// Apple refuses some receipts' secret although it accepts the same secret for all others. Only a call about another proof shows
/// which of the two is at fault.
///
/// | Accepted before | Accepted for another proof since the refusal before this one | Orders refused since | For | Means |
/// |---|---|---|---|---|
/// | never, or another one since | | | | the credential is at fault |
/// | yes | yes | | | the proof is at fault |
/// | yes | no | 1 or 2 | | nobody knows yet |
/// | yes | no | 3 and more | less than 2 s | nobody knows yet |
/// | yes | no | 3 and more | 2 s and more | the credential is at fault |
package struct CredentialStanding: Hashable, Sendable {
    package enum Fault: Hashable, Sendable {
        /// Apple refuses it for all proofs: the lane's gate closes.
        case credential
        /// Apple refuses it for this proof, and accepts it for others: the refusal counts against the proof.
        case proof
        /// The job waits until others' calls show it. The attempt doesn't count.
        case unknown
    }

    /// So many orders, each with a proof of its own, close the gate if Apple accepted the credential for none in between.
    package static let ordersThatCloseTheGate = 3

    /// The time, in seconds, for which these refusals must stand before they close the gate. It begins with the first of them. A
    /// call under way needs it to be accepted, and a worker needs it to note the acceptance (`gateInterval`). Too short, and a
    /// burst of receipts that Apple refuses closes the gate for all others; too long, and more customers wait a minute after a
    /// credential was renewed at Apple.
    package static let secondsThatCloseTheGate: TimeInterval = 2

    /// Whether Apple accepted this very credential for the app, and no other one since.
    package let isAccepted: Bool

    /// Whether Apple accepted it for another proof after it had refused it for this one before. If the proof needs the credential,
    /// only proofs that need it count.
    package let isAcceptedSince: Bool

    /// Orders with a proof each for which it was refused since it was accepted last, this one among them; without those against
    /// whose proof it counted.
    package let refusedOrders: Int

    /// Seconds for which Apple has refused it for these orders and accepted it for none.
    package let refusedFor: TimeInterval

    /// Seconds since Apple first refused it for this proof; 0 the first time.
    package let sinceFirstRefusal: TimeInterval

    /// Whether Apple accepted it once, and another one since: it was rotated, and somebody still has it.
    package let isFormer: Bool

    package init(
        isAccepted: Bool, isAcceptedSince: Bool = false, refusedOrders: Int = 1, refusedFor: TimeInterval = 0,
        sinceFirstRefusal: TimeInterval = 0, isFormer: Bool = false
    ) {
        self.isAccepted = isAccepted
        self.isAcceptedSince = isAcceptedSince
        self.refusedOrders = refusedOrders
        self.refusedFor = refusedFor
        self.sinceFirstRefusal = sinceFirstRefusal
        self.isFormer = isFormer
    }

    package var fault: Fault {
        guard isAccepted else { return .credential }
        if isAcceptedSince { return .proof }
        let areEnough = refusedOrders >= Self.ordersThatCloseTheGate && refusedFor >= Self.secondsThatCloseTheGate
        return areEnough ? .credential : .unknown
    }
}
