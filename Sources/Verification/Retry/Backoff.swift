// SPDX-License-Identifier: Apache-2.0

/// The delay before a retry: exponential, capped, with full jitter.
///
/// Each delay is drawn evenly from zero up to a ceiling that doubles with every attempt. A crowd of jobs that failed at
/// one moment so comes back spread over the whole ceiling, and not in waves. With the default values:
///
/// | After attempt | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 and later |
/// |---|---|---|---|---|---|---|---|---|---|---|
/// | Ceiling | 2 s | 4 s | 8 s | 16 s | 32 s | 64 s | 128 s | 256 s | 512 s | 900 s |
/// | Mean delay | 1 s | 2 s | 4 s | 8 s | 16 s | 32 s | 64 s | 128 s | 256 s | 450 s |
package struct Backoff: Hashable, Sendable {
    /// Ceiling after the first attempt. Default 2 seconds. Too low, and a passing fault costs many attempts; too high,
    /// and a customer waits for a hiccup.
    package var base: Duration

    /// Highest ceiling. Default 15 minutes. Too low, and an outage is hammered; too high, and orders wait long after
    /// its end.
    package var cap: Duration

    package init(base: Duration = .seconds(2), cap: Duration = .seconds(900)) {
        self.base = base
        self.cap = cap
    }

    /// The longest delay after the given attempt, counted from 1. It never falls from one attempt to the next.
    package func ceiling(afterAttempt attempt: Int) -> Duration {
        var ceiling = base
        var doublings = max(attempt, 1) - 1
        while doublings > 0 && ceiling < cap && ceiling > .zero {
            ceiling *= 2
            doublings -= 1
        }
        return min(ceiling, cap)
    }

    /// A delay after the given attempt, counted from 1: at least zero, below the ceiling.
    package func delay(afterAttempt attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        ceiling(afterAttempt: attempt) * Double.random(in: 0..<1, using: &generator)
    }

    /// A delay after the given attempt, counted from 1, never less than half the ceiling: with bad luck all attempts would
    /// otherwise come within a short incident.
    package func upperHalf(afterAttempt attempt: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        (ceiling(afterAttempt: attempt) + delay(afterAttempt: attempt, using: &generator)) / 2
    }
}
