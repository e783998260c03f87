// SPDX-License-Identifier: Apache-2.0

/// How far a worker has come, and when its loops last went round. What a watchdog is fed by.
package struct WorkerProgress: Sendable, Equatable {
    package enum Phase: Sendable, Equatable {
        /// Not yet registered: the database was not reached, or refuses work for now.
        case waitingForDatabase
        case working
        case draining
    }

    package var phase = Phase.waitingForDatabase

    /// When the phase began.
    package var phaseBegan: ContinuousClock.Instant

    /// When the loop that claims, or that waits for the database, last went round, whatever came of it.
    package var lastRound: ContinuousClock.Instant

    /// When the database last answered a claim, with or without jobs.
    package var lastClaim: ContinuousClock.Instant?

    /// Since when claims fail, or signs of life while none is tried; nil while claims are answered.
    package var claimsFailSince: ContinuousClock.Instant?

    /// Since when they are answered again, after they failed.
    package var claimsAnsweredSince: ContinuousClock.Instant?

    /// When the sign of life was last written.
    package var lastHeartbeat: ContinuousClock.Instant?

    /// When the loop that writes it last went round, whatever came of it.
    package var lastHeartbeatRound: ContinuousClock.Instant

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
