// SPDX-License-Identifier: Apache-2.0

package import Verification

/// One run of a job, from its claim on: what came of it, and which calls it made.
package struct Attempt: Sendable {
    /// A call to the App Store, for the breaker of its lane.
    package struct Call: Sendable {
        package enum Result: Sendable, Hashable {
            /// The service answered, whatever it said.
            case answered
            /// The service or the way to it failed.
            case failed
            /// The service answered that it is called too often, and when it may be called again.
            case limited(Duration)
            /// The service answered that our own set-up is wrong.
            case misconfigured(String)
        }

        package let lane: LaneID
        package let result: Result
    }

    package let settlement: Settlement
    package let calls: [Call]

    /// The same attempt where it probed the closed gate of a lane.
    ///
    /// When the call failed again, the gate was closed rightly and the job has only waited behind it: the attempt
    /// doesn't count and ends nothing. Otherwise an outage would use up the attempts of the few jobs that are probed with,
    /// put them off for long after its end, or give one up at each probe.
    package func probing(_ lane: LaneID) -> Attempt {
        guard calls.first(where: { $0.lane == lane })?.result == .failed,
            case .keep(let disposition, _, let nextLane) = settlement.action
        else { return self }
        let delay: Duration
        switch disposition {
        case .retry(let backoff): delay = backoff
        case .discard: delay = .seconds(60)
        case .complete, .snooze, .release: return self
        }
        let uncounted = Settlement(
            settlement.job, .keep(.snooze(for: delay), .unchanged, lane: nextLane), reason: settlement.reason,
            message: settlement.message, proofKind: settlement.proofKind, environment: settlement.environment,
            unclaimed: settlement.unclaimed, revoked: settlement.revoked, crashed: settlement.crashed)
        return Attempt(settlement: uncounted, calls: calls)
    }
}
