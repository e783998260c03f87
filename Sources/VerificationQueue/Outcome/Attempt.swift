// SPDX-License-Identifier: Apache-2.0

package import Verification

/// A finished run of a job: the settlement that it asks for, and the calls that it made.
package struct Attempt: Sendable {
    /// A call to the App Store, for the breaker of its lane.
    package struct Call: Sendable {
        package enum Result: Sendable, Hashable {
            /// The service answered, whatever the answer.
            case answered
            /// The service or the way to it failed.
            case failed
            /// The service is called too often, and may be called again after this time.
            case limited(Duration)
            /// Our own set-up is wrong, by the service's answer.
            case misconfigured(String)
            /// The service refuses our secret or key, and it may be for this proof only.
            case credentialRefused
        }

        package let lane: LaneID
        package let result: Result

        /// The secret or key that the service accepted by its answer; nil where the answer doesn't show that.
        package let accepted: CredentialUse?

        package init(lane: LaneID, result: Result, accepted: CredentialUse? = nil) {
            self.lane = lane
            self.result = result
            self.accepted = accepted
        }
    }

    package let settlement: Settlement
    package let calls: [Call]

    /// The same attempt where it probed the closed gate of a lane.
    ///
    /// If the call failed again, the gate was closed rightly, and the job has only waited behind it: the attempt doesn't count and
    /// ends nothing. Otherwise an outage would use up the attempts of the few jobs that are probed with, delay them for long after
    /// its end, or discard one at each probe.
    package func probing(_ lane: LaneID) -> Attempt {
        guard calls.first(where: { $0.lane == lane })?.result == .failed else { return self }
        let delay: Duration
        switch settlement.action {
        case .wait(.retry(let backoff), _, _): delay = backoff
        case .discard: delay = .seconds(60)
        case .grantOne, .end, .wait: return self
        }
        let action = Settlement.Action.wait(.snooze(for: delay), settlement.reason, lane: settlement.lane)
        return Attempt(settlement: settlement.with(action: action), calls: calls)
    }
}

extension Attempt.Call.Result {
    init(_ failure: VerificationFailure) {
        switch failure.kind {
        case .transient: self = .failed
        case .rateLimited: self = .limited(failure.retryAfter ?? .seconds(1))
        case .configuration: self = .misconfigured(failure.message)
        case .credentialRefused: self = .credentialRefused
        case .uncertain, .needsAPerson: self = .answered
        }
    }
}
