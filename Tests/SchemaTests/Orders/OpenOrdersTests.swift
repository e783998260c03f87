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

    private func page(_ shop: Shop, after order: String) async throws -> [String] {
        try await shop.rows("select order_id from counterfoil.open_orders('ann', 'coins', 2, \(order))", as: shop.backend)
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

    @Test func pagesFollowEachOther() async throws {
        try await Shop.open { shop in
            for number in 1...5 { try await shop.order("o\(number)") }
            #expect(try await page(shop, after: "null") == ["(o1)", "(o2)"])
            #expect(try await page(shop, after: "'o2'") == ["(o3)", "(o4)"])
            #expect(try await page(shop, after: "'o4'") == ["(o5)"])
            #expect(try await page(shop, after: "'o5'") == [])
        }
    }

    @Test(arguments: [
        ("0, null", "page_has_1_to_1000_orders"), ("1001, null", "page_has_1_to_1000_orders"),
        ("null, null", "page_has_1_to_1000_orders"), ("10, 'bobs'", "page_begins_at_an_order_of_the_account"),
        ("10, 'unknown'", "page_begins_at_an_order_of_the_account"),
    ])
    func aPageThatCanNotBeGivenIsRefused(arguments: String, rule: String) async throws {
        try await Shop.open { shop in
            try await shop.order("bobs", account: "bob")

            for call in ["open_orders('ann', 'coins', ", "orders_of('ann', "] {
                let refusal = try await Refusal.of {
                    _ = try await shop.backend.execute("select * from counterfoil.\(call)\(arguments))")
                }

                #expect(refusal == Refusal("22023", rule), "\(call)")
            }
        }
    }
}
