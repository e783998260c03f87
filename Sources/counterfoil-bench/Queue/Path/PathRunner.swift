// SPDX-License-Identifier: Apache-2.0

import Postgres
import PrivatePostgres

/// Empties a queue as each contender does, and tells what that cost the server.
struct PathRunner {
    let database: BenchDatabase
    let yardstick: Yardstick

    /// One run, with the tables vacuumed and a checkpoint behind them.
    func run(_ contender: PathContender, _ run: PathCase, jobs: Int) async throws -> PathCost {
        Progress.say("\(contender.name), \(run.title)")
        switch contender {
        case .yardstick:
            try await yardstick.fill(jobs, of: run.product)
            let cost = try await send(yardstick.script(batch: run.batch, of: run.product), to: yardstick.pool, run, jobs: jobs)
            try await yardstick.clear()
            return cost
        case .statements:
            try await database.fill(jobs, of: run.product)
            let script = FloorScript(lanes: try await database.openLanes(), batch: run.batch, product: run.product)
            let cost = try await send(script, to: database.pool, run, jobs: jobs)
            try await database.clear()
            return cost
        case .leanFloor:
            let floor = try await LeanFloor(database: database).measure(jobs, batch: run.batch, clients: run.clients)
            return PathCost(cpuMicroseconds: floor.serverMicroseconds, logBytes: floor.walBytes)
        case .worker:
            return try await drain(run, jobs: jobs)
        }
    }

    /// The bytes of what is kept for good, and the payments that are granted.
    static func kept(in pool: PostgresPool) async throws -> (bytes: Int, grants: Int) {
        let row = try await pool.execute(BenchStatement.measureKept, timeout: .seconds(60))[0]
        return (Int(try row.int64(0)), Int(try row.int64(1)))
    }

    /// The last claims of several clients may come back short: they leave a few jobs to nobody.
    private func send(_ script: FloorScript, to pool: PostgresPool, _ run: PathCase, jobs: Int) async throws -> PathCost {
        let before = try await Self.kept(in: pool).grants
        let (_, usage) = try await database.usage {
            try await Pgbench(server: database.server).run(
                script.text, clients: run.clients, mode: .prepared, transactions: (jobs + run.batch - 1) / run.batch,
                at: Pgbench.Target(
                    host: database.server.socketFolder, port: database.server.port,
                    database: pool === yardstick.pool ? Yardstick.databaseName : "postgres"))
        }
        let granted = try await Self.kept(in: pool).grants - before
        guard granted > jobs * 9 / 10 else { throw BenchError("\(granted) of \(jobs) jobs were granted (\(run.title))") }
        return PathCost(usage, granted: granted)
    }

    private func drain(_ run: PathCase, jobs: Int) async throws -> PathCost {
        try await database.fill(jobs, of: run.product)
        let before = try await Self.kept(in: database.pool).grants
        let (report, usage) = try await database.usage {
            try await WorkerProcess.run(
                WorkerPlan(
                    databaseURL: database.workerURL, verification: .immediate, slots: 2 * run.batch, batch: run.batch, jobs: jobs,
                    seconds: 120))
        }
        let granted = try await Self.kept(in: database.pool).grants - before
        guard report.settled == jobs, granted == jobs else {
            throw BenchError("the worker settled \(report.settled) and granted \(granted) of \(jobs) jobs")
        }
        return PathCost(usage, granted: granted)
    }
}

extension PathCost {
    init(_ usage: (cpuSeconds: Double, walBytes: Int), granted: Int) {
        self.init(
            cpuMicroseconds: usage.cpuSeconds * 1e6 / Double(granted), logBytes: Double(usage.walBytes) / Double(granted))
    }
}
