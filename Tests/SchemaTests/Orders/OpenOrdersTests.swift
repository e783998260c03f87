// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

@Suite struct OpenOrdersTests {
    private func orders(_ shop: Shop, account: String = "ann", product: String = "coins") async throws -> [String] {
        try await shop.rows(
            "select order_id, state, reason, client_action from counterfoil.open_orders('\(account)', '\(product)')",
            as: shop.backend
        )
    }

    @Test func everyOrderThatCanStillBePaidIsListedOldestFirst() async throws {
        try await Shop.open { shop in
            for order in ["e", "d", "c", "b", "a"] {
                try await shop.order(order)
            }
            try await shop.order("another product", product: "pro")
            try await shop.order("another account", account: "bob")
            try await shop.settleOrder("d", "rejected", "malformed_proof")
            try await shop.settleOrder("c", "review", "owner_mismatch")
            try #require(try await shop.insertGrant("b", Payment(id: "1")))
            try await shop.run("select * from counterfoil.cancel_order('a', 'gone')")

            #expect(
                try await orders(shop) == [
                    "(e,open,,upload_proof)", "(d,rejected,malformed_proof,resend_proof)",
                    "(c,review,owner_mismatch,contact_support)",
                ]
            )
            #expect(try await orders(shop, account: "bob") == ["(\"another account\",open,,upload_proof)"])
            #expect(try await orders(shop, account: "eve") == [])
        }
    }

    /// 250 orders that nobody paid for, by two at a moment; among them paid ones.
    @Test func veryManyAreReadByThePage() async throws {
        try await Shop.open { shop in
            try await shop.run(
                """
                insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, created_at, state)
                select to_char(i, 'FM000'), '\(Shop.bundle)', 'coins', 'ann', now() + (i / 2) * interval '1 ms',
                    case when i > 250 then 'fulfilled' else 'open' end
                from generate_series(1, 300) i
                """)
            func page(before order: String?) async throws -> [String] {
                try await shop.rows(
                    "select order_id from counterfoil.open_orders('ann', 'coins', \(order.map { "'\($0)'" } ?? "null"))",
                    as: shop.backend)
            }

            let pages = [try await page(before: nil), try await page(before: "151"), try await page(before: "051")]

            let expected = [151...250, 51...150, 1...50].map { $0.map { "(\(String(1000 + $0).dropFirst()))" } }
            #expect(pages == expected)
            #expect(try await page(before: "001") == [])
            // One that isn't there, and one of another account.
            #expect(try await page(before: "x") == [])
            try await shop.order("bob's", account: "bob")
            #expect(try await page(before: "bob's") == [])
        }
    }

    /// A page costs as much with 20,000 orders as with 200.
    @Test func aPageReadsNoMoreThanItself() async throws {
        try await Shop.open { shop in
            func blocks(of orders: Int) async throws -> Int {
                try await shop.run(
                    """
                    insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, created_at)
                    select 'of \(orders) ' || i, '\(Shop.bundle)', 'coins', 'account of \(orders)', now() + i * interval '1 ms'
                    from generate_series(1, \(orders)) i
                    """)
                try await shop.run("analyze counterfoil.orders")
                let plan = try await shop.admin.execute(
                    "explain (analyze, buffers, costs off, timing off) select * from counterfoil.open_orders('account of \(orders)', 'coins')"
                ).map { try $0.string(0) }
                let line = try #require(plan.first { $0.contains("shared hit=") })
                return try #require(Int(line.split(separator: "hit=")[1].prefix { $0.isNumber }))
            }
            // The session's catalogues.
            _ = try await blocks(of: 100)

            let few = try await blocks(of: 200)
            let many = try await blocks(of: 20_000)

            #expect(many < few * 2, "\(many) blocks, of few \(few)")
        }
    }

    @Test func ordersAreFoundByAnIndex() async throws {
        try await Shop.open { shop in
            try await shop.fill(jobs: 1, orders: 20_000)

            let plan = try await shop.plan(
                "select from counterfoil.orders o where o.account_id = 'account 7' and o.product_id = 'coins' order by created_at")

            #expect(plan.contains("using orders_by_account on orders"))
        }
    }
}
