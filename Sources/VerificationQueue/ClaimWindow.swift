// SPDX-License-Identifier: Apache-2.0

/// How far behind the oldest job of its last claim a worker's next claim starts.
///
/// A value without I/O. A job shows up later than its `run_at` when the transaction that inserted it was open for a while,
/// and when it had to wait for the end of another of its order. To look far back each time would walk over all that was
/// claimed meanwhile, as dead entries of the index that no vacuum removes while an old snapshot is held. So most claims look
/// back a quarter of a second, and of the others half as many look twice as far: a job that was held up for some time is
/// found before twice as much has passed again. Every five seconds one looks back without end.
package struct ClaimWindow: Sendable {
    /// The shortest distance: longer than transactions that insert jobs are open.
    package static let shortest = Duration.milliseconds(250)
    /// The longest distance of claims that don't look back without end.
    package static let longest = shortest * 16

    private let fullScanInterval: Duration
    private var lastFullScan: ContinuousClock.Instant?
    /// How many times the shortest distance had passed since the last full scan, at the last claim.
    private var lastRound = 0

    /// - Parameter fullScanInterval: how often a claim looks back without end; a little different in each worker, so that
    ///   they don't do so at once.
    package init(fullScanInterval: Duration = .seconds(.random(in: 4...6))) {
        self.fullScanInterval = fullScanInterval
    }

    /// How far before its marks a claim at this moment starts; nil: at the beginning.
    package func slack(at now: ContinuousClock.Instant) -> Duration? {
        guard let lastFullScan, now - lastFullScan < fullScanInterval else { return nil }
        // The highest bit that changed tells the largest power of two of which a multiple was passed.
        let passed = lastRound ^ round(at: now, since: lastFullScan)
        let doublings = Int.bitWidth - passed.leadingZeroBitCount
        return min(Self.shortest * (1 << doublings), Self.longest)
    }

    /// Takes note of a claim that was answered.
    ///
    /// - Parameters:
    ///   - began: when it began.
    ///   - slack: how far it looked back.
    package mutating func note(claimAt began: ContinuousClock.Instant, slack: Duration?) {
        if slack == nil { lastFullScan = began }
        lastRound = lastFullScan.map { round(at: began, since: $0) } ?? 0
    }

    private func round(at now: ContinuousClock.Instant, since start: ContinuousClock.Instant) -> Int {
        Int((now - start) / Self.shortest)
    }
}
