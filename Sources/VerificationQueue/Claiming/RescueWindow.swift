// SPDX-License-Identifier: Apache-2.0

/// How far back a scan for leases that ran out has to look.
///
/// A value without I/O. What ran out before the last scan was found by it, but for jobs that were being settled at that
/// moment, and settlements may fail; so a scan looks back a little further, and every ten seconds without end, or more
/// seldom when that takes long.
package struct RescueWindow: Sendable {
    /// How much further than to the last scan: most settlements take less, and so does a scan to get a connection.
    package static let slack = Duration.milliseconds(500)
    /// How far a scan looks back while none was whole: the leases of a worker that died lately.
    package static let spanWithoutScan = Duration.seconds(60)
    /// How often a scan looks back without end, while that takes little.
    package static let fullScanInterval = Duration.seconds(10)

    private var fullScans = FullScanSchedule(every: fullScanInterval)
    private var lastScan: ContinuousClock.Instant?

    package init() {}

    /// How long ago the leases may have run out that a scan at this moment looks for; nil: however long.
    package func span(at now: ContinuousClock.Instant) -> Duration? {
        guard !fullScans.isDue(at: now) else { return nil }
        return lastScan.map { now - $0 + Self.slack } ?? Self.spanWithoutScan
    }

    /// Takes note of a scan.
    ///
    /// - Parameters:
    ///   - span: what it looked through.
    ///   - isWhole: whether it found all there was. One without end that failed isn't repeated at once: shorter ones find what they
    ///     can meanwhile.
    package mutating func note(
        scanFrom began: ContinuousClock.Instant, to ended: ContinuousClock.Instant, span: Duration?, isWhole: Bool
    ) {
        if isWhole { lastScan = began }
        if span == nil { fullScans.note(from: began, to: ended) }
    }
}
