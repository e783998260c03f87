// SPDX-License-Identifier: Apache-2.0

/// How far behind the oldest job of its last claim a worker's next claim starts.
///
/// A value without I/O. A job shows up later than its `run_at` when the transaction that inserted it was open for a while.
/// To look far back each time would walk over all that was claimed meanwhile, as dead entries of the index that no vacuum
/// removes while an old snapshot is held. So most claims look back a quarter of a second, a few further, and one without end
/// every five seconds, or more seldom when that takes long.
package struct ClaimWindow: Sendable {
    /// The shortest distance: longer than transactions that insert jobs are open.
    package static let shortest = Duration.milliseconds(250)
    /// Which claims look back further: the first of each such span, and how far. Twice the span, so that what was held up for
    /// less than a span is found before another one has passed. Fewer than one claim in a hundred of a busy worker looks
    /// further back than a second.
    package static let furtherLooks: [(every: Duration, slack: Duration)] = [
        (.milliseconds(500), .seconds(1)), (.seconds(4), .seconds(8)), (.seconds(32), .seconds(64)),
    ]
    /// How far behind the marks a lane's jobs are looked for, to tell whether the lane is in use.
    package static let slackOfLanes = Duration.seconds(4)

    private var fullScans: FullScanSchedule
    private var firstClaim: ContinuousClock.Instant?
    /// Of the last claim that was answered, since the first.
    private var lastClaim = Duration.zero

    /// - Parameter fullScanInterval: how often a claim looks back without end while that takes little; somewhat different
    ///   in each worker, so that they don't do so at once.
    package init(fullScanInterval: Duration = .seconds(.random(in: 4...6))) {
        fullScans = FullScanSchedule(every: fullScanInterval)
    }

    /// How far before its marks a claim at this moment starts; nil: at the beginning.
    package func slack(at now: ContinuousClock.Instant) -> Duration? {
        guard let firstClaim, !fullScans.isDue(at: now) else { return nil }
        let passed = now - firstClaim
        let furthest = Self.furtherLooks.last { Int(passed / $0.every) > Int(lastClaim / $0.every) }
        return furthest?.slack ?? Self.shortest
    }

    /// Takes note of a claim that was answered.
    ///
    /// - Parameter slack: how far it looked back.
    package mutating func note(
        claimFrom began: ContinuousClock.Instant, to ended: ContinuousClock.Instant, slack: Duration?
    ) {
        let first = firstClaim ?? began
        firstClaim = first
        lastClaim = began - first
        if slack == nil { fullScans.note(from: began, to: ended) }
    }
}
