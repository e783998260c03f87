// SPDX-License-Identifier: Apache-2.0

/// How far back a scan looks for leases that ran out.
///
/// A value without I/O. A scan finds all leases that ran out before it, except those of jobs that a settlement has
/// locked at that moment. Such a settlement may fail. So the next scan looks back a little further than to the last
/// one. A full scan looks back without end; it comes every ten seconds, or less often when it takes long.
package struct RescueWindow: Sendable {
    /// How much further than to the last scan. Most settlements take less, and so does a scan's wait for a connection.
    package static let slack = Duration.milliseconds(500)
    /// How far a scan looks back before any scan was whole. Leases of a worker that died recently lie within.
    package static let spanWithoutScan = Duration.seconds(60)
    /// The time between two full scans while each takes little.
    package static let fullScanInterval = Duration.seconds(10)

    private var fullScans = FullScanSchedule(every: fullScanInterval)
    private var lastScan: ContinuousClock.Instant?

    package init() {}

    /// How long ago a lease may have run out for a scan at this moment to find it; nil for a full scan.
    package func span(at now: ContinuousClock.Instant) -> Duration? {
        guard !fullScans.isDue(at: now) else { return nil }
        return lastScan.map { now - $0 + Self.slack } ?? Self.spanWithoutScan
    }

    /// Notes a scan.
    ///
    /// - Parameters:
    ///   - span: how far the scan looked back.
    ///   - isWhole: whether the scan came to its end. A full scan that failed isn't repeated at once; shorter scans
    ///     find most leases meanwhile.
    package mutating func note(
        scanFrom began: ContinuousClock.Instant, to ended: ContinuousClock.Instant, span: Duration?, isWhole: Bool
    ) {
        if isWhole { lastScan = began }
        if span == nil { fullScans.note(from: began, to: ended) }
    }
}
