// SPDX-License-Identifier: Apache-2.0

/// How far behind the oldest job of its last claim a worker's next claim starts.
///
/// A value without I/O. A job shows up later than its `run_at` when the transaction that inserted it was open for a while,
/// and when it had to wait for the end of another of its order. To look far back each time would walk over all that was
/// claimed meanwhile, as dead entries of the index that no vacuum removes while an old snapshot is held. So most claims look
/// back a quarter of a second, and of the others half as many look twice as far: a job that was held up for some time is
/// found before twice as much has passed again. One looks back without end every five seconds, or more seldom when that
/// takes long.
package struct ClaimWindow: Sendable {
    /// The shortest distance: longer than transactions that insert jobs are open.
    package static let shortest = Duration.milliseconds(250)
    /// How far behind the marks a lane's jobs are looked for, to tell whether the lane is in use.
    package static let slackOfLanes = Duration.seconds(4)

    private var fullScans: FullScanSchedule
    private var firstClaim: ContinuousClock.Instant?
    /// How many times the shortest distance had passed since the first claim, at the last one.
    private var lastRound = 0

    /// - Parameter fullScanInterval: how often a claim looks back without end while that takes little; somewhat different
    ///   in each worker, so that they don't do so at once.
    package init(fullScanInterval: Duration = .seconds(.random(in: 4...6))) {
        fullScans = FullScanSchedule(every: fullScanInterval)
    }

    /// How far before its marks a claim at this moment starts; nil: at the beginning.
    package func slack(at now: ContinuousClock.Instant) -> Duration? {
        guard let firstClaim, !fullScans.isDue(at: now) else { return nil }
        // The highest bit that changed tells the largest power of two of which a multiple was passed.
        let passed = lastRound ^ round(at: now, since: firstClaim)
        return Self.shortest * (1 << (Int.bitWidth - passed.leadingZeroBitCount))
    }

    /// Takes note of a claim that was answered.
    ///
    /// - Parameter slack: how far it looked back.
    package mutating func note(
        claimFrom began: ContinuousClock.Instant, to ended: ContinuousClock.Instant, slack: Duration?
    ) {
        let first = firstClaim ?? began
        firstClaim = first
        lastRound = round(at: began, since: first)
        if slack == nil { fullScans.note(from: began, to: ended) }
    }

    private func round(at now: ContinuousClock.Instant, since start: ContinuousClock.Instant) -> Int {
        Int((now - start) / Self.shortest)
    }
}
