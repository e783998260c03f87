// SPDX-License-Identifier: Apache-2.0

extension Duration {
    /// As a number of seconds, the form that statements take.
    package var seconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    /// Rounded down, the form that timers take.
    var nanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
    }
}
