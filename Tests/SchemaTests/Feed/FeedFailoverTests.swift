// SPDX-License-Identifier: Apache-2.0

import EventSources
import Logging
import Postgres
import PrivatePostgres
import TestSupport
import Testing
import VerificationQueue

/// A primary dies under load and its standby is promoted: cursors of the old primary are unknown, and who begins anew misses
/// nothing that the new primary has.
@Suite struct FeedFailoverTests {
    private static let orders = 20

    /// Moves one order after the other until the server is gone.
    private static func write(to url: String) async {
        _ = try? await PostgresConnection.withConnection(to: url) { connection in
            for number in 0... {
                try await connection.executeScript(
                    """
                    update counterfoil.orders set state = 'rejected', reason = gen_random_uuid()::text, version = version + 1
                    where order_id = '\(number % orders)'
                    """)
            }
        }
    }

    /// A feed with some orders, and nothing told yet.
    private static func setUp(_ url: String) async throws {
        try await PostgresConnection.withConnection(to: url) { connection in
            _ = try await SchemaMigrator(logger: .test).migrate(connection)
            try await connection.executeScript(
                """
                insert into counterfoil.apps (bundle_id) values ('com.example.game');
                insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
                select n, 'com.example.game', 'coins', 'ann' from generate_series(0, \(orders - 1)) n
                """)
        }
    }

    private static func refusal(of cursor: String, _ connection: PostgresConnection) async throws -> Refusal? {
        try await Refusal.of {
            _ = try await connection.execute("select * from counterfoil.changes_since($1::text)", [.text(cursor)])
        }
    }

    @Test func whoBeginsAnewAfterAFailoverMissesNothing() async throws {
        try await PrivatePostgresServer.withServer(settings: ["fsync=off"], logger: .test) { primary in
            try await Self.setUp(primary.url())
            let standby = try await primary.startStandby(settings: ["fsync=off"])
            try await endingLast(standby.close) { try await Self.failOver(from: primary, to: standby) }
        }
    }

    /// Has a standby get nothing more from its primary.
    private static func cutOff(_ standby: PrivatePostgresServer) async throws {
        try await PostgresConnection.withConnection(to: standby.url()) { connection in
            try await connection.executeScript("alter system set primary_conninfo = ''")
            try await connection.executeScript("select pg_reload_conf()")
            try await connection.waitUntil("not exists (select from pg_stat_wal_receiver)", timeout: .seconds(60))
        }
    }

    /// The number of a change such as `(10000000001000,7,3)`.
    private static func number(of change: String) -> Int64 { Int64(change.dropFirst().prefix { $0 != "," }) ?? 0 }

    private static func failOver(from primary: PrivatePostgresServer, to standby: PrivatePostgresServer) async throws {
        let writer = Task { await write(to: primary.url()) }

        var told: Set<String> = []
        var cursor = ""
        try await PostgresConnection.withConnection(to: primary.url()) { connection in
            var reader = try await ChangeReader(connection)
            while told.count < 100 { told.formUnion(try await reader.read("id, order_id, order_version", atMost: 7)) }
            try await cutOff(standby)
            // What the standby lacks, and more of it than a sequence is ahead in the log.
            let newest = try await connection.execute("select max(id) * 1000 + 999 from counterfoil.changes")[0].int64(0)
            while told.count(where: { number(of: $0) > newest }) <= 32 {
                told.formUnion(try await reader.read("id, order_id, order_version", atMost: 7))
            }
            cursor = reader.cursor
        }
        try await PostgresConnection.withConnection(to: standby.url()) { connection in
            let refusal = try await refusal(of: cursor, connection)
            #expect(refusal == Refusal("25006", "changes_are_read_from_the_primary"))
        }

        try await primary.kill()
        await writer.value
        try await standby.promote()

        try await PostgresConnection.withConnection(to: standby.url()) { connection in
            #expect(try await refusal(of: cursor, connection) == Refusal("ZCU01", "cursor_unknown"))

            var reader = try await ChangeReader(connection, from: "-infinity")
            try await connection.executeScript("update counterfoil.orders set state = 'review', reason = 'owner_mismatch'")
            var again: [String] = []
            while case let page = try await reader.read("id, order_id, order_version", atMost: 50), !page.isEmpty { again += page }
            let kept = try await connection.execute(
                """
                select (c.id * 1000 + n.place - 1, o.order_id, n.order_version)::text
                from counterfoil.changes c
                cross join lateral unnest(c.orders, c.versions) with ordinality as n (number, order_version, place)
                join counterfoil.orders o on o.number = n.number
                order by c.id, n.place
                """
            ).map { try $0.string(0) }

            #expect(Set(again) == Set(kept))
            #expect(again.count == kept.count)
            // What comes again is known by its number. What was told and is lost has given its number to no other change.
            #expect(!told.isDisjoint(with: again))
            #expect(told.subtracting(again).count > 32)
            let changes = told.union(again)
            #expect(Set(changes.map(number)).count == changes.count)
        }
    }
}
