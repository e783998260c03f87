// SPDX-License-Identifier: Apache-2.0

/// What a worker's progress says of it. Pure: the same progress at the same moment has the same health.
package struct WorkerHealth: Sendable, Equatable {
    /// How long what must go on may pause.
    package struct Limits: Sendable, Equatable {
        /// Default 40 s more than the poll interval: a statement may take 30 s until it is given up.
        package var round: Duration
        /// Default 40 s more than the longest pause between two signs of life.
        package var heartbeat: Duration
        /// Default 15 s more than the drain's own limit: what is left is settled after that.
        package var drain: Duration
        /// How old the last round may be of a worker that is ready. Default 5 s more than the poll interval.
        package var readiness: Duration

        package init(_ configuration: WorkerConfiguration) {
            round = configuration.pollInterval + .seconds(40)
            heartbeat = configuration.heartbeatInterval * 1.25 + .seconds(40)
            drain = configuration.drainDuration + .seconds(15)
            readiness = configuration.pollInterval + .seconds(5)
        }
    }

    /// It makes progress, or waits for a database that is away. One that is not alive should be killed.
    package let isAlive: Bool

    /// It has claimed, and the database answers it.
    package let isReady: Bool

    package let judgedAt: ContinuousClock.Instant

    package init(of progress: WorkerProgress, limits: Limits, at now: ContinuousClock.Instant) {
        judgedAt = now
        func isRecent(_ instant: ContinuousClock.Instant?, _ limit: Duration) -> Bool {
            guard let instant else { return false }
            return instant.duration(to: now) <= limit
        }
        switch progress.phase {
        case .waitingForDatabase:
            isAlive = isRecent(progress.lastRound, limits.round)
            isReady = false
        case .draining:
            isAlive = isRecent(progress.phaseBegan, limits.drain)
            isReady = false
        case .working:
            // While claims fail, signs of life can't be written either; their loop must go on trying all the same.
            let written = [progress.lastHeartbeat, progress.claimsAnsweredSince].compactMap(\.self)
            let beat =
                progress.claimsFailSince == nil
                ? written.reduce(progress.phaseBegan, max) : progress.lastHeartbeatRound
            isAlive = isRecent(progress.lastRound, limits.round) && isRecent(beat, limits.heartbeat)
            isReady =
                progress.lastClaim != nil && progress.claimsFailSince == nil
                && isRecent(progress.lastRound, limits.readiness)
        }
    }
}
