// SPDX-License-Identifier: Apache-2.0

import Testing
import VerificationQueue

/// When a watchdog is fed, and when it bites.
@Suite struct WorkerHealthTests {
    private static let start = ContinuousClock.now

    private static let limits = WorkerHealth.Limits(WorkerConfiguration())

    /// A progress, told by seconds since the start; health is judged at second 1000.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var phase = WorkerProgress.Phase.working
        var phaseBegan = 0.0
        var lastRound = 1000.0
        var lastClaim: Double? = 1000
        var claimsFailSince: Double?
        var claimsAnsweredSince: Double?
        var lastHeartbeat: Double? = 995
        var lastHeartbeatRound = 995.0
        let isAlive: Bool
        let isReady: Bool

        var progress: WorkerProgress {
            func at(_ second: Double) -> ContinuousClock.Instant { start + .seconds(second) }
            var progress = WorkerProgress(at: start)
            progress.phase = phase
            progress.phaseBegan = at(phaseBegan)
            progress.lastRound = at(lastRound)
            progress.lastClaim = lastClaim.map(at)
            progress.claimsFailSince = claimsFailSince.map(at)
            progress.claimsAnsweredSince = claimsAnsweredSince.map(at)
            progress.lastHeartbeat = lastHeartbeat.map(at)
            progress.lastHeartbeatRound = at(lastHeartbeatRound)
            return progress
        }
    }

    // The limits of the default configuration: rounds 40.05 s, heartbeats 52.5 s, readiness 5.05 s, drains 35 s.
    private static let cases = [
        Case(testDescription: "works", isAlive: true, isReady: true),
        Case(testDescription: "a claim takes long", lastRound: 994, isAlive: true, isReady: false),
        Case(testDescription: "the claim loop stands still", lastRound: 959, isAlive: false, isReady: false),
        Case(testDescription: "signs of life aren't written", lastHeartbeat: 947, isAlive: false, isReady: true),
        Case(
            testDescription: "the first sign of life is due", phaseBegan: 960, lastHeartbeat: nil, isAlive: true,
            isReady: true),
        Case(
            testDescription: "the first sign of life is late", phaseBegan: 947, lastHeartbeat: nil, isAlive: false,
            isReady: true),
        Case(testDescription: "has not claimed yet", lastClaim: nil, isAlive: true, isReady: false),
        Case(
            testDescription: "the database is away for long", lastRound: 990, lastClaim: 100, claimsFailSince: 101,
            lastHeartbeat: 95, lastHeartbeatRound: 970, isAlive: true, isReady: false),
        Case(
            testDescription: "the database is away and the claim loop stands still", lastRound: 900, lastClaim: 100,
            claimsFailSince: 101, lastHeartbeat: 95, isAlive: false, isReady: false),
        Case(
            testDescription: "the database is away and the heartbeat's loop stands still", lastRound: 999,
            lastClaim: 100,
            claimsFailSince: 101, lastHeartbeat: 95, lastHeartbeatRound: 900, isAlive: false, isReady: false),
        Case(
            testDescription: "the database is just back", claimsAnsweredSince: 999, lastHeartbeat: 95, isAlive: true,
            isReady: true),
        Case(
            testDescription: "the database is back, signs of life aren't", claimsAnsweredSince: 940, lastHeartbeat: 95,
            isAlive: false, isReady: true),
        Case(
            testDescription: "waits for the database", phase: .waitingForDatabase, lastRound: 998, lastClaim: nil,
            lastHeartbeat: nil, isAlive: true, isReady: false),
        Case(
            testDescription: "should wait for the database and stands still", phase: .waitingForDatabase,
            lastRound: 900,
            lastClaim: nil, lastHeartbeat: nil, isAlive: false, isReady: false),
        Case(
            testDescription: "drains", phase: .draining, phaseBegan: 970, lastRound: 900, isAlive: true, isReady: false),
        Case(testDescription: "drains without end", phase: .draining, phaseBegan: 964, isAlive: false, isReady: false),
    ]

    @Test(arguments: cases)
    func itIsWhatItsProgressSays(item: Case) {
        let health = WorkerHealth(of: item.progress, limits: Self.limits, at: Self.start + .seconds(1000))

        #expect(health.isAlive == item.isAlive)
        #expect(health.isReady == item.isReady)
    }

    @Test func limitsFollowTheConfiguration() {
        var configuration = WorkerConfiguration()
        configuration.pollInterval = .seconds(60)
        configuration.heartbeatInterval = .seconds(300)
        configuration.drainDuration = .seconds(3600)

        let limits = WorkerHealth.Limits(configuration)

        #expect(limits.round > .seconds(60 + 30))
        #expect(limits.heartbeat > .seconds(375 + 30))
        #expect(limits.drain > .seconds(3600 + 10))
        #expect(limits.readiness > .seconds(60))
    }
}
