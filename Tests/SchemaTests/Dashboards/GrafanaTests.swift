// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import TestSupport
import Testing

/// The Grafana board: every query of it runs as the reader and shows something, and every panel says what it is.
@Suite struct GrafanaTests {
    /// Something in every view.
    private func seed(_ shop: Shop) async throws {
        let recent = "date_trunc('minute', now()) - interval '30 minutes'"
        let earlier = "date_trunc('hour', now()) - interval '3 hours'"
        for order in ["a", "b", "c"] {
            try await shop.order(order)
        }
        try await shop.upload("b")
        try await shop.run("update counterfoil.jobs set created_at = now() - interval '20 minutes'")
        for (job, time) in [recent, earlier].enumerated() {
            try await shop.attempt("a", job: job, transaction: "1", finished: time)
            try await shop.attempt("c", job: 10 + job, reason: "already_granted", finished: time)
        }
        try await shop.insertUnclaimed([("c", Payment(id: "9"))], reason: "owner_mismatch")
        try await shop.run(
            "insert into counterfoil.workers (name, host, pid, version, slots) values ('one', 'h', 1, '1', 10)")
        try await shop.run(
            "insert into counterfoil.gateway_keys (hash, prefix, name, scopes, made_by) values (sha256('k'), 'k', 'shop', '{read}', 'eve')")
        try await shop.run(
            """
            insert into counterfoil.webhook_endpoints (name, url, rate, in_flight, made_by, cursor, pace)
            values ('shop', 'https://shop.example/', 10, 1, 'eve', '', 10)
            """)
        try await shop.mark(final: earlier, counted: earlier)
        try await shop.rollUp()
    }

    @Test func everyQueryShowsSomething() async throws {
        let board = try GrafanaBoard.read()

        try await Shop.open { shop in
            try await seed(shop)
            try await shop.database.withConnection(as: "counterfoil_reader") { reader in
                for panel in board.panels {
                    for target in panel.targets ?? [] {
                        for bundle in ["*", Shop.bundle] {
                            let sql = target.sql(bundle: bundle, order: "a")
                            try #require(!sql.contains("$"), "\(panel.title)")
                            let rows = try await reader.execute(sql)

                            #expect(rows.count > 0, "\(panel.title), \(bundle)")
                        }
                    }
                }
            }
        }
    }

    @Test func aTimeSeriesHasATimeAndNumbers() async throws {
        let board = try GrafanaBoard.read()
        let series = board.panels.filter { $0.type == "timeseries" }
        try #require(series.count >= 4)

        try await Shop.open { shop in
            try await seed(shop)
            for target in series.flatMap({ $0.targets ?? [] }) {
                let row = try #require(try await shop.admin.execute(target.sql(bundle: "*", order: "a")).first)

                #expect(target.format == "time_series")
                #expect(row.columnName(0) == "time")
                #expect(throws: Never.self) { try row.timestamp(0) }
            }
        }
    }

    @Test func everyPanelSaysWhatItShows() throws {
        let panels = try GrafanaBoard.read().panels.filter { $0.type != "row" }

        #expect(panels.count > 15)
        #expect(Set(panels.map(\.title)).count == panels.count)
        for panel in panels {
            #expect((panel.description?.count ?? 0) > 20, "\(panel.title)")
            #expect(panel.datasource?.type == "postgres")
            // Whoever provisions another data source chooses it by the variable.
            #expect(panel.datasource?.uid == "${source}")
            #expect(panel.targets?.isEmpty == false)
        }
    }

    /// Whatever time the board is opened with.
    @Test(arguments: [("24 hours", "24h"), ("30 days", "30d")])
    func aPanelOfATimeShowsThatTime(words: String, span: String) throws {
        let panels = try GrafanaBoard.read().panels.filter { panel in
            panel.type == "timeseries" && (panel.title + (panel.description ?? "")).contains(words)
        }

        #expect(panels.count == 2)
        #expect(panels.allSatisfy { $0.timeFrom == span })
    }

    @Test func everyDashboardViewIsOnTheBoard() throws {
        let sql = try GrafanaBoard.read().panels.flatMap { $0.targets ?? [] }.map(\.rawSql).joined(separator: "\n")

        // Others are a part of health, app_store_health and promise.
        for view in DashboardTests.views where !["lane_backlogs", "meant_waits", "replication"].contains(view) {
            #expect(sql.contains("counterfoil.\(view)"), "\(view)")
        }
    }

    @Test func variablesAreQueriesThatRun() async throws {
        let variables = try GrafanaBoard.read().templating.list.filter { $0.type == "query" }
        try #require(!variables.isEmpty)

        try await Shop.open { shop in
            for variable in variables {
                let values = try await shop.read(variable.query)

                #expect(values == ["(\(Shop.bundle))"])
            }
        }
    }

    @Test func theProvisionedDataSourceIsTheReaderOverVerifiedTLS() throws {
        let text = try String(
            contentsOf: GrafanaBoard.folder.appending(path: "provisioning/datasources/counterfoil.yaml"), encoding: .utf8)

        #expect(text.contains("user: counterfoil_reader"))
        #expect(text.contains("sslmode: verify-full"))
        #expect(text.contains("password: $COUNTERFOIL_GRAFANA_PASSWORD"))
    }
}
