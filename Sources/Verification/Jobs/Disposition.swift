// SPDX-License-Identifier: Apache-2.0

/// What settling does to the job.
package enum Disposition: Hashable, Sendable {
    /// The job is done and leaves the queue; the order ends as the outcome says.
    case complete
    /// Available again after a delay; the attempt counts.
    case retry(after: Duration)
    /// Available again after a delay; the attempt doesn't count.
    case snooze(for: Duration)
    /// Handed back unused, to the lane that fits it; the attempt doesn't count.
    case release
    /// Gave up: kept for a person to look at, its order in review.
    case discard
}
