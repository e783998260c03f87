// SPDX-License-Identifier: Apache-2.0

import Logging
import Postgres
import PrivatePostgres
import VerificationQueue

/// An administrator's session: reads views and takes the time.
struct ViewReader {
    let views: [PostgresStatement]
    private let pool: PostgresPool

    /// Finds out which views a reader may read.
    static func make(_ database: BenchDatabase, logger: Logger) async throws -> ViewReader {
        let rows = try await database.pool.execute(BenchStatement.listViews, [.text(Past.id(777))])
        let views = try rows.map { PostgresStatement(name: try $0.string(0), sql: try $0.string(1)) }
        let pool = PostgresPool(
            configuration: try PostgresConfiguration(url: database.server.url(user: "counterfoil_reader")), size: 1,
            logger: logger)
        return ViewReader(views: views, pool: pool)
    }

    /// - Returns: milliseconds until all rows were there.
    func read(_ view: PostgresStatement) async throws -> Double {
        let start = ContinuousClock.now
        _ = try await pool.execute(view, timeout: .seconds(10))
        return start.duration(to: .now).seconds * 1000
    }

    /// - Returns: what the server says that reading it took.
    func explain(_ view: PostgresStatement) async throws -> PlanFigures {
        let plan = PostgresStatement(name: "explain_view", sql: "explain (analyze, buffers) \(view.sql)")
        let lines = try await pool.execute(plan, timeout: .seconds(10)).map { try $0.string(0) }
        guard let figures = PlanFigures(lines) else { throw BenchError("the plan of \(view.name) has no figures") }
        return figures
    }

    /// Reads one view after the other, evenly, so that each is read once in a period.
    ///
    /// - Parameter first: which of them is read first, so that over several short times none is left out.
    func readInTurn(
        from first: Int, every period: Duration, while goesOn: () async throws -> Bool
    ) async throws -> [(name: String, milliseconds: Double)] {
        var readings: [(name: String, milliseconds: Double)] = []
        var next = first
        while try await goesOn() {
            let view = views[next % views.count]
            readings.append((view.name, try await read(view)))
            next += 1
            try await Task.sleep(for: period / views.count)
        }
        return readings
    }

    func close() async {
        await pool.close()
    }
}
