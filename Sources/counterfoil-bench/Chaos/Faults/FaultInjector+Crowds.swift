// SPDX-License-Identifier: Apache-2.0

import EventSources
import FoundationEssentials
import Postgres
import Rehearsal

/// Jobs in great numbers, which are inserted past the shop.
extension FaultInjector {
    /// Few at a time, as customers come: a crowd at once would hold the processors, and be seen in the claims.
    private static let churnStep = Duration.milliseconds(10)
    private static let futureStep = 500_000
    /// An order may have 20 jobs that wait.
    private static let futureJobsOfOneOrder = 20

    /// Whether an order is one that a fault made, which no plan knows.
    static func isOfCrowd(_ order: String) -> Bool { ["churned-", "future-", "late-"].contains { order.hasPrefix($0) } }

    /// Inserts jobs at a steady rate, and waits until they are gone, while an analyst's transaction keeps what it saw. A
    /// twentieth as many come at the same rate before, so that it shows what that transaction does to the claims.
    func churn(_ jobs: Int, for duration: Duration, _ kind: FaultKind) async throws {
        let before = jobs / 20
        try await insertChurnedJobs(1...before, for: duration / 20)
        try await waitForChurnedJobs()
        let beginning = Date()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await self.analyse() }
            group.addTask {
                try await self.insertChurnedJobs((before + 1)...(before + jobs), for: duration)
                try await self.waitForChurnedJobs()
            }
            // The analyst asks until he is told to stop: if he is first, it is by an error, and nothing was shown.
            try await group.next()
            group.cancelAll()
            try? await group.waitForAll()
        }
        let counts = try await environment.overseer.execute(ChaosSQL.countChurnedOrders, timeout: .seconds(120))[0]
        let (judged, otherwise) = (try counts.int64(0), try counts.int64(1))
        if judged != before + jobs || otherwise != 0 {
            complain("of \(before + jobs) orders \(judged) were judged once, and \(otherwise) weren't")
        }
        note(kind, .none, since: beginning, remark: "\(judged) jobs came and went")
    }

    /// Asks long questions in one snapshot until it is cancelled.
    private func analyse() async throws {
        try await environment.overseer.withTransaction { connection in
            _ = try await connection.execute(ChaosSQL.freezeSnapshot)
            while true {
                _ = try await connection.execute(ChaosSQL.analyseOrders)
                try await Task.sleep(for: .seconds(2))
            }
        }
    }

    private func insertChurnedJobs(_ jobs: ClosedRange<Int>, for duration: Duration) async throws {
        let overseer = environment.overseer
        let apps = try await overseer.execute(ChaosSQL.listAppsWithoutCalls).map { try $0.string(0) }
        let start = ContinuousClock.now
        let steps = max(1, Int(duration / Self.churnStep))
        for step in 0..<steps {
            try await Task.sleep(until: start + Self.churnStep * step)
            let first = jobs.lowerBound + jobs.count * step / steps
            let last = jobs.lowerBound + jobs.count * (step + 1) / steps - 1
            guard first <= last else { continue }
            _ = try await overseer.execute(
                ChaosSQL.insertChurnedPurchases, [.int8(Int64(first)), .int8(Int64(last)), .textArray(apps)])
        }
    }

    private func waitForChurnedJobs() async throws {
        let database = environment.overseer
        try await before(.now + environment.settings.patience, waitingFor: "the end of the jobs that came and went") {
            while try await database.execute(ChaosSQL.hasChurnedJobs)[0].bool(0) {
                try await Task.sleep(for: .milliseconds(500))
            }
        }
    }

    /// Inserts jobs that are due tomorrow and later.
    func insertFutureJobs(_ jobs: Int, _ kind: FaultKind) async throws {
        let beginning = Date()
        let orders = jobs / Self.futureJobsOfOneOrder
        try await withoutTriggers { connection in
            _ = try await connection.execute(
                ChaosSQL.insertFutureOrders, [.int8(Int64(orders))], timeout: .seconds(300))
        }
        for first in stride(from: 0, to: jobs, by: Self.futureStep) {
            let last = min(first + Self.futureStep, jobs) - 1
            try await withoutTriggers { connection in
                _ = try await connection.execute(
                    ChaosSQL.insertFutureJobs, [.int8(Int64(first)), .int8(Int64(last)), .int8(Int64(orders))],
                    timeout: .seconds(300))
            }
        }
        let seconds = Int(Date().timeIntervalSince(beginning).rounded())
        note(kind, .none, since: beginning, remark: "\(jobs) jobs inserted in \(seconds) s")
    }

    /// - Returns: how many of them nobody had touched.
    func removeFutureJobs() async throws -> Int {
        try await withoutTriggers { connection in
            Int(try await connection.execute(ChaosSQL.deleteFutureJobs, timeout: .seconds(600))[0].int64(0))
        }
    }

    private func withoutTriggers<Success: Sendable>(
        _ body: @Sendable (isolated PostgresConnection) async throws -> Success
    ) async throws -> Success {
        try await environment.overseer.withTransaction { connection in
            _ = try await connection.execute(BenchStatement.skipTriggers)
            return try await body(connection)
        }
    }
}
