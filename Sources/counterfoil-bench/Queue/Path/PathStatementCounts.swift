// SPDX-License-Identifier: Apache-2.0

import Postgres
import PrivatePostgres

/// A drain by a hundred taken apart: what each statement costs, and which rows and index entries a job has written.
///
/// The counting costs something itself, so that the sums are above what the rounds show. Both counts come with PostgreSQL, as the
/// modules `pg_stat_statements`, which ``serverSettings`` load, and `pg_walinspect`.
struct PathStatementCounts {
    /// What the server must be started with. Until a connection asks for it, nothing is counted.
    static let serverSettings = ["shared_preload_libraries=pg_stat_statements", "pg_stat_statements.track=none"]

    private static let run = PathCase(product: .coins, batch: 100, targets: [], hasWorker: false)

    let runner: PathRunner
    let jobs: Int

    private var database: BenchDatabase { runner.database }

    func measure() async throws -> [Section] {
        try await database.pool.withConnection { connection in
            try await connection.executeScript(BenchStatement.makeStatementCounts.sql)
        }
        var sections: [Section] = []
        for contender in [PathContender.yardstick, .statements, .leanFloor] {
            sections.append(try await measure(contender))
        }
        return sections
    }

    private func measure(_ contender: PathContender) async throws -> Section {
        Progress.say("\(contender.name), statement by statement")
        let (script, pool) = try await fill(contender)
        _ = try await database.pool.execute(BenchStatement.countWorkerStatements)
        _ = try await database.pool.execute(BenchStatement.resetStatementCounts)
        let start = try await position()
        let lookups = try await lookups(pool)
        let grants = try await granted(contender, pool)
        _ = try await Pgbench(server: database.server).run(
            script, clients: 1, mode: .prepared, transactions: jobs / Self.run.batch,
            at: Pgbench.Target(
                host: database.server.socketFolder, port: database.server.port,
                database: contender == .yardstick ? Yardstick.databaseName : "postgres"))
        let granted = Double(max(1, try await granted(contender, pool) - grants))
        let lookedUp = Double(try await self.lookups(pool) - lookups)
        let end = try await position()
        _ = try await database.pool.execute(BenchStatement.ignoreWorkerStatements)
        let statements = try await database.pool.execute(
            BenchStatement.readStatementCounts, [.text(contender == .yardstick ? Yardstick.databaseName : "postgres")])
        let records = try await database.pool.execute(BenchStatement.countLogRecords, [.text(start), .text(end)])[0]
        try await contender == .yardstick ? runner.yardstick.clear() : database.clear()

        var measurements: [Measurement] = []
        for row in statements {
            measurements.append(
                Measurement(
                    try row.string(0), .count(try row.double(1) / granted, "µs a job"), .wal(try row.double(2) / granted),
                    .count(try row.double(3) / granted, "buffers a job")))
        }
        let rows = try ["inserted", "updated", "of these in their page", "deleted", "locked"].enumerated().map { column, name in
            Measurement.Figure.count(Double(try records.int64(column)) / granted, name)
        }
        measurements.append(Measurement("rows a job", all: rows))
        measurements.append(Measurement("index entries a job", .count(Double(try records.int64(5)) / granted, "written")))
        measurements.append(Measurement("index look-ups a job", .count(lookedUp / granted, "")))
        return Section("\(contender.name) by \(Self.run.batch), one client, statement by statement", measurements)
    }

    private func fill(_ contender: PathContender) async throws -> (script: String, pool: PostgresPool) {
        switch contender {
        case .yardstick:
            try await runner.yardstick.fill(jobs, of: .coins)
            return (runner.yardstick.script(batch: Self.run.batch, of: .coins).text, runner.yardstick.pool)
        case .leanFloor:
            try await database.fillLeanFloor(jobs)
            return (LeanFloor.script(Self.run.batch), database.pool)
        case .statements, .worker:
            try await database.fill(jobs)
            return (FloorScript(lanes: try await database.openLanes(), batch: Self.run.batch).text, database.pool)
        }
    }

    private func granted(_ contender: PathContender, _ pool: PostgresPool) async throws -> Int {
        contender == .leanFloor ? try await database.leanGrants() : try await PathRunner.kept(in: pool).grants
    }

    private func position() async throws -> String {
        try await database.pool.execute(BenchStatement.readFlushedPosition)[0].string(0)
    }

    private func lookups(_ pool: PostgresPool) async throws -> Int {
        Int(try await pool.execute(BenchStatement.countLookups)[0].int64(0))
    }
}
