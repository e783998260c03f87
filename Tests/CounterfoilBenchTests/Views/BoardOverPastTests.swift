// SPDX-License-Identifier: Apache-2.0

import Postgres
import PrivatePostgres
import TestSupport
import Testing

@testable import counterfoil_bench

/// The Grafana board over two million attempts: every query of it answers within its time, and none reads a table of the past
/// whole.
@Suite struct BoardOverPastTests {
    private static let past = Past(orders: 400_000, attempts: 5)

    /// An administrator's patience, in milliseconds: ten times what a query may take on a machine that does nothing else.
    private static let limit = 2_000.0

    @Test func everyQueryAnswersInTime() async throws {
        let targets = try GrafanaBoard.read().panels.flatMap { panel in
            (panel.targets ?? []).map { (panel.title, $0) }
        }
        try #require(targets.count > 15)

        try await BenchDatabase.withDatabase(in: .disk, settings: ["fsync=off"], logger: .bench) { database in
            try await Self.past.fill(database)
            _ = try await Self.past.count(database)
            let size = PostgresStatement(name: "size", sql: "select pg_table_size('counterfoil.orders') / 8192")
            let pagesOfOrders = Int(try await database.pool.execute(size)[0].int64(0))
            try #require(pagesOfOrders > 5_000)
            let reader = PostgresPool(
                configuration: try PostgresConfiguration(url: database.server.url(user: "counterfoil_reader")), size: 1,
                logger: .bench)
            for (title, target) in targets {
                for bundle in ["*", BenchDatabase.bundleIDs[0]] {
                    let sql = target.sql(bundle: bundle, order: Past.id(777))
                    let statement = PostgresStatement(name: "panel", sql: "explain (analyze, buffers) \(sql)")
                    let plan = try await reader.execute(statement).map { try $0.string(0) }
                    let figures = try #require(PlanFigures(plan))

                    #expect(figures.executionTime < Self.limit, "\(title), \(bundle)")
                    #expect(figures.pages < pagesOfOrders, "\(title), \(bundle)")
                }
            }
            await reader.close()
        }
    }
}
