// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

@Suite struct CancelOrderTests {
    private func cancel(_ shop: Shop, _ order: String = "a", why: String = "'changed my mind'") async throws -> [String] {
        try await shop.rows(
            "select order_id, state, reason, client_action from counterfoil.cancel_order('\(order)', \(why))", as: shop.backend)
    }

    @Test(arguments: ["open", "rejected", "review"])
    func anUnpaidOrderIsCancelledOnce(state: String) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.settleOrder("a", state == "open" ? nil : state, "owner_mismatch")

            #expect(try await cancel(shop) == ["(a,cancelled,order_cancelled,contact_support)"])
            #expect(try await cancel(shop) == ["(a,cancelled,order_cancelled,contact_support)"])

            #expect(
                try await shop.rows("select order_id, kind, who, why from counterfoil.order_events")
                    == ["(a,cancelled,counterfoil_backend,\"changed my mind\")"]
            )
        }
    }

    @Test func anOrderOfAnotherAccountIsAnsweredAsAnUnknownOne() async throws {
        try await Shop.open { shop in
            try await shop.order("a")

            let refusal = try await Refusal.of { _ = try await cancel(shop, why: "'x', 'bob'") }

            #expect(refusal == Refusal("23503", "event_names_a_known_order"))
            #expect(try await shop.value("select state from counterfoil.orders") == "open")
            #expect(try await cancel(shop, why: "'x', 'ann'") == ["(a,cancelled,order_cancelled,contact_support)"])
        }
    }

    @Test(arguments: ["fulfilled", "refunded"])
    func aPaidOrderIsNotCancelled(state: String) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try #require(try await shop.insertGrant("a", Payment(id: "1")))
            if state == "refunded" {
                try await shop.insertRevocation(Payment(id: "1"), at: 10)
            }

            let refusal = try await Refusal.of { _ = try await cancel(shop) }

            #expect(refusal == Refusal("23514", "paid_orders_are_not_cancelled"))
            #expect(try await shop.value("select state from counterfoil.orders") == state)
        }
    }

    @Test(arguments: [
        ("unknown", "'x'", Refusal("23503", "event_names_a_known_order")),
        ("a", "''", Refusal("23514", "why_has_1_to_1000_characters")),
        ("a", "repeat('x', 1001)", Refusal("23514", "why_has_1_to_1000_characters")), ("a", "null", Refusal("23502")),
    ])
    func aCancellationNamesAnOrderAndAReason(order: String, why: String, expected: Refusal) async throws {
        try await Shop.open { shop in
            try await shop.order("a")

            let refusal = try await Refusal.of { _ = try await cancel(shop, order, why: why) }

            #expect(refusal == expected)
            #expect(try await shop.value("select state from counterfoil.orders") == "open")
        }
    }

    @Test func itsPendingJobGoesOnAndPaysForNothing() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.upload("a")

            #expect(try await cancel(shop) == ["(a,cancelled,order_cancelled,wait)"])

            #expect(try await shop.claim().count == 1)
            #expect(try await !shop.insertGrant("a", Payment(id: "1")))
        }
    }
}
