// SPDX-License-Identifier: Apache-2.0

import EventSources
import Logging
import Postgres
import PrivatePostgres
import TestSupport
import Testing
import VerificationQueue

@testable import Delivering

/// A server of its own, that crashes or fails over, has a pooler before it, or whose counters nobody else moves.
@Suite struct DeliveryFailoverTests {
    private static let role = "shop"

    private static func withShop(
        on server: PrivatePostgresServer, isNew: Bool = true, _ body: (DeliveryShop) async throws -> Void
    ) async throws {
        try await PostgresConnection.withConnection(to: server.url()) { admin in
            let shop = DeliveryShop(url: server.url(user: role), role: role, admin: admin)
            if isNew {
                _ = try await SchemaMigrator(logger: .test).migrate(admin)
                try await shop.setUp()
            }
            try await body(shop)
        }
    }

    @Test func aChangeThatWasCommittedLateIsDeliveredAfterAFailover() async throws {
        try await PrivatePostgresServer.withServer(settings: ["fsync=off"], logger: .test) { primary in
            try await Self.withShop(on: primary) { _ in }
            let standby = try await primary.startStandby(settings: ["fsync=off"])
            try await endingLast(standby.close) {
                try await Self.withShop(on: primary, isNew: false) { try await Self.commitLate($0, primary, standby) }
                try await primary.kill()
                try await standby.promote()
                try await Self.withShop(on: standby, isNew: false, Self.goOn)
            }
        }
    }

    /// Writes a change, delivers later ones, and commits the first: five minutes after it was written, by the times that are kept.
    private static func commitLate(
        _ shop: DeliveryShop, _ primary: PrivatePostgresServer, _ standby: PrivatePostgresServer
    ) async throws {
        try await shop.buy(["a", "b"])
        try await shop.delivering { try await shop.untilDelivered(2) }
        try await shop.run(
            """
            update shop.reader set safe_at = now() - interval '10 minutes';
            update shop.reader_pages set read_at = read_at - interval '10 minutes', last_at = last_at - interval '10 minutes'
            """)
        try await PostgresConnection.withConnection(to: primary.url()) { late in
            try await late.executeScript(
                """
                begin;
                insert into counterfoil.changes (kind, orders, versions, at)
                values ('order_in_review', array[\(orderNumber("a"))], '{2}', clock_timestamp() - interval '5 minutes')
                """)
            try await shop.buy(["c", "d"])
            try await shop.delivering { try await shop.untilDelivered(4) }
            #expect(try await shop.value("select safe_at < now() - interval '6 minutes' from shop.reader") == "true")
            try await late.executeScript("commit")
        }
        try await PostgresConnection.withConnection(to: standby.url()) { reader in
            try await reader.waitUntil(
                "(select count(*) from shop.deliveries) = 4 and (select sum(cardinality(orders)) from counterfoil.changes) = 5")
        }
    }

    /// The newest database transaction may have a number that is no smaller than the xmax of snapshots. A change of it that was
    /// written before a read is told after that read.
    @Test func theNewestTransactionHoldsBackTheTimeBeforeWhichAllWasTold() async throws {
        try await PrivatePostgresServer.withServer(settings: ["fsync=off", "autovacuum=off"], logger: .test) { server in
            try await Self.withShop(on: server) { shop in
                try await shop.buy(["a", "b"])
                try await shop.delivering { try await shop.untilDelivered(2) }
                try await shop.buy(["c"])
                try await PostgresConnection.withConnection(to: server.url()) { late in
                    try await late.executeScript(
                        """
                        begin;
                        insert into counterfoil.changes (kind, orders, versions)
                        values ('order_in_review', array[\(orderNumber("a"))], '{2}')
                        """)
                    let written = try await late.execute("select clock_timestamp()::text")[0].string(0)

                    try await shop.delivering { try await shop.untilDelivered(3) }

                    #expect(try await shop.value("select safe_at < '\(written)' from shop.reader") == "true")
                    try await late.executeScript("commit")
                }
                try await shop.buy(["d"])
                try await shop.delivering { try await shop.untilDelivered(4) }
                #expect(try await shop.faults() == [])
            }
        }
    }

    private static func goOn(_ shop: DeliveryShop) async throws {
        let log = EventLog<DelivererEvent>()
        try await shop.buy(["e"])
        try await shop.delivering(try shop.plan(nil), log: log) {
            try await shop.untilDelivered(5)
            try await shop.admin.waitUntil("(select count(*) from shop.calls) >= 6")
            try await log.wait(for: "a look that finds nothing", from: log.count) { $0.outcome == .looked(hasNews: false) }
        }

        #expect(log.all.contains { $0.outcome == .beganAnew })
        #expect(try await shop.value("select count(*) from shop.calls") == "6")
        #expect(try await shop.faults() == [])
    }

    /// All calls of a page are made when the server crashes; the note of the page waits for a lock.
    @Test(.timeLimit(.minutes(2))) func aServerThatCrashesBetweenCallAndCommitDeliversOnce() async throws {
        try await PrivatePostgresServer.withServer(settings: ["fsync=off"], logger: .test) { server in
            try await Self.withShop(on: server) { shop in
                try await shop.buy(["a"])
                try await shop.delivering { try await shop.untilDelivered(1) }
                try await shop.run("begin; lock table shop.reader_pages in exclusive mode")
                var patient = try shop.plan(nil)
                patient.callTimeout = .seconds(60)
                let plan = patient
                try await shop.delivering(plan) {
                    // By a session of its own: the other one is in a database transaction.
                    try await Self.withShop(on: server, isNew: false) { other in
                        try await other.buy(["b"])
                        try await other.admin.waitUntilALockIsWaitedFor("relation")
                    }
                    try await server.kill()
                    try await server.start()
                    try await Self.withShop(on: server, isNew: false) { try await $0.untilDelivered(2) }
                }
            }
            try await Self.withShop(on: server, isNew: false) { shop in
                let (faults, calls) = (try await shop.faults(), try await shop.value("select count(*) from shop.calls"))
                #expect(faults == [])
                #expect(calls == "2")
            }
        }
    }

    /// Behind a pooler the next database transaction may have another session, and somebody else may have this one.
    @Test(.timeLimit(.minutes(3)), .enabled(if: PgBouncer.isInstalled)) func aPoolersSessionsAreLeftAsTheyWere() async throws {
        try await PrivatePostgresServer.withServer(settings: ["fsync=off"], loopback: .trusted, logger: .test) { server in
            try await Self.withShop(on: server) { direct in
                try await PgBouncer.withPooler(before: server, database: "postgres", user: Self.role) { url in
                    let shop = DeliveryShop(url: url, role: Self.role, admin: direct.admin)
                    let harms = [
                        "settings", "temporary tables", "cursor with hold", "locks", "role", "P0001", "terminate", "deferred",
                    ]
                    for (number, harm) in harms.enumerated() {
                        try await shop.run("insert into shop.poison values ('o\(number)', '\(harm)')")
                    }
                    // Two deliverers of one state, and the pooler has two sessions.
                    try await shop.delivering {
                        try await shop.delivering {
                            try await shop.buy((0..<100).map { "o\($0)" })
                            try await shop.admin.waitUntil("(select count(*) from shop.deliveries) = 97", timeout: .seconds(60))
                            try await shop.admin.waitUntil(
                                "(select count(*) from shop.reader_waiting where next_at is not null) = 3", timeout: .seconds(60))
                        }
                    }
                    #expect(try await Self.remains(of: server, url) == Self.remains(of: server, direct.url))

                    try await shop.run("truncate shop.poison; update shop.reader_waiting set next_at = now()")
                    try await shop.delivering { try await shop.untilDelivered(100) }
                    #expect(try await shop.faults() == [])
                }
            }
        }
    }

    /// What a session has that an earlier user of it may have left.
    private static func remains(of server: PrivatePostgresServer, _ url: String) async throws -> [String] {
        let query = """
            select concat_ws(
                ' ', current_user, session_user, current_setting('search_path'), current_setting('synchronous_commit'),
                current_setting('statement_timeout'), current_setting('lock_timeout'),
                current_setting('idle_in_transaction_session_timeout'), current_setting('default_transaction_isolation'),
                current_setting('default_transaction_read_only'),
                (select count(*) from pg_cursors c where c.is_holdable),
                (select count(*) from pg_prepared_statements p where p.from_sql),
                (select count(*) from pg_listening_channels()),
                (select count(*) from pg_locks l where l.locktype = 'advisory'),
                (select count(*) from pg_class c where c.relpersistence = 't' and c.relkind = 'r'))
            """
        return try await PostgresConnection.withConnection(to: url) { connection in
            var found: Set<String> = []
            for _ in 1...20 { found.insert(try await connection.execute(query)[0].string(0)) }
            return found.sorted()
        }
    }

    /// Over 64 savepoints of one database transaction would have every session of the server look its numbers up there.
    @Test func noDeliveryIsASubtransaction() async throws {
        try await PrivatePostgresServer.withServer(settings: ["fsync=off"], logger: .test) { server in
            try await Self.withShop(on: server) { shop in
                let orders = (1...300).map { "o\($0)" }
                try await shop.run("insert into shop.poison values ('o5', 'P0001')")
                try await shop.buy(orders)
                let used = "select blks_hit + blks_read from pg_stat_slru where name = 'Subtrans'"
                // The purchases of this session are counted before.
                try await shop.run("select pg_stat_force_next_flush()")
                let before = try #require(try await shop.value(used))

                try await shop.delivering { try await shop.admin.waitUntil("(select count(*) from shop.deliveries) = 299") }

                // A session tells its counts at its end.
                try await shop.admin.waitUntil("not exists (select from pg_stat_activity where usename = 'shop')")
                // One of a page of deliveries would take hundreds. A session that waits for a lock looks once or twice.
                let after = try #require(try await shop.value(used))
                let looks = try #require(Int(after)) - #require(Int(before))
                #expect(looks < 20)
                try await shop.run("truncate shop.poison; update shop.reader_waiting set next_at = now()")
                try await shop.delivering { try await shop.untilDelivered(300) }
                #expect(try await shop.faults() == [])
            }
        }
    }
}
