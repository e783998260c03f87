// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import PrivatePostgres
import Rehearsal

/// What befalls the database.
extension FaultInjector {
    func crashDatabase(_ away: Duration, _ kind: FaultKind) async throws {
        try await environment.server.kill()
        try await Task.sleep(for: away)
        try await environment.server.start()
        note(kind, .settlement)
    }

    func failOver(_ kind: FaultKind) async throws {
        try await promoteStandby(after: environment.server.kill, kind)
    }

    func switchOver(_ kind: FaultKind) async throws {
        try await promoteStandby(after: environment.server.stop, kind)
    }

    private func promoteStandby(after end: () async throws -> Void, _ kind: FaultKind) async throws {
        guard let standby = environment.standby else { throw BenchError("there is no standby to promote") }
        try await end()
        try await standby.promote()
        note(kind, .settlement)
    }

    /// Stops the standby that commits wait for. As long as it is away, no order may become fulfilled for anybody to see.
    func takeStandbyAway(for duration: Duration, _ kind: FaultKind) async throws {
        guard let standby = environment.standby else { throw BenchError("there is no standby to take away") }
        let beginning = Date()
        try await standby.kill()
        // Commits that the standby had got are still answered.
        try await Task.sleep(for: .seconds(1))
        let before = try await countFulfilledOrders()
        let end = ContinuousClock.now + duration
        while ContinuousClock.now < end {
            if environment.settings.cancelsWaitingCommits {
                _ = try await environment.overseer.execute(ChaosSQL.cancelWaitingCommits)
            }
            try await Task.sleep(for: .seconds(1))
        }
        let seen = try await countFulfilledOrders() - before
        if seen != 0 { complain("\(seen) orders became fulfilled while no standby had them") }
        let waiting = try await environment.overseer.execute(ChaosSQL.countWaitingCommits)[0].int64(0)
        if waiting == 0 && !environment.settings.cancelsWaitingCommits { complain("no commit waited for the standby") }
        try await standby.start()
        note(kind, .settlement, since: beginning, remark: "\(waiting) commits waited")
    }

    private func countFulfilledOrders() async throws -> Int64 {
        try await environment.overseer.execute(ChaosSQL.countFulfilledOrders)[0].int64(0)
    }

    /// Leaves no byte free where the data lies; brings the server back if it gave up.
    func fillDisk(for duration: Duration, _ kind: FaultKind) async throws {
        guard let disk = environment.disk else { throw BenchError("there is no small disk to fill") }
        let beginning = Date()
        let size = try await disk.fill(for: duration)
        var starts = 0
        let deadline = ContinuousClock.now + .seconds(60)
        while await !isAnswering() {
            guard ContinuousClock.now < deadline else { throw BenchError("the server doesn't come back") }
            if await !environment.server.isRunning {
                try await environment.server.start()
                starts += 1
            }
        }
        note(
            kind, .settlement, since: beginning,
            remark: "\(size >> 20) MiB taken" + (starts > 0 ? ", the server had given up" : ", the server went on"))
    }

    private func isAnswering() async -> Bool {
        (try? await environment.overseer.execute(ChaosSQL.doNothing, timeout: .milliseconds(500))) != nil
    }

    /// Brings the schema up to date, and lets workers begin that need it.
    func migrate(_ kind: FaultKind) async throws {
        let beginning = Date()
        let applied = try await environment.migrate()
        if applied.isEmpty { complain("the program that was to be older knows this schema") }
        note(kind, .settlement, since: beginning, remark: "applied " + applied.joined(separator: ", "))
        try await WorkerFleet.waitForWorkers(environment.settings.workers, environment.overseer)
    }
}
