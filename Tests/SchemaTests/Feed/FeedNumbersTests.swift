// SPDX-License-Identifier: Apache-2.0

import Logging
import Postgres
import TestSupport
import Testing
import VerificationQueue

/// Numbers of changes and jobs: each is given once, whatever became of the server.
@Suite struct FeedNumbersTests {
    private static let timeline = "('x' || substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8))::bit(32)::bigint"

    /// Writes a change; the number of its row.
    private func tell(_ shop: Shop, at time: String = "now()") async throws -> Int64 {
        try await shop.admin.execute(
            """
            insert into counterfoil.changes (kind, orders, versions, at) values ('order_rejected', '{1}', '{1}', \(time))
            returning id
            """)[0].int64(0)
    }

    /// From now on numbers bear this epoch.
    private func begin(_ epoch: Int, _ shop: Shop) async throws {
        try await shop.run("update counterfoil.feed set epoch_offset = \(epoch) - \(Self.timeline)")
    }

    private func timeline(_ shop: Shop) async throws -> Int64 {
        try await shop.admin.execute("select \(Self.timeline)")[0].int64(0)
    }

    @Test func numbersBearTheEpoch() async throws {
        try await Shop.open { shop in
            try await shop.run("update counterfoil.feed set epoch_offset = 10")
            let epoch = try await timeline(shop) + 10
            try await shop.order("a")

            let row = try await tell(shop)
            let job = try await shop.upload("a")

            #expect(row / 10_000_000_000 == epoch)
            #expect(job / 10_000_000_000_000 == epoch)
            var reader = try await ChangeReader(shop.backend, from: "-infinity")
            #expect(try await reader.read("id") == ["(\(row * 1000))"])
        }
    }

    @Test func aLaterEpochHasTheHigherNumbers() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await begin(3, shop)
            let (row, job) = (try await tell(shop), try await shop.upload("a"))
            try await begin(4, shop)
            // As a server that lost what the other one gave.
            try await shop.run("select setval('counterfoil.change_ids', 1), setval('counterfoil.job_ids', 1)")

            #expect(try await tell(shop) > row)
            #expect(try await shop.upload("a") > job)
        }
    }

    @Test func aSequenceThatOutlivesItsEpochGoesOn() async throws {
        try await Shop.open { shop in
            try await shop.run("select setval('counterfoil.change_ids', 9999999998)")

            let numbers = [try await tell(shop), try await tell(shop), try await tell(shop)]

            #expect(numbers == (0..<3).map { numbers[0] + $0 })
        }
    }

    @Test func theLastNumberIsExactForEveryReader() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await begin(899, shop)
            try await shop.run("select setval('counterfoil.change_ids', 9999999998), setval('counterfoil.job_ids', 9999999999998)")

            #expect(try await tell(shop) * 1000 + 99 < 1 << 53)
            #expect(try await shop.upload("a") < 1 << 53)
        }
    }

    @Test func pastTheLastEpochNothingIsNumbered() async throws {
        try await Shop.open { shop in
            for order in ["a", "b"] { try await shop.order(order) }
            let isRefused = Refusal("2200H", "numbers_have_ended")
            try await begin(899, shop)
            try await shop.run("select setval('counterfoil.change_ids', 9999999999), setval('counterfoil.job_ids', 9999999999999)")

            #expect(try await Refusal.of { _ = try await tell(shop) } == isRefused)
            #expect(try await Refusal.of { _ = try await shop.upload("a") } == isRefused)
            #expect(try await Refusal.of { _ = try await shop.insertGrant("b", Payment(id: "1")) } == isRefused)
            // Nothing is granted without a change.
            #expect(try await shop.count("counterfoil.grants") == 0)
        }
    }

    @Test(arguments: [(809, "ok"), (810, "warning")])
    func healthWarnsAtNineTenths(epoch: Int, level: String) async throws {
        try await Shop.open { shop in
            let health = "select level from counterfoil.health where subject = 'numbers'"
            try await shop.order("a")
            try await begin(epoch, shop)
            _ = try await tell(shop)
            #expect(try await shop.rows(health) == ["(\(level))"])

            try await begin(1, shop)
            try await shop.run("set session_replication_role = replica; delete from counterfoil.changes")
            #expect(try await shop.rows(health) == ["(ok)"])
            try await begin(epoch, shop)
            _ = try await shop.upload("a")
            #expect(try await shop.rows(health) == ["(\(level))"])
        }
    }

    /// A server of many failovers has no change any more, and is restored to one of none.
    @Test func aRestoreGoesOnAboveWhatWasDropped() async throws {
        try await Shop.open { shop in
            try await begin(40, shop)
            let row = try await tell(shop, at: "now() - interval '200 days'")
            #expect(try await shop.worker.execute("select counterfoil.drop_old_changes(interval '60 days')")[0].int32(0) == 1)
            #expect(try await shop.count("counterfoil.changes") == 0)
            try await begin(1, shop)
            try await shop.run("update counterfoil.feed set server = 'another'")

            _ = try await SchemaMigrator(logger: .test).migrate(shop.admin)

            #expect(try await tell(shop) > row + 90_000_000_000)
        }
    }
}
