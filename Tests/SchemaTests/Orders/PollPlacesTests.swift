// SPDX-License-Identifier: Apache-2.0

import EventSources
import Logging
import Postgres
import PrivatePostgres
import TestSupport
import Testing
import VerificationQueue

/// Polls through a pooler that gives each statement another session, and of a server that takes no writes.
@Suite struct PollPlacesTests {
    private static let order = PostgresStatement(
        name: "poll", sql: "select s.client_action from counterfoil.order_status_of($1, $2) s", isPrepared: true)
    private static let orders = PostgresStatement(
        name: "polls", sql: "select s.client_action from counterfoil.order_statuses_of($1, $2) s", isPrepared: true)
    private static let transaction = PostgresStatement(
        name: "transaction", sql: "select s.client_action from counterfoil.transaction_status_of($1, $2, $3, $4) s",
        isPrepared: true)

    private static func setUp(_ server: PrivatePostgresServer) async throws {
        try await PostgresConnection.withConnection(to: server.url()) { connection in
            _ = try await SchemaMigrator(logger: .test).migrate(connection)
            try await connection.executeScript(
                """
                insert into counterfoil.apps (bundle_id) values ('com.example.game');
                insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
                select 'order ' || n, 'com.example.game', 'coins', 'ann' from generate_series(1, 20) n;
                insert into counterfoil.payments (
                    bundle_id, environment, transaction_id, original_transaction_id, product_id, quantity, purchased_at, reason,
                    shown_by_number, account_id
                )
                values (
                    'com.example.game', 'production', '1', '1', 'coins', 1, now(), 'renewal', \(orderNumber("order 1")), 'ann'
                )
                """)
        }
    }

    /// What polls of a backend answer.
    private static func poll(_ connection: PostgresConnection, _ number: Int) async throws -> [String] {
        let one = try await connection.execute(order, [.text("order \(number)"), .text("ann")])
        let several = try await connection.execute(orders, [.textArray(["order 1", "order 2"]), .text("ann")])
        let paid = try await connection.execute(
            transaction, [.text("com.example.game"), .text(nil), .text("1"), .text("ann")])
        let anothers = try await connection.execute(order, [.text("order \(number)"), .text("bob")])
        return try [one, several, paid, anothers].flatMap { rows in try rows.map { try $0.string(0) } }
    }

    private static let answers = ["upload_proof", "upload_proof", "upload_proof", "finish"]

    @Test(.enabled(if: PgBouncer.isInstalled, "pgbouncer is not installed"))
    func aTransactionPoolerPassesPollsOn() async throws {
        try await PrivatePostgresServer.withServer(settings: ["fsync=off"], loopback: .trusted, logger: .test) { server in
            try await Self.setUp(server)
            try await PgBouncer.withPooler(before: server, database: "postgres", user: "counterfoil_backend") { url in
                // More of them than sessions of the pooler.
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 1...4 {
                        group.addTask {
                            try await PostgresConnection.withConnection(to: url) { connection in
                                for number in 1...20 {
                                    let answers = try await Self.poll(connection, number)
                                    #expect(answers == Self.answers)
                                }
                            }
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    @Test func aStandbyAnswersPolls() async throws {
        try await PrivatePostgresServer.withServer(settings: ["fsync=off"], logger: .test) { primary in
            try await Self.setUp(primary)
            let standby = try await primary.startStandby(settings: ["fsync=off"])
            try await endingLast(standby.close) {
                try await PostgresConnection.withConnection(to: standby.url(user: "counterfoil_backend")) { connection in
                    try #require(try await connection.execute("select pg_is_in_recovery()")[0].bool(0))

                    #expect(try await Self.poll(connection, 1) == Self.answers)
                }
            }
        }
    }
}
