// SPDX-License-Identifier: Apache-2.0

/// How long to wait before the next attempt to reach a database that is away.
///
/// Full jitter: anything between nothing and the ceiling, so that many processes that lost the same server don't come
/// back in step. The ceiling is low because a restarted database is to be worked with at once; an attempt costs it little.
///
/// | failures | ceiling |
/// |---|---|
/// | 1 | 100 ms |
/// | 2 | 200 ms |
/// | 3 | 400 ms |
/// | 4 and more | 800 ms |
struct ReconnectBackoff: Sendable {
    var first: Duration = .milliseconds(100)
    var longest: Duration = .milliseconds(800)

    /// - Parameters:
    ///   - failures: how often it failed in a row, from 1.
    ///   - fraction: a random number from 0 to 1.
    func delay(afterFailures failures: Int, fraction: Double) -> Duration {
        // Beyond this the ceiling is reached for any sensible lengths, and the shift must not overflow.
        let doublings = min(max(failures - 1, 0), 20)
        return min(longest, first * (1 << doublings)) * fraction
    }
}
