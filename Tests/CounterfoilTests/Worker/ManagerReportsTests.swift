// SPDX-License-Identifier: Apache-2.0

import Observability
import Postgres
import PrivatePostgres
import TestSupport
import Testing

@testable import VerificationQueue
@testable import CommandSupport
@testable import counterfoil

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What systemd is told of a worker.
@Suite struct ManagerReportsTests {
    private static func snapshot(_ phase: WorkerProgress.Phase, hasClaimed: Bool = true, isAlive: Bool = true)
        -> ProgramState
    {
        let now = ContinuousClock.now
        var progress = WorkerProgress(at: now)
        progress.phase = phase
        progress.lastClaim = hasClaimed ? now : nil
        let limits = WorkerHealth.Limits(WorkerConfiguration())
        return ProgramState(
            WorkerSnapshot(
                progress: progress, slots: 200, running: 3, unsettled: 1, proofBytes: 0,
                connections: PostgresPool.Connections(idle: 1, lent: 0, opening: 0), gates: [], queueReadAt: nil,
                health: WorkerHealth(of: progress, limits: limits, at: isAlive ? now : now + .seconds(3600))))
    }

    @Test func aWorkerThatWorksFeedsTheWatchdog() {
        let notices = ManagerReports.notices(on: Self.snapshot(.working), interval: .seconds(5))

        #expect(
            notices == [.status("3 of 200 slots busy, 1 to settle, last claim 0 s ago, all gates open"), .watchdog])
    }

    @Test(arguments: [WorkerProgress.Phase.working, .draining, .waitingForDatabase])
    func aWorkerThatStandsStillDoesNot(phase: WorkerProgress.Phase) {
        let notices = ManagerReports.notices(on: Self.snapshot(phase, isAlive: false), interval: .seconds(5))

        #expect(notices.count == 1)
        #expect(!notices.contains(.watchdog))
    }

    /// A start that waits for its database, and a drain, take as long as they take.
    @Test(arguments: [(WorkerProgress.Phase.waitingForDatabase, false), (.working, false), (.draining, true)])
    func startsAndDrainsAreGivenTime(phase: WorkerProgress.Phase, hasClaimed: Bool) {
        let notices = ManagerReports.notices(
            on: Self.snapshot(phase, hasClaimed: hasClaimed), interval: .seconds(5))

        #expect(notices.suffix(2) == [.watchdog, .extendTimeout(.seconds(20))])
    }

    @Test(.timeLimit(.minutes(3)))
    func aWorkerSaysWhenItIsReadyLivesAndStops() async throws {
        try await Shop.run { shop in
            let socket = try NoticeSocket()
            let began = ContinuousClock.now

            let ended = try await shop.whileWorking(["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "300000"]) { _ in
                try await socket.line(beginningWith: "READY=1")
                try await socket.line(beginningWith: "WATCHDOG=1", count: 3)
                try await socket.line(beginningWith: "STATUS=0 of 200 slots busy, 0 to settle, last claim")
            }

            try await socket.line(beginningWith: "STOPPING=1")
            #expect(socket.lines.filter { $0 == "READY=1" }.count == 1)
            #expect(ended.status == .exited(0))
            #expect(began.duration(to: .now) < .seconds(60))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aWorkerWithoutItsDatabaseIsNotReadyButLives() async throws {
        try await PrivatePostgresServer.withServer(settings: ["fsync=off"], logger: .test) { server in
            let environment = ["COUNTERFOIL_DATABASE_URL": server.url(user: "counterfoil_worker")]
            let operating = ["COUNTERFOIL_DATABASE_URL": server.url(user: "counterfoil_support")]
            #expect(try await Program.run(["migrate"], environment: ["COUNTERFOIL_DATABASE_URL": server.url()]).status.isSuccess)
            #expect(try await Program.run(["apps", "add", Shop.bundle], environment: operating).status.isSuccess)
            try await server.stop()
            let socket = try NoticeSocket()
            let watched = environment.merging(["NOTIFY_SOCKET": socket.path, "WATCHDOG_USEC": "300000"]) { $1 }

            _ = try await Program.whileRunning(["worker"], environment: watched) { _ in
                try await socket.line(beginningWith: "STATUS=waiting for the database")
                try await socket.line(beginningWith: "WATCHDOG=1", count: 3)
                try await socket.line(beginningWith: "EXTEND_TIMEOUT_USEC=")
                #expect(!socket.lines.contains("READY=1"))
                try await server.start()
                try await socket.line(beginningWith: "READY=1")
            }
        }
    }

    /// A watchdog that is meant for another process is not fed in its stead: reports come at their own pace.
    @Test func aWatchdogOfAnotherProcessIsNotOurs() throws {
        let own = "\(getpid())"

        #expect(try Settings.read(from: ["WATCHDOG_USEC": "30000000"]).watchdogInterval == .seconds(30))
        #expect(
            try Settings.read(from: ["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": own]).watchdogInterval == .seconds(30)
        )
        #expect(try Settings.read(from: ["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"]).watchdogInterval == nil)
        #expect(try Settings.read(from: ["WATCHDOG_USEC": "soon"]).watchdogInterval == nil)
        #expect(try Settings.read(from: [:]).watchdogInterval == nil)
    }
}
