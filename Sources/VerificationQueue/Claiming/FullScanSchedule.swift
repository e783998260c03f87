// SPDX-License-Identifier: Apache-2.0

/// When to scan the whole of an index that is usually scanned in part.
///
/// A value without I/O. While an old snapshot holds vacuum back, a full scan walks over the entries of all jobs that
/// were settled since. The longer the last full scan took, the later the next one comes.
package struct FullScanSchedule: Sendable {
    /// A worker spends at most one part in `share` of its time on the full scans of one schedule.
    package static let share = 50
    /// The longest time between two full scans, even when these then take more than their share.
    package static let longestInterval = Duration.seconds(60)

    private let interval: Duration
    private var next: ContinuousClock.Instant?

    /// - Parameter interval: the time between two full scans while each takes little.
    package init(every interval: Duration) {
        self.interval = interval
    }

    package func isDue(at now: ContinuousClock.Instant) -> Bool {
        next.map { now >= $0 } ?? true
    }

    /// Notes a full scan, also one that failed or took too long.
    package mutating func note(from began: ContinuousClock.Instant, to ended: ContinuousClock.Instant) {
        next = ended + min(max(interval, (ended - began) * Self.share), Self.longestInterval)
    }
}
