// SPDX-License-Identifier: Apache-2.0

import EventSources
import Logging
import Postgres
import PrivatePostgres
import TestSupport
import Testing
import VerificationQueue

@testable import Delivering

/// A server of its own, that fails over or whose counters nobody else moves.
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
                insert into counterfoil.changes (kind, order_id, order_version, at)
                values ('order_in_review', 'a', 2, clock_timestamp() - interval '5 minutes')
                """)
            try await shop.buy(["c", "d"])
            try await shop.delivering { try await shop.untilDelivered(4) }
            #expect(try await shop.value("select safe_at < now() - interval '6 minutes' from shop.reader") == "true")
            try await late.executeScript("commit")
        }
        try await PostgresConnection.withConnection(to: standby.url()) { reader in
            try await reader.waitUntil(
                "(select count(*) from shop.deliveries) = 4 and (select count(*) from counterfoil.changes) = 5")
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

    /// Over 64 savepoints of one database transaction would have every session of the server look its numbers up there.
    @Test func noDeliveryIsASubtransaction() async throws {
        try await PrivatePostgresServer.withServer(settings: ["fsync=off"], logger: .test) { server in
            try await Self.withShop(on: server) { shop in
                let orders = (1...300).map { "o\($0)" }
                try await shop.run("insert into shop.poison values ('o5', 'P0001')")
                try await shop.buy(orders)
                let used = "select blks_hit + blks_read from pg_stat_slru where name = 'Subtrans'"
                let before = try #require(try await shop.value(used))

                try await shop.delivering { try await shop.admin.waitUntil("(select count(*) from shop.deliveries) = 299") }

                // A session tells its counts at its end.
                try await shop.admin.waitUntil("not exists (select from pg_stat_activity where usename = 'shop')")
                #expect(try await shop.value(used) == before)
                try await shop.run("truncate shop.poison; update shop.reader_waiting set next_at = now()")
                try await shop.delivering { try await shop.untilDelivered(300) }
                #expect(try await shop.faults() == [])
            }
        }
    }
}
