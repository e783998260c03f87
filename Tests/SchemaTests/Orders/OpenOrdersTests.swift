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

    @Test func ordersAreFoundByAnIndex() async throws {
        try await Shop.open { shop in
            try await shop.fill(jobs: 1, orders: 20_000)

            let plan = try await shop.plan(
                "select from counterfoil.orders o where o.account_id = 'account 7' and o.product_id = 'coins' order by created_at")

            #expect(plan.contains("using orders_by_account on orders"))
        }
    }
}
