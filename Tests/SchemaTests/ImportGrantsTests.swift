// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

@Suite struct ImportGrantsTests {
    /// An entry as a shop would write it, with further fields.
    private func entry(
        _ order: String, _ transaction: String, product: String = "coins", kind: String = "consumable", _ more: String = ""
    ) -> String {
        """
        {"order_id": "\(order)", "account_id": "ann", "product_id": "\(product)", "product_kind": "\(kind)",
         "transaction_id": "\(transaction)", "purchased_at": "2024-05-01T00:00:00Z"\(more)}
        """
    }

    /// Imports as the owner; returns how many grants were new.
    private func load(_ shop: Shop, _ entries: String...) async throws -> Int64 {
        try await shop.admin.execute(
            "select counterfoil.import_grants($1::text, 'production', $2::text::jsonb)",
            [.text(Shop.bundle), .text("[" + entries.joined(separator: ",") + "]")]
        )[0].int64(0)
    }

    @Test func whatAnotherSystemGrantedIsInTheLedgerWithItsOrder() async throws {
        try await Shop.open { shop in
            let imported = try await load(shop, entry("a", "1"), entry("b", "2", #", "quantity": 3"#))

            #expect(imported == 2)
            #expect(
                try await shop.rows(
                    "select order_id, state, transaction_id, environment, quantity, recovery from counterfoil.orders order by 1"
                ) == ["(a,fulfilled,1,production,1,t)", "(b,fulfilled,2,production,3,t)"]
            )
            #expect(
                try await shop.rows("select order_id, grant_key, job_id from counterfoil.grants order by 1")
                    == ["(a,transaction:1,)", "(b,transaction:2,)"]
            )
            #expect(try await shop.rows("select order_id, kind from counterfoil.order_events order by 1") == ["(a,imported)", "(b,imported)"])
            #expect(try await shop.faults() == [])
        }
    }

    @Test(arguments: [
        ("consumable", "", "transaction:1"), ("non_consumable", #", "original_transaction_id": "9""#, "original:9"),
        ("non_renewing", "", "original:1"), ("auto_renewable", #", "web_order_line_item_id": "5""#, "web_order:5"),
        ("auto_renewable", "", "transaction:1"),
    ])
    func theKeyIsTheOneThatAWorkerWouldMake(kind: String, more: String, key: String) async throws {
        try await Shop.open { shop in
            _ = try await load(shop, entry("a", "1", kind: kind, more))

            #expect(try await shop.value("select grant_key from counterfoil.grants") == key)
        }
    }

    @Test func importingAgainAddsOnlyWhatIsNew() async throws {
        try await Shop.open { shop in
            _ = try await load(shop, entry("a", "1"))

            #expect(try await load(shop, entry("a", "1"), entry("b", "2")) == 1)
            #expect(try await load(shop, entry("a", "1"), entry("b", "2")) == 0)

            #expect(try await shop.count("counterfoil.grants") == 2)
            #expect(try await shop.count("counterfoil.order_events") == 2)
        }
    }

    @Test func aProofOfWhatWasImportedIsAReplay() async throws {
        try await Shop.open { shop in
            _ = try await load(shop, entry("a", "1"))
            try await shop.order("b")

            #expect(try await !shop.insertGrant("b", Payment(id: "1")))

            #expect(try await shop.readLedger("b", Payment(id: "1")) == "a no no no no open")
        }
    }

    @Test func whatWasUnclaimedIsClaimedByTheImport() async throws {
        try await Shop.open { shop in
            try await shop.order("z")
            try await shop.insertUnclaimed([("z", Payment(id: "1"))])

            _ = try await load(shop, entry("a", "1"))

            #expect(try await shop.count("counterfoil.unclaimed_transactions") == 0)
            #expect(try await shop.faults() == [])
        }
    }

    @Test func aRefundThatIsKnownAlreadyIsKept() async throws {
        try await Shop.open { shop in
            try await shop.insertRevocation(Payment(id: "1"), at: 10)

            _ = try await load(shop, entry("a", "1"))

            #expect(try await shop.value("select state from counterfoil.orders") == "refunded")
            #expect(try await shop.faults() == [])
        }
    }

    @Test(arguments: [
        ("a payment of another order", "b", "1", "one_grant_a_payment"),
        ("another payment for a paid order", "a", "2", "one_grant_a_payment"),
        ("an order that is open", "open", "3", "one_grant_a_payment"),
    ])
    func whatContradictsTheLedgerStopsTheImport(
        _ name: String, order: String, transaction: String, constraint: String
    ) async throws {
        try await Shop.open { shop in
            _ = try await load(shop, entry("a", "1"))
            try await shop.order("open")

            let refusal = try await Refusal.of { _ = try await load(shop, entry("c", "9"), entry(order, transaction)) }

            #expect(refusal == Refusal("23505", constraint), "\(name)")
            #expect(try await shop.count("counterfoil.grants") == 1)
            #expect(try await shop.count("counterfoil.orders where order_id = 'c'") == 0)
        }
    }

    @Test(arguments: [
        ("no order", #"{"account_id": "ann"}"#, Refusal("23502")),
        (
            "an unknown kind",
            #"{"order_id": "a", "account_id": "ann", "product_id": "x", "product_kind": "gift", "transaction_id": "1", "purchased_at": "2024-05-01Z"}"#,
            Refusal("23514", "granted_kind_is_known")
        ),
        (
            "no purchase date",
            #"{"order_id": "a", "account_id": "ann", "product_id": "x", "product_kind": "consumable", "transaction_id": "1"}"#,
            Refusal("23514", "fulfilled_orders_say_when")
        ),
    ])
    func anEntryThatLacksSomethingStopsTheImport(_ name: String, entry: String, expected: Refusal) async throws {
        try await Shop.open { shop in
            let refusal = try await Refusal.of { _ = try await load(shop, entry) }

            #expect(refusal == expected, "\(name)")
            #expect(try await shop.count("counterfoil.orders") == 0)
        }
    }

    @Test func anUnknownAppIsRefused() async throws {
        try await Shop.open { shop in
            let refusal = try await Refusal.of {
                _ = try await shop.admin.execute(
                    "select counterfoil.import_grants('com.example.other', 'production', $1::text::jsonb)",
                    [.text("[\(entry("a", "1"))]")]
                )
            }

            #expect(refusal == Refusal("23503", "order_names_a_known_app"))
        }
    }
}
