// SPDX-License-Identifier: Apache-2.0

/// How far back a scan for leases that ran out has to look.
///
/// A value without I/O. What ran out before the last scan was found by it, but for jobs that were being settled at that
/// moment, and settlements may fail; so a scan looks back a little further, and every ten seconds without end.
package struct RescueWindow: Sendable {
    /// How much further than to the last scan: most settlements take less, and so does a scan to get a connection.
    package static let slack = Duration.milliseconds(500)
    /// How often a scan looks back without end.
    package static let fullScanInterval = Duration.seconds(10)

    private var lastScan: ContinuousClock.Instant?
    private var lastFullScan: ContinuousClock.Instant?

    package init() {}

    /// How long ago the leases may have run out that a scan at this moment looks for; nil: however long.
    package func span(at now: ContinuousClock.Instant) -> Duration? {
        guard let lastScan, let lastFullScan, now - lastFullScan < Self.fullScanInterval else { return nil }
        return now - lastScan + Self.slack
    }

    /// Takes note of a scan that found all there was.
    ///
    /// - Parameters:
    ///   - began: when it began.
    ///   - span: what it looked through.
    package mutating func note(scanAt began: ContinuousClock.Instant, span: Duration?) {
        lastScan = began
        if span == nil { lastFullScan = began }
    }
}
