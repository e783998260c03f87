// SPDX-License-Identifier: Apache-2.0

import Logging
import Postgres
import Verification
import VerificationQueue

/// Claims from a queue with a large backlog, through the worker's own client: of orders whose ids ascend, as the other parts have
/// them, and of such with random ids, which lie spread over the indexes.
struct ClaimPart {
    static let batch = 50
    private static let claims = 1000

    let plan: QueueBenchPlan
    let database: BenchDatabase

    func measure() async throws -> [Section] {
        var sections: [Section] = []
        for (name, ids) in [("ascending", OrderIDs.ascending), ("random", .random(seed: plan.seed))] {
            try await database.clear()
            try await openGates()
            try await database.insertBacklog(plan.backlog, ids)
            try await database.settle()
            sections.append(try await measure(name))
        }
        return sections
    }

    private func measure(_ ids: String) async throws -> Section {
        let pool = PostgresPool(
            configuration: try PostgresConfiguration(url: database.workerURL), size: 1, logger: database.logger)
        let times = try await claim(pool, lanes: try await database.openLanes())
        let parked = try await park(pool)
        let others = try await claim(pool, lanes: try await database.openLanes())
        await pool.close()
        return Section(
            "claim: \(Self.batch) of \(plan.backlog) ready jobs of four lanes, \(times.count) times, one connection, "
                + "order ids \(ids)",
            [
                Measurement("99 of 100 claims", .milliseconds(times[99]), below: 2),
                Measurement(
                    "all claims", .milliseconds(times.median, "median"), .milliseconds(times[90], "90 %"),
                    .milliseconds(times[100], "longest")),
                Measurement(
                    "of the one lane that is open, \(parked) jobs parked behind the gates of the others",
                    .milliseconds(others.median, "median"), .milliseconds(others[99], "99 %")),
            ])
    }

    private func openGates() async throws {
        let gates = GateStore(pool: database.pool)
        for gate in try await gates.list() where !gate.isOpen {
            _ = try await gates.open(gate.lane, byOperator: true)
        }
    }

    /// Closes the gates of all apps but one; returns how many jobs wait behind them.
    private func park(_ pool: PostgresPool) async throws -> Int64 {
        let gates = GateStore(pool: pool)
        for gate in try await gates.list() where gate.bundleID.rawValue != BenchDatabase.bundleIDs[0] {
            _ = try await gates.close(gate.lane, by: .operator, for: "bench", why: "to park its jobs", firstProbe: nil)
        }
        return try await database.pool.execute(BenchStatement.countParkedJobs, timeout: .seconds(120))[0].int64(0)
    }

    private func claim(_ pool: PostgresPool, lanes: [LaneID]) async throws -> Percentiles {
        let store = JobStore(pool: pool)
        var schedule = ClaimPlanner()
        schedule.note(
            try await GateStore(pool: pool).laneHeads(of: lanes, lowWaterMarks: schedule.lowWaterMarks(of: lanes, slack: nil)))
        var times: [Double] = []
        for turn in 0..<(Self.claims + 20) {
            let plan = schedule.plan(lanes: lanes, running: [:], slots: 2 * Self.batch, limit: Self.batch)
            let start = ContinuousClock.now
            let claimed = try await store.claim(
                plan, worker: WorkerID(rawValue: 0), proofBytes: 64 << 20, lease: .seconds(600))
            let time = start.duration(to: .now)
            schedule.note(claimed.lazy.map { ($0.job.lane, $0.priority, $0.runAt) }, of: plan)
            guard claimed.count == Self.batch else {
                throw BenchError("a claim of \(Self.batch) took \(claimed.count) jobs")
            }
            // The first ones fill the caches of a new connection.
            if turn >= 20 {
                times.append(time.seconds * 1000)
            }
        }
        return Percentiles(times)
    }
}
