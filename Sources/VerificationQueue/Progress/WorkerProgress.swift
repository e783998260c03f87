// SPDX-License-Identifier: Apache-2.0

/// How far a worker has come, and when its loops last went round. The watchdog judges by it.
package struct WorkerProgress: Sendable, Equatable {
    package enum Phase: Sendable, Equatable {
        /// The worker is not registered yet: the database is away, or refuses work for now.
        case waitingForDatabase
        case working
        case draining
    }

    package var phase = Phase.waitingForDatabase

    /// When the phase began.
    package var phaseBegan: ContinuousClock.Instant

    /// When the claim loop last went round, or the loop that waits for the database. Rounds that failed count.
    package var lastRound: ContinuousClock.Instant

    /// When the database last answered a claim, with or without jobs.
    package var lastClaim: ContinuousClock.Instant?

    /// Since when claims fail, or heartbeats while the worker does not claim; nil while claims are answered.
    package var claimsFailSince: ContinuousClock.Instant?

    /// Since when claims are answered again, after they failed.
    package var claimsAnsweredSince: ContinuousClock.Instant?

    /// When the heartbeat was last written.
    package var lastHeartbeat: ContinuousClock.Instant?

    /// When the loop that writes heartbeats last went round. Rounds that failed count.
    package var lastHeartbeatRound: ContinuousClock.Instant

    /// When the queue was last counted for metrics.
    package var queueReadAt: ContinuousClock.Instant?

    package init(at now: ContinuousClock.Instant) {
        phaseBegan = now
        lastRound = now
        lastHeartbeatRound = now
    }

    mutating func enter(_ phase: Phase, at now: ContinuousClock.Instant) {
        guard self.phase != phase else { return }
        self.phase = phase
        phaseBegan = now
        lastRound = now
        lastHeartbeatRound = now
    }

    mutating func claimAnswered(at now: ContinuousClock.Instant) {
        lastClaim = now
        guard claimsFailSince != nil else { return }
        claimsFailSince = nil
        claimsAnsweredSince = now
    }

    mutating func claimFailed(at now: ContinuousClock.Instant) {
        claimsFailSince = claimsFailSince ?? now
    }
}
