// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

/// Lists of orders by account: pages of one account's, and look-ups for many accounts at once.
@Suite struct AccountOrdersTests {
    private func page(_ shop: Shop, _ arguments: String) async throws -> [String] {
        try await shop.rows("select order_id from counterfoil.orders_of(\(arguments))", as: shop.backend)
    }

    @Test func anAccountsOrdersAreListedNewestFirst() async throws {
        try await Shop.open { shop in
            for number in 1...5 { try await shop.order("o\(number)") }
            try await shop.order("bobs", account: "bob")

            #expect(try await page(shop, "'ann'") == ["(o5)", "(o4)", "(o3)", "(o2)", "(o1)"])
            #expect(try await page(shop, "'ann', 2") == ["(o5)", "(o4)"])
            #expect(try await page(shop, "'ann', 2, 'o4'") == ["(o3)", "(o2)"])
            #expect(try await page(shop, "'ann', 2, 'o1'") == [])
            #expect(try await page(shop, "'eve'") == [])
        }
    }

    @Test func filtersLeaveOthersOut() async throws {
        try await Shop.open { shop in
            for order in ["open", "paid", "cancelled", "rejected"] { try await shop.order(order) }
            try await shop.order("pro", product: "pro")
            try #require(try await shop.insertGrant("paid", Payment(id: "1")))
            try await shop.run("select * from counterfoil.cancel_order('cancelled', 'gone')")
            try await shop.settleOrder("rejected", "rejected", "malformed_proof")

            #expect(try await page(shop, "'ann', state => 'fulfilled'") == ["(paid)"])
            #expect(try await page(shop, "'ann', product_id => 'pro'") == ["(pro)"])
            #expect(try await page(shop, "'ann', payable => true") == ["(pro)", "(rejected)", "(open)"])
            #expect(try await page(shop, "'ann', bundle_ids => '{com.example.other}'") == [])
            #expect(try await page(shop, "'ann', bundle_ids => '{\(Shop.bundle)}', at_most => 1") == ["(pro)"])
        }
    }

    @Test func ordersOfManyAccountsAreReadAtOnce() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.order("b", account: "bob")
            try await shop.order("c", account: "cid")

            let rows = try await shop.rows(
                """
                select order_id, account_id, state
                from counterfoil.order_statuses_of_accounts('{a,b,c,c,x,a}', '{ann,bob,ann,cid,ann,ann}') order by 1
                """, as: shop.backend)

            #expect(rows == ["(a,ann,open)", "(b,bob,open)", "(c,cid,open)"])
            // An order without an account at its place is nobody's.
            #expect(try await shop.rows("select * from counterfoil.order_statuses_of_accounts('{a,b}', '{eve}')") == [])
        }
    }

    /// 200,000 unpaid orders of one account among as many of others.
    @Test func aPageCostsWhatItsOrdersCost() async throws {
        try await Shop.open { shop in
            try await shop.run(
                """
                set session_replication_role = replica;
                insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, created_at)
                select 'big ' || i, '\(Shop.bundle)', 'coins', 'big', now() + i * interval '1 ms' from generate_series(1, 200000) i;
                insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
                select 'other ' || i, '\(Shop.bundle)', 'coins', 'account ' || i % 1000 from generate_series(1, 200000) i;
                reset session_replication_role
                """)
            try await shop.run("vacuum analyze counterfoil.orders")

            for (call, rows) in [
                ("open_orders('big', 'coins')", 100), ("open_orders('big', 'coins', 100, 'big 150000')", 100),
                ("orders_of('big')", 100), ("orders_of('big', 100, 'big 100000')", 100), ("orders_of('big', payable => true)", 100),
                (
                    """
                    order_statuses_of_accounts(
                        (select array_agg('other ' || i) from generate_series(1, 100) i),
                        (select array_agg('account ' || i) from generate_series(1, 100) i))
                    """, 100
                ),
            ] {
                // The first call of a session also plans.
                _ = try await shop.backend.execute("select * from counterfoil.\(call)")
                let explained = try await shop.backend.execute(
                    "explain (analyze, buffers, timing off) select * from counterfoil.\(call)"
                ).map { try $0.string(0) }
                let plan = explained.joined(separator: "\n")
                let hits = try #require(plan.firstMatch(of: /Buffers: shared hit=(\d+)/))

                #expect(plan.contains("rows=\(rows) "), "\(call): \(plan)")
                // Of 400,000 orders, which have some 8,000 pages, and their indexes.
                #expect(Int(hits.1)! < 2_500, "\(call): \(plan)")
            }
        }
    }
}
