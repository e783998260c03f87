// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

/// Old changes leave by the month, and no reader misses one without being told.
@Suite struct ChangeRetentionTests {
    private func drop(_ shop: Shop, retention: String = "60 days") async throws -> Int32 {
        try await shop.worker.execute("select counterfoil.drop_old_changes(interval '\(retention)')")[0].int32(0)
    }

    private func write(_ shop: Shop, _ order: String, daysAgo: Int) async throws {
        try await shop.order(order)
        try await shop.run(
            """
            insert into counterfoil.changes (kind, orders, versions, at)
            values ('x', array[\(orderNumber(order))], '{1}', now() - interval '\(daysAgo) days')
            """)
    }

    private func kept(_ shop: Shop) async throws -> [String] {
        try await shop.rows(
            "select o.order_id from counterfoil.changes c join counterfoil.orders o on o.number = c.orders[1] order by 1")
    }

    @Test(arguments: [true, false])
    func whatIsPastItsRetentionGoes(hasPartitions: Bool) async throws {
        try await Shop.open { shop in
            try await write(shop, "old", daysAgo: 200)
            try await write(shop, "new", daysAgo: 3)
            if hasPartitions { _ = try await shop.rows("select counterfoil.make_change_partitions()", as: shop.worker) }

            #expect(try await drop(shop) == 1)
            #expect(try await drop(shop) == 0)
            #expect(try await kept(shop) == ["(new)"])
        }
    }

    @Test func thirtyDaysAreKeptInAnyCase() async throws {
        try await Shop.open { shop in
            try await write(shop, "old", daysAgo: 32)
            try await write(shop, "new", daysAgo: 28)

            #expect(try await drop(shop, retention: "0") == 1)
            #expect(try await kept(shop) == ["(new)"])
        }
    }

    @Test(arguments: [true, false])
    func aCursorThatMissedWhatWasDroppedIsUnknown(hasPartitions: Bool) async throws {
        try await Shop.open { shop in
            let before = try await ChangeReader(shop.backend).cursor
            try await write(shop, "old", daysAgo: 200)
            if hasPartitions { _ = try await shop.rows("select counterfoil.make_change_partitions()", as: shop.worker) }
            // A database transaction of another test's, begun before, would hold the reader's cursor back.
            let old = try #require(try await shop.value("select max(xid) from counterfoil.changes"))
            try await shop.backend.waitUntil(
                "pg_snapshot_xmin(pg_current_snapshot()) > '\(old)'::xid8", timeout: .seconds(60))
            var reader = try await ChangeReader(shop.backend)

            #expect(try await shop.refusal(of: before) == nil)
            #expect(try await drop(shop) == 1)
            #expect(try await shop.refusal(of: before) == Refusal("ZCU01", "cursor_unknown"))
            // Who read it goes on, and who begins anew is told what is left.
            try await write(shop, "new", daysAgo: 0)
            #expect(try await reader.read("order_id") == ["(new)"])
            var anew = try await ChangeReader(shop.backend, from: "-infinity")
            #expect(try await anew.read("order_id") == ["(new)"])
        }
    }

    /// Its snapshot is older than the loss, and knows nothing of it.
    @Test func aLongDatabaseTransactionIsToldToBeginAgain() async throws {
        try await Shop.open { shop in
            let before = try await ChangeReader(shop.backend).cursor
            try await write(shop, "old", daysAgo: 200)
            _ = try await shop.rows("select counterfoil.make_change_partitions()", as: shop.worker)
            try await shop.backend.executeScript("begin isolation level repeatable read; select from counterfoil.order_status limit 1")
            #expect(try await drop(shop) == 1)

            #expect(try await shop.refusal(of: before) == Refusal("40001"))
        }
    }

    @Test func aMonthThatIsInUseIsLeftForTheNextTime() async throws {
        try await Shop.open { shop in
            try await write(shop, "old", daysAgo: 200)
            _ = try await shop.rows("select counterfoil.make_change_partitions()", as: shop.worker)
            try await shop.run("begin; select count(*) from counterfoil.changes")

            #expect(try await drop(shop) == 0)
            try await shop.run("commit")
            #expect(try await drop(shop) == 1)
        }
    }
}
