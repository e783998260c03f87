// SPDX-License-Identifier: Apache-2.0

/// Whether a worker is alive and ready, judged by its progress.
///
/// A value without I/O: the same progress at the same moment has the same health.
package struct WorkerHealth: Sendable, Equatable {
    /// The longest pauses of a healthy worker.
    package struct Limits: Sendable, Equatable {
        /// Between two rounds of the claim loop. Default 40 s more than the poll interval: a statement times out after
        /// 30 s.
        package var round: Duration
        /// Between two heartbeats. Default 40 s more than the longest regular pause.
        package var heartbeat: Duration
        /// Of a drain. Default 15 s more than ``WorkerConfiguration/drainDuration``: the last attempts are settled
        /// after that.
        package var drain: Duration
        /// Between two rounds of a worker that is ready. Default 5 s more than the poll interval.
        package var readiness: Duration

        package init(_ configuration: WorkerConfiguration) {
            round = configuration.pollInterval + .seconds(40)
            heartbeat = configuration.heartbeatInterval * 1.25 + .seconds(40)
            drain = configuration.drainDuration + .seconds(15)
            readiness = configuration.pollInterval + .seconds(5)
        }
    }

    /// The worker makes progress, or waits for a database that is away. A worker that is not alive should be killed.
    package let isAlive: Bool

    /// The worker has claimed, and the database answers its claims.
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
            // While claims fail, heartbeats fail as well. Their loop must go on trying.
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
