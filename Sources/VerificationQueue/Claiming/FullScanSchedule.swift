// SPDX-License-Identifier: Apache-2.0

/// When to look through all of an index that is usually looked through in part.
///
/// A value without I/O. While an old snapshot holds vacuum back a full scan walks over all that was settled since, which
/// takes the longer the longer that lasts; so it comes the less often the longer the last one took.
package struct FullScanSchedule: Sendable {
    /// Of its time a worker spends at most one part in so many on the full scans of one schedule…
    package static let share = 50
    /// …unless they are further apart than this.
    package static let longestInterval = Duration.seconds(60)

    private let interval: Duration
    private var next: ContinuousClock.Instant?

    /// - Parameter interval: how often, while they take little.
    package init(every interval: Duration) {
        self.interval = interval
    }

    package func isDue(at now: ContinuousClock.Instant) -> Bool {
        next.map { now >= $0 } ?? true
    }

    /// Takes note of a full scan, whether it was answered or took too long.
    package mutating func note(from began: ContinuousClock.Instant, to ended: ContinuousClock.Instant) {
        next = ended + min(max(interval, (ended - began) * Self.share), Self.longestInterval)
    }
}
