// SPDX-License-Identifier: Apache-2.0

import Logging
import Postgres
import TestSupport
import Testing
import VerificationQueue

/// What a reader of the feed is told, and which cursors it may go on with.
@Suite struct ChangesSinceTests {
    /// Rejects orders one after the other.
    private func reject(_ shop: Shop, _ orders: [String], by connection: PostgresConnection? = nil) async throws {
        for order in orders {
            try await (connection ?? shop.admin).executeScript(
                "update counterfoil.orders set state = 'rejected', reason = gen_random_uuid()::text where order_id = '\(order)'")
        }
    }

    @Test func pagesEndWhereTheNextBegins() async throws {
        try await Shop.open { shop in
            for order in 1...7 { try await shop.order("\(order)") }
            var reader = try await ChangeReader(shop.backend)
            try await reject(shop, (1...7).map(String.init))

            #expect(try await reader.read("order_id", atMost: 3) == ["(1)", "(2)", "(3)"])
            // Told after the pages of this read.
            try await reject(shop, ["1"])
            #expect(try await reader.read("order_id", atMost: 3) == ["(4)", "(5)", "(6)"])
            #expect(try await reader.read("order_id", atMost: 3) == ["(7)"])
            #expect(try await reader.read("order_id", atMost: 3) == ["(1)"])
            #expect(try await reader.read("order_id", atMost: 3) == [])
        }
    }

    /// Each row has a cursor of its own: who keeps it after every change may stop anywhere.
    @Test func aReaderMayStopWithinAPage() async throws {
        try await Shop.open { shop in
            for order in 1...4 { try await shop.order("\(order)") }
            let start = try await ChangeReader(shop.backend).cursor
            try await reject(shop, (1...4).map(String.init))

            for size: Int32 in [2, 10] {
                let page = try await shop.backend.execute(
                    "select order_id, next_cursor from counterfoil.changes_since($1::text, $2::integer)",
                    [.text(start), .int4(size)])
                let rest = try await shop.backend.execute(
                    "select order_id from counterfoil.changes_since($1::text, 10)", [.text(page[0].string(1))])

                #expect(try rest.map { try $0.string(0) } == ["2", "3", "4"], "\(size)")
            }
        }
    }

    @Test func whatIsCommittedLaterIsToldLaterWhateverItsNumber() async throws {
        try await Shop.open { shop in
            for order in ["a", "b"] { try await shop.order(order) }
            var reader = try await ChangeReader(shop.backend)
            try await shop.admin.executeScript("begin")
            try await reject(shop, ["a"])
            try await reject(shop, ["b"], by: shop.worker)

            #expect(try await reader.read("order_id") == ["(b)"])
            #expect(try await reader.read("order_id") == [])
            try await shop.admin.executeScript("commit")
            #expect(try await reader.read("order_id") == ["(a)"])
            #expect(try await reader.read("order_id") == [])
        }
    }

    @Test func whatAReaderWritesItselfIsToldAfterItsCommit() async throws {
        try await Shop.open { shop in
            for order in ["a", "b"] { try await shop.order(order) }
            try await shop.admin.executeScript("begin; select pg_current_xact_id()")
            var reader = try await ChangeReader(shop.admin)
            try await reject(shop, ["a"])
            try await reject(shop, ["b"], by: shop.worker)

            #expect(try await reader.read("order_id") == ["(b)"])
            #expect(try await reader.read("order_id") == [])
            try await shop.admin.executeScript("commit")
            #expect(try await reader.read("order_id") == ["(a)"])
        }
    }

    @Test func whoBeginsAnewIsToldWhatIsKeptFromThatTimeOn() async throws {
        try await Shop.open { shop in
            for order in 1...3 { try await shop.order("\(order)") }
            // One an hour.
            try await shop.run(
                """
                insert into counterfoil.changes (kind, orders, versions, at)
                select 'order_rejected', array[o.number], '{1}', now() + (o.order_id::integer - 4) * interval '1 hour'
                from counterfoil.orders o order by o.order_id
                """)
            try await shop.admin.executeScript("begin")
            try await reject(shop, ["1"])
            var reader = try await ChangeReader(shop.backend, from: "-infinity")
            var late = try await ChangeReader(
                shop.backend, from: try #require(try await shop.value("select now() - interval '150 minutes'")))
            try await shop.admin.executeScript("commit")

            #expect(try await reader.read("order_id", atMost: 2) == ["(1)", "(2)"])
            #expect(try await reader.read("order_id", atMost: 2) == ["(3)"])
            #expect(try await reader.read("order_id", atMost: 2) == ["(1)"])
            #expect(try await late.read("order_id") == ["(2)", "(3)"])
            #expect(try await late.read("order_id") == ["(1)"])
        }
    }

    /// A page may end within a row.
    @Test(arguments: [1, 7, 99, 100, 101, 10_000] as [Int32])
    func pagesOfAnySizeAreTheWhole(size: Int32) async throws {
        try await Shop.open { shop in
            // Rows of 1 to 100 orders, and payments between them.
            try await shop.run(
                """
                insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
                select i || '-' || n, '\(Shop.bundle)', 'coins', 'ann'
                from generate_series(1, 21) i, generate_series(1, case i when 21 then 100 else 1 + i * 37 % 100 end) n;
                insert into counterfoil.changes (kind, orders, versions)
                select 'order_rejected', array_agg(o.number), array_agg(split_part(o.order_id, '-', 2)::integer)
                from counterfoil.orders o
                group by split_part(o.order_id, '-', 1)::integer order by split_part(o.order_id, '-', 1)::integer;
                insert into counterfoil.changes (kind, transaction_id, environment, bundle_id, reason)
                select 'payment_unclaimed', n, 'production', 'b', 'no_order' from generate_series(1, 9) n
                """)
            var whole = try await ChangeReader(shop.backend, from: "-infinity")
            let all = try await whole.read("id, order_id, order_version, transaction_id", atMost: 10_000)
            var reader = try await ChangeReader(shop.backend, from: "-infinity")
            var paged: [String] = []
            while case let page = try await reader.read("id, order_id, order_version, transaction_id", atMost: size), !page.isEmpty {
                paged += page
            }

            #expect(all.count == Set(all).count)
            #expect(all.count > 900)
            #expect(paged == all)
        }
    }

    /// The time from which a reader of this cursor begins anew; empty for the oldest change.
    private static func told(_ cursor: String) -> String {
        String(cursor.split(separator: "/", omittingEmptySubsequences: false).last?.prefix { $0 != "," } ?? "?")
    }

    /// A change that was written before a read, and is committed after it. Its transaction is the newest one at that read: no
    /// snapshot's xmax is above its number.
    @Test func whoBeginsAnewByHisCursorMissesNothing() async throws {
        try await Shop.open { shop in
            for order in ["a", "b", "c", "d", "e"] { try await shop.order(order) }
            try await reject(shop, ["a"])
            var reader = try await ChangeReader(shop.backend, from: "-infinity")
            _ = try await reader.read()
            try await reject(shop, ["c"], by: shop.worker)
            try await shop.admin.executeScript("begin")
            try await reject(shop, ["b"])
            let written = try #require(try await shop.value("select (extract(epoch from now()) * 1000000)::bigint"))
            _ = try await reader.read()
            try await reject(shop, ["d"], by: shop.worker)
            _ = try await reader.read()
            let before = reader.cursor
            try await shop.admin.executeScript("commit")
            // The time of the cursor stood still while the change was open. Before the first time, there is none.
            let time = try #require(Int(written))
            #expect((Int(Self.told(before)) ?? 0) < time)
            // It moves on. A database transaction of another test's holds it back.
            try await eventually("the cursor's time moves on") {
                try await reject(shop, ["e"])
                _ = try await reader.read()
                return (Int(Self.told(reader.cursor)) ?? 0) > time
            }
            let anew = try #require(try await shop.value("select counterfoil.changes_from_cursor('\(before)')"))
            let again = try await shop.rows("select order_id from counterfoil.changes_since('\(anew)')", as: shop.backend)
            #expect(again.contains("(b)"))
        }
    }

    @Test func whoBeganAtATimeBeginsAnewThere() async throws {
        try await Shop.open { shop in
            let cursors = try await shop.rows(
                """
                select counterfoil.changes_from(t::timestamptz)
                from unnest(array['-infinity', '2026-01-01Z', 'infinity']) with ordinality u (t, n) order by n
                """)

            let told = cursors.map { Self.told($0.filter { $0 != "(" && $0 != ")" && $0 != "\"" }) }

            #expect(told[0] == "")
            #expect(told[1] == "1767225600000000")
            #expect(try await shop.value("select abs(\(told[2]) / 1e6 - extract(epoch from now())) < 60") == "true")
        }
    }

    /// What is open then may have been written long before.
    @Test func whoBeginsWithWhatComesNextBeginsAnewBeforeWhatIsOpen() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.admin.executeScript("begin")
            try await reject(shop, ["a"])
            let begun = try #require(try await shop.value("select floor(extract(epoch from now()) * 1000000)::bigint"))

            let told = Self.told(try await ChangeReader(shop.backend).cursor)

            #expect(told == begun)
        }
    }

    @Test(arguments: [nil, "", "x", "1.2.3.00000001/5:5:/", "1.2.3.00000001/5:5:///,", "1.2.3.00000001/5:5:///1;drop,,."] as [String?])
    func nobodyBeginsAnewByWhatIsNoCursor(text: String?) async throws {
        try await Shop.open { shop in
            let refusal = try await Refusal.of {
                _ = try await shop.backend.execute("select counterfoil.changes_from_cursor($1::text)", [.text(text)])
            }
            #expect(refusal == Refusal("ZCU01", "cursor_unknown"))
        }
    }

    @Test func aCursorThatIsNotOfThisFeedIsUnknown() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.order("b")
            var reader = try await ChangeReader(shop.backend)
            try await reject(shop, ["a", "b"])
            _ = try await reader.read(atMost: 1)
            let paging = reader.cursor
            _ = try await reader.read()
            let whole = reader.cursor
            let server = String(whole.prefix { $0 != "/" })
            let parts = server.split(separator: ".").map(String.init)

            var unknown: [String?] = [nil, "", "/", "'", "\(server)/1:1:/5:5:/99999999999999999999/,,.", "\(server)/9:8:///,,."]
            for cursor in [paging, whole] { unknown += (1..<cursor.count).map { String(cursor.prefix($0)) } }
            // From the future, of another server, database, table, timeline.
            unknown.append("\(server)/999999999:999999999:///,,.")
            unknown.append("\(server)/1:1:/999999999:999999999:/1/,,.")
            for place in parts.indices {
                var others = parts
                others[place] = String((Int(parts[place]) ?? 0) + 1)
                unknown.append(whole.replacing(server, with: others.joined(separator: ".")))
            }
            for cursor in unknown {
                #expect(try await shop.refusal(of: cursor) == Refusal("ZCU01", "cursor_unknown"), "\(cursor ?? "null")")
            }
            for cursor in [paging, whole] { #expect(try await shop.refusal(of: cursor) == nil) }
        }
    }

    @Test(arguments: [0, -1, 10_001, 10_000_000, nil] as [Int32?])
    func aPageHasALimit(size: Int32?) async throws {
        try await Shop.open { shop in
            let cursor = try await ChangeReader(shop.backend).cursor

            #expect(try await shop.refusal(of: cursor, atMost: size) == Refusal("22023", "page_has_1_to_10000_changes"))
            #expect(try await shop.refusal(of: cursor, atMost: 10_000) == nil)
        }
    }

    /// A restored database has the changes of another server, and their transaction numbers mean nothing here.
    @Test func aRestoredFeedIsReadAfterAMigration() async throws {
        try await Shop.open { shop in
            for order in ["a", "b"] { try await shop.order(order) }
            try await reject(shop, ["a"])
            let old = try await ChangeReader(shop.backend).cursor
            let partition = try #require(
                try await shop.value("select tableoid::regclass from counterfoil.changes limit 1"))
            try await shop.run("update counterfoil.feed set server = 'another'; update \(partition) set xid = '4000000000'")
            let isRefused = Refusal("55000", "restored_changes_need_a_migration")
            #expect(try await shop.refusal(of: old) == isRefused)
            #expect(try await Refusal.of { _ = try await ChangeReader(shop.backend) } == isRefused)
            let number = try #require(try await shop.value("select max(id) from counterfoil.changes"))

            _ = try await SchemaMigrator(logger: .test).migrate(shop.admin)

            var reader = try await ChangeReader(shop.backend, from: "-infinity")
            #expect(try await reader.read("order_id") == ["(a)"])
            try await reject(shop, ["b"])
            // No number is given twice, also none that the backup didn't know of.
            #expect(try await reader.read("order_id, id > (\(number) + 100000000000) * 1000") == ["(b,t)"])
        }
    }

    /// The whole table, and its history of a year, cost nothing when nothing is new.
    @Test func nothingNewIsFoundByAFewLookUps() async throws {
        try await Shop.open { shop in
            try await shop.run(
                """
                insert into counterfoil.changes (kind, orders, versions)
                select 'order_rejected', '{1}', '{1}' from generate_series(1, 50000);
                analyze counterfoil.changes
                """)
            let cursor = try await ChangeReader(shop.backend).cursor
            let read = "select * from counterfoil.changes_since('\(cursor)', 1000)"
            _ = try await shop.rows(read)

            let lines = try await shop.admin.execute("explain (analyze, buffers, costs off, timing off) \(read)")
                .map { try $0.string(0) }

            let hits = lines.compactMap { $0.firstMatch(of: /shared hit=([0-9]+)/).flatMap { Int($0.1) } }.max()
            #expect(try #require(hits) < 100, "\(lines)")
            #expect(!lines.contains { $0.contains("read=") }, "\(lines)")
        }
    }
}
