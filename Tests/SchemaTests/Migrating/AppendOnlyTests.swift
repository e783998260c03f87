// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

@Suite struct AppendOnlyTests {
    static let tables = ["grants", "transaction_ids", "revocations", "order_events", "attempts"]

    /// One row in each of the tables.
    private func fill(_ shop: Shop) async throws {
        for order in ["a", "b"] {
            try await shop.order(order)
        }
        try #require(try await shop.insertGrant("a", Payment(id: "1")))
        try await shop.insertRevocation(Payment(id: "2"), at: 10)
        try await shop.run("select * from counterfoil.cancel_order('b', 'gone')")
        try await shop.attempt("a", transaction: "1", finished: "now()")
    }

    @Test(arguments: tables, ["counterfoil_owner", "none"])
    func notEvenItsOwnerChangesTheLedger(_ table: String, role: String) async throws {
        try await Shop.open { shop in
            try await fill(shop)
            try await shop.run("set role \(role)")
            let rows = try await shop.rows("select * from counterfoil.\(table)")
            try #require(!rows.isEmpty)

            for statement in [
                "update counterfoil.\(table) set \(try #require(Self.changes[table]))", "delete from counterfoil.\(table)",
                "truncate counterfoil.\(table) cascade",
            ] {
                let refusal = try await Refusal.of { _ = try await shop.admin.execute(statement) }

                #expect(refusal == Refusal("23001", "the_ledger_is_append_only"), "\(statement)")
            }
            #expect(try await shop.rows("select * from counterfoil.\(table)") == rows)
        }
    }

    private static let changes = [
        "grants": "quantity = 2", "transaction_ids": "grant_id = 1", "revocations": "kind = 'reversal'",
        "order_events": "why = 'x'", "attempts": "reason = 'x'",
    ]

    @Test(arguments: ["delete from counterfoil.orders where order_id = 'b'", "truncate counterfoil.orders cascade"])
    func ordersAreNeverRemoved(_ statement: String) async throws {
        try await Shop.open { shop in
            try await shop.order("b")

            let refusal = try await Refusal.of { _ = try await shop.admin.execute(statement) }

            #expect(refusal == Refusal("23001", "the_ledger_is_append_only"))
            #expect(try await shop.count("counterfoil.orders") == 1)
        }
    }

    @Test func anAppWithOrdersIsNotRemoved() async throws {
        try await Shop.open { shop in
            try await shop.order("b")
            try await shop.run("delete from counterfoil.products; delete from counterfoil.gates; delete from counterfoil.budgets")

            let refusal = try await Refusal.of { _ = try await shop.admin.execute("delete from counterfoil.apps") }

            #expect(refusal == Refusal("23503", "order_names_a_known_app"))
        }
    }
}
