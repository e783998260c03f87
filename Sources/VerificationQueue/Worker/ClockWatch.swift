// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// Sees the server's clock go back. Pure: it is told the times.
struct ClockWatch {
    /// The largest step that says nothing, in seconds: answers take time, and clocks are slewed.
    static let tolerance: TimeInterval = 2

    private var last: (time: Date, at: ContinuousClock.Instant)?

    /// Whether the clock went back since the last time, or it is the first one: an earlier worker may have seen it.
    mutating func wentBack(to time: Date, at moment: ContinuousClock.Instant) -> Bool {
        defer { last = (time, moment) }
        guard let last else { return true }
        let passed = last.at.duration(to: moment) / .seconds(1)
        return time.timeIntervalSince(last.time) < passed - Self.tolerance
    }
}
