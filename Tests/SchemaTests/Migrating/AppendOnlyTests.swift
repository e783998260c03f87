// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import TestSupport
import Testing

@Suite struct AppendOnlyTests {
    static let tables = ["payments", "revocations", "order_events", "other_attempts", "changes", "moves"]

    /// One row in each of the tables.
    private func fill(_ shop: Shop) async throws {
        for order in ["a", "b"] {
            try await shop.order(order)
        }
        try #require(try await shop.insertGrant("a", Payment(id: "1")))
        try await shop.insertRevocation(Payment(id: "2"), at: 10)
        try await shop.run("select * from counterfoil.cancel_order('b', 'gone')")
        try await shop.order("g", account: "guest")
        try await shop.run("select * from counterfoil.move_account('guest', 'bob', 'eve', 'a test')")
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
        "payments": "quantity = 2", "revocations": "kind = 'reversal'", "order_events": "why = 'x'", "other_attempts": "reason = 'x'",
        "changes": "kind = 'x'", "moves": "why = 'x'",
    ]

    /// A change of each column, and whether a payment that isn't granted takes it. A granted one takes none.
    static let paymentColumns: [(change: String, isAllowed: Bool)] = [
        ("reason = 'owner_mismatch'", true), ("product_kind = 'non_consumable'", true), ("payment_key = 'original:2'", true),
        ("account_id = 'bob'", true), ("shown_by_number = 1", true), ("transaction_id = '3'", false), ("bundle_id = 'x'", false),
        ("environment = 'sandbox'", false), ("original_transaction_id = '3'", false), ("web_order_line_item_id = '3'", false),
        ("web_order_line_item_id = null", false), ("additional_reason = 'seat_addition'", true),
        ("web_order_line_item_id = null, additional_reason = 'seat_addition'", true),
        ("web_order_line_item_id = '3', additional_reason = 'seat_addition'", false),
        ("product_id = 'x'", false), ("quantity = 2", false), ("purchased_at = now()", false), ("expires_at = now()", false),
        ("app_account_token = gen_random_uuid()", true), ("paid_at = now()", true), ("is_advanced_commerce = true", true),
        ("fits_under = 1", true), ("seen_at = now() - interval '1 day'", false), ("attempt = 1", false), ("lease_token = 1", false),
        ("worker_id = 1", false), ("submitted_at = now()", false), ("claimed_at = now()", false), ("proof_kind = 'x'", false),
    ]

    @Test(arguments: paymentColumns, ["counterfoil_owner", "none"])
    func whatIsJudgedOfAPaymentChangesUntilItIsGranted(_ column: (change: String, isAllowed: Bool), role: String) async throws {
        try await Shop.open { shop in
            try await fill(shop)
            try await shop.insertUnclaimed([("b", Payment(id: "9", webOrderLineItem: "8"))])
            try await shop.run("set role \(role)")
            let denied = Refusal("23001", "the_ledger_is_append_only")

            let ofUngranted = try await Refusal.of {
                _ = try await shop.admin.execute("update counterfoil.payments set \(column.change) where transaction_id = '9'")
            }
            let ofGranted = try await Refusal.of {
                _ = try await shop.admin.execute("update counterfoil.payments set \(column.change) where transaction_id = '1'")
            }

            #expect(ofUngranted == (column.isAllowed ? nil : denied))
            #expect(ofGranted == denied)
        }
    }

    /// The attempt of a payment that was seen before its grant has a row of its own.
    @Test func theGrantOfAPaymentThatWasSeenBeforeBringsNoAttempt() async throws {
        try await Shop.open { shop in
            try await fill(shop)
            try await shop.order("c")
            try await shop.insertUnclaimed([("c", Payment(id: "9"))])

            let refusal = try await Refusal.of {
                _ = try await shop.admin.execute(
                    """
                    update counterfoil.payments
                    set order_number = \(orderNumber("c")), granted_at = now(), product_kind = 'consumable', reason = null,
                        lease_token = 1
                    where transaction_id = '9'
                    """)
            }

            #expect(refusal == Refusal("23001", "the_ledger_is_append_only"))
        }
    }

    /// A receipt may have lacked it; once it is known, it stays.
    @Test(arguments: ["gen_random_uuid()", "null"])
    func theTokenOfAPaymentComesToLightOnce(_ token: String) async throws {
        try await Shop.open { shop in
            try await fill(shop)
            try await shop.insertUnclaimed([("b", Payment(id: "9", token: UUID()))])

            let refusal = try await Refusal.of {
                _ = try await shop.admin.execute(
                    "update counterfoil.payments set app_account_token = \(token) where transaction_id = '9'")
            }

            #expect(refusal == Refusal("23001", "the_ledger_is_append_only"))
        }
    }

    @Test(arguments: [
        "order_number = \(orderNumber("b"))", "granted_at = now() + interval '1 day'", "job_id = 7",
        "order_number = null, granted_at = null, reason = 'no_order'",
    ])
    func aGrantNeverChanges(_ change: String) async throws {
        try await Shop.open { shop in
            try await fill(shop)

            let refusal = try await Refusal.of {
                _ = try await shop.admin.execute("update counterfoil.payments set \(change) where transaction_id = '1'")
            }

            #expect(refusal == Refusal("23001", "the_ledger_is_append_only"))
            #expect(try await shop.value("select order_id from counterfoil.ledger where transaction_id = '1'") == "a")
        }
    }

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
