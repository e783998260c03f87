// SPDX-License-Identifier: Apache-2.0

/// The time that processors spent on this process.
enum ProcessorTime {
    static var now: Duration { .seconds(ProcessUsage.ofSelf.cpuSeconds) }

    /// How often a second of processor time `work` can be done, tried for at least `slice`.
    static func rate(over slice: Duration, _ work: () async throws -> Void) async rethrows -> Double {
        let start = now
        var count = 0
        var spent = Duration.zero
        repeat {
            // The clock is read seldom enough not to be measured itself.
            for _ in 0..<16 {
                try await work()
            }
            count += 16
            spent = now - start
        } while spent < slice
        return Double(count) / (spent / .seconds(1))
    }
}
