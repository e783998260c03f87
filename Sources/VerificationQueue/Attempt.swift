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
}
