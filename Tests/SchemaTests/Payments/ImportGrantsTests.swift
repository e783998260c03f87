// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing
import Verification

@Suite struct ImportGrantsTests {
    /// An entry as a shop would write it, with further fields.
    private func entry(
        _ order: String, _ transaction: String, product: String = "coins", kind: String = "consumable", account: String = "ann",
        purchased: String = "2023-11-14T22:13:20Z", _ more: String = ""
    ) -> String {
        """
        {"order_id": "\(order)", "account_id": "\(account)", "product_id": "\(product)", "product_kind": "\(kind)",
         "transaction_id": "\(transaction)", "purchased_at": "\(purchased)"\(more)}
        """
    }

    /// Imports as the owner; returns what became of each entry.
    private func load(_ shop: Shop, _ entries: String...) async throws -> [String] {
        try await shop.admin.execute(
            "select outcome from counterfoil.import_grants($1::text, 'production', $2::text::jsonb)",
            [.text(Shop.bundle), .text("[" + entries.joined(separator: ",") + "]")]
        ).map { try $0.string(0) }
    }

    @Test func whatAnotherSystemGrantedIsInTheLedgerWithItsOrder() async throws {
        try await Shop.open { shop in
            let imported = try await load(shop, entry("a", "1"), entry("b", "2", #", "quantity": 3"#))

            #expect(imported == ["imported", "imported"])
            #expect(
                try await shop.rows(
                    "select order_id, state, transaction_id, environment, quantity, recovery from counterfoil.orders order by 1"
                ) == ["(a,fulfilled,1,production,1,t)", "(b,fulfilled,2,production,3,t)"]
            )
            #expect(
                try await shop.rows("select order_id, grant_key, job_id from counterfoil.grants order by 1")
                    == ["(a,transaction:1,)", "(b,transaction:2,)"]
            )
            #expect(
                try await shop.rows("select order_id, kind from counterfoil.order_events order by 1") == [
                    "(a,imported)", "(b,imported)",
                ])
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

            #expect(try await load(shop, entry("a", "1"), entry("b", "2")) == ["known", "imported"])
            #expect(try await load(shop, entry("a", "1"), entry("b", "2")) == ["known", "known"])

            #expect(try await shop.count("counterfoil.grants") == 2)
            #expect(try await shop.count("counterfoil.order_events") == 2)
        }
    }

    /// What follows in the same database transaction is told.
    @Test func theFeedIsNotToldOfAnImport() async throws {
        try await Shop.open { shop in
            for order in ["a", "b", "c"] { try await shop.order(order) }
            try await shop.insertRevocation(Payment(id: "2"), at: 10)
            var reader = try await ChangeReader(shop.backend)

            try await shop.admin.withTransaction { admin in
                let outcomes = try await admin.execute(
                    "select outcome from counterfoil.import_grants($1::text, 'production', $2::text::jsonb)",
                    [.text(Shop.bundle), .text("[\(entry("a", "1")), \(entry("b", "2")), \(entry("new", "3"))]")]
                ).map { try $0.string(0) }
                #expect(outcomes == ["imported", "imported", "imported"])
                _ = try await admin.execute("select from counterfoil.cancel_order('c', 'gone')")
            }

            #expect(try await reader.read("kind, order_id") == ["(order_cancelled,c)"])
            #expect(try await shop.count("counterfoil.orders where state = 'refunded'") == 1)
            #expect(try await shop.count("counterfoil.imports") == 0)
            #expect(try await shop.faults() == [])
        }
    }

    @Test func aProofOfWhatWasImportedIsAReplay() async throws {
        try await Shop.open { shop in
            _ = try await load(shop, entry("a", "1"))
            try await shop.order("b")

            #expect(try await !shop.insertGrant("b", Payment(id: "1")))

            #expect(try await shop.readLedger("b", Payment(id: "1")) == .granted("1", to: "a"))
        }
    }

    /// The order that showed it first is remembered, and Apple's facts are.
    @Test func whatWasUnclaimedIsClaimedByTheImport() async throws {
        try await Shop.open { shop in
            try await shop.order("z")
            try await shop.insertUnclaimed([("z", Payment(id: "1", original: "9", quantity: 3))])

            #expect(try await load(shop, entry("a", "1", purchased: "2020-01-01Z")) == ["imported"])

            #expect(try await shop.count("counterfoil.unclaimed_transactions") == 0)
            #expect(
                try await shop.rows(
                    """
                    select order_id, shown_by, original_transaction_id, quantity, purchased_at = to_timestamp(1700000000)
                    from counterfoil.ledger
                    """) == ["(a,z,9,3,t)"])
            #expect(try await shop.faults() == [])
        }
    }

    @Test func whatWasUnclaimedUnderAnotherIDIsClaimedByTheImport() async throws {
        try await Shop.open { shop in
            try await shop.order("z", product: "pro")
            try await shop.insertUnclaimed(
                [
                    ("z", Payment(id: "1", product: "pro", kind: "non_consumable")),
                    ("z", Payment(id: "7", product: "pro", kind: "non_consumable")),
                ])

            _ = try await load(
                shop, entry("a", "2", product: "pro", kind: "non_consumable", #", "original_transaction_id": "1""#))

            #expect(try await shop.rows("select transaction_id from counterfoil.unclaimed_transactions") == ["(7)"])
        }
    }

    @Test func aSubscriptionsPeriodIsClaimedByTheImportUnderAnyID() async throws {
        try await Shop.open { shop in
            try await shop.order("z", product: "pro")
            try await shop.insertUnclaimed(
                [
                    ("z", Payment(id: "3", original: "1", webOrderLineItem: "w1", product: "pro", kind: "auto_renewable")),
                    ("z", Payment(id: "4", original: "1", webOrderLineItem: "w2", product: "pro", kind: "auto_renewable")),
                ])

            _ = try await load(
                shop,
                entry(
                    "a", "2", product: "pro", kind: "auto_renewable",
                    #", "original_transaction_id": "1", "web_order_line_item_id": "w1""#))

            #expect(try await shop.rows("select transaction_id from counterfoil.unclaimed_transactions") == ["(4)"])
            #expect(try await shop.faults() == [])
        }
    }

    /// A new payment, although Apple names it by the first one's id.
    @Test(arguments: [false, true])
    func whatWasBoughtAgainAfterARefundIsNotTheImportedPurchase(isReversed: Bool) async throws {
        try await Shop.open { shop in
            let first = Payment(id: "1", product: "pro", kind: "non_consumable")
            let again = Payment(id: "2", original: "1", product: "pro", kind: "non_consumable", purchasedAt: 20)
            try await shop.insertRevocation(first, at: 10)
            try await shop.order("z", product: "pro")
            try await shop.insertUnclaimed([("z", again)], reason: "bought_again_after_revocation")
            if isReversed { try await shop.insertReversal(first, at: 30) }

            _ = try await load(shop, entry("a", "1", product: "pro", kind: "non_consumable"))

            #expect(try await shop.rows("select transaction_id from counterfoil.unclaimed_transactions") == ["(2)"])
            #expect(
                try await shop.value("select state from counterfoil.orders where order_id = 'a'")
                    == (isReversed ? "fulfilled" : "refunded"))
        }
    }

    /// Its product was listed as a consumable; in the ledger, and in the same import.
    @Test(arguments: [true, false])
    func aRestoreOfWhatWasGrantedUnderAnotherKeyIsNotImported(isInTheLedger: Bool) async throws {
        try await Shop.open { shop in
            let granted = entry("a", "1", product: "pro")
            let restored = entry("b", "2", product: "pro", kind: "non_consumable", #", "original_transaction_id": "1""#)
            if isInTheLedger { _ = try await load(shop, granted) }

            let outcomes = try await load(shop, granted, restored)

            #expect(outcomes == [isInTheLedger ? "known" : "imported", "another_order_was_granted"])
            #expect(try await shop.rows("select order_id from counterfoil.orders") == ["(a)"])
            #expect(try await shop.count("counterfoil.payments") == 1)
        }
    }

    /// Granted twice else, under two ids: a consumable that restores another purchase is one that was listed so by mistake.
    @Test(arguments: [true, false])
    func aConsumableThatRestoresAGrantedOneIsNotImported(isInTheLedger: Bool) async throws {
        try await Shop.open { shop in
            let granted = entry("a", "1")
            let restored = entry("b", "2", #", "original_transaction_id": "1""#)
            if isInTheLedger { _ = try await load(shop, granted) }

            let outcomes = try await load(shop, granted, restored)

            #expect(outcomes == [isInTheLedger ? "known" : "imported", "another_order_was_granted"])
            #expect(try await shop.count("counterfoil.grants") == 1)
        }
    }

    /// Its product was listed as a consumable since.
    @Test func theFirstIDOfARestoredGrantIsNotImported() async throws {
        try await Shop.open { shop in
            _ = try await load(
                shop, entry("b", "2", product: "pro", kind: "non_consumable", #", "original_transaction_id": "1""#))

            #expect(try await load(shop, entry("a", "1", product: "pro")) == ["another_order_was_granted"])

            #expect(try await shop.count("counterfoil.grants") == 1)
        }
    }

    @Test func aPeriodOfASubscriptionWhoseFirstOneIsGrantedIsImported() async throws {
        try await Shop.open { shop in
            let imported = try await load(
                shop, entry("a", "1", product: "plus", kind: "auto_renewable"),
                entry(
                    "b", "2", product: "plus", kind: "auto_renewable", purchased: "2023-12-14T22:13:20Z",
                    #", "original_transaction_id": "1""#))

            #expect(imported == ["imported", "imported"])
        }
    }

    /// One of them without its web order line item id.
    @Test(arguments: [nil, "9"])
    func aPeriodThatIsInTheLedgerIsNotImportedUnderAnotherID(item: String?) async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "plus")
            try #require(
                try await shop.insertGrant(
                    "a", Payment(id: "2", original: "1", webOrderLineItem: item, product: "plus", kind: "auto_renewable")))

            let outcomes = try await load(
                shop,
                entry(
                    "b", "3", product: "plus", kind: "auto_renewable",
                    #", "original_transaction_id": "1""# + (item == nil ? #", "web_order_line_item_id": "9""# : "")))

            #expect(outcomes == ["another_order_was_granted"])
            #expect(try await shop.count("counterfoil.grants") == 1)
        }
    }

    // MARK: What stands against an entry

    /// An order, and what becomes of an entry of Ann's for coins that names it.
    @Test(arguments: [
        ("open", "imported"), ("rejected", "imported"), ("review", "imported"), ("cancelled", "order_is_over"),
        ("refunded", "order_is_over"), ("taken", "another_payment_was_granted"), ("of bob", "another_order"),
        ("pro", "another_order"), ("two", "another_order"), ("of another app", "another_order"), ("new", "imported"),
    ])
    func anOrderThatWaitsIsFulfilledByAnImport(order: String, outcome: String) async throws {
        try await Shop.open { shop in
            for order in ["open", "rejected", "review", "cancelled", "refunded", "taken"] {
                try await shop.order(order)
            }
            try await shop.order("of bob", account: "bob")
            try await shop.order("pro", product: "pro")
            try await shop.run(
                """
                insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, quantity)
                values ('two', '\(Shop.bundle)', 'coins', 'ann', 2)
                """)
            try await shop.run(
                """
                insert into counterfoil.apps (bundle_id) values ('com.example.other');
                insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
                values ('of another app', 'com.example.other', 'coins', 'ann')
                """)
            try await shop.settleOrder("rejected", "rejected", "wrong_app")
            try await shop.insertUnclaimed([("review", Payment(id: "3"))], reason: "owner_mismatch")
            try await shop.settleOrder("review", "review", "owner_mismatch", transaction: "3")
            try await shop.run("select * from counterfoil.cancel_order('cancelled', 'gone')")
            try await shop.settleOrder("refunded", "refunded", "refunded", transaction: "2", environment: "production")
            try #require(try await shop.insertGrant("taken", Payment(id: "4")))
            let before = try await shop.rows("select * from counterfoil.orders where order_id = '\(order)'")

            // The others come in, whatever becomes of this one.
            let outcomes = try await load(shop, entry("x", "8"), entry(order, "1"), entry("y", "9"))

            #expect(outcomes == ["imported", outcome, "imported"])
            if outcome == "imported" {
                #expect(
                    try await shop.rows(
                        "select state, reason, transaction_id, environment from counterfoil.orders where order_id = '\(order)'")
                        == ["(fulfilled,,1,production)"])
                #expect(try await shop.count("counterfoil.order_events where order_id = '\(order)' and kind = 'imported'") == 1)
            } else {
                #expect(try await shop.rows("select * from counterfoil.orders where order_id = '\(order)'") == before)
                #expect(try await shop.count("counterfoil.payments where transaction_id = '1'") == 0)
            }
            #expect(try await shop.count("counterfoil.grants where transaction_id in ('8', '9')") == 2)
        }
    }

    /// The shop says that the payment was granted: its order and the payment's names stand against that, and no other objection.
    @Test(arguments: Reason.allCases.filter { $0.traits.keeping != nil })
    func whyAPaymentIsKeptRefusesNoImport(_ reason: Reason) async throws {
        try await Shop.open { shop in
            try await shop.order("of bob", account: "bob")
            try await shop.insertUnclaimed([("of bob", Payment(id: "1", isAdvancedCommerce: true))], reason: reason.rawValue)

            #expect(try await load(shop, entry("a", "1")) == ["imported"])

            #expect(try await shop.value("select order_id from counterfoil.grants") == "a")
        }
    }

    @Test func anOrderOfTwoUnitsIsFulfilledByAPaymentOfTwo() async throws {
        try await Shop.open { shop in
            try await shop.run(
                """
                insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, quantity)
                values ('two', '\(Shop.bundle)', 'coins', 'ann', 2)
                """)

            #expect(try await load(shop, entry("two", "1", #", "quantity": 2"#)) == ["imported"])

            #expect(try await shop.faults() == [])
        }
    }

    @Test func anOrderInReviewThatAnImportFulfilsIsNotStuck() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.insertUnclaimed([("a", Payment(id: "1"))], reason: "owner_mismatch")
            try await shop.settleOrder("a", "review", "owner_mismatch", transaction: "1")
            try await shop.run("insert into counterfoil.orders_in_review (order_id, since) values ('a', now())")
            try #require(try await shop.count("counterfoil.stuck_orders") == 1)

            #expect(try await load(shop, entry("a", "1")) == ["imported"])

            #expect(try await shop.count("counterfoil.stuck_orders") == 0)
            #expect(try await shop.faults() == [])
        }
    }

    /// Of entries for one order, or for one payment, the first that can come in does.
    @Test func anEntryThatRepeatsAnotherAddsNothing() async throws {
        try await Shop.open { shop in
            _ = try await load(shop, entry("x", "9"))

            let outcomes = try await load(
                shop, entry("x", "1"), entry("a", "1"), entry("a", "1"), entry("a", "2"), entry("b", "2"), entry("b", "1"))

            #expect(
                outcomes == [
                    "another_payment_was_granted", "imported", "known", "another_payment_was_granted", "imported",
                    "another_order_was_granted",
                ])
            #expect(
                try await shop.rows("select order_id, transaction_id from counterfoil.grants order by 1")
                    == ["(a,1)", "(b,2)", "(x,9)"])
            #expect(try await shop.faults() == [])
        }
    }

    @Test func namesOfOnePaymentAreOneGrant() async throws {
        try await Shop.open { shop in
            let outcomes = try await load(
                shop, entry("a", "2", product: "pro", kind: "non_consumable", #", "original_transaction_id": "1""#),
                entry("a", "1", product: "pro", kind: "non_consumable"),
                entry("b", "3", product: "pro", kind: "non_consumable", #", "original_transaction_id": "1""#),
                // One line item, under originals that the shop never wrote down.
                entry("c", "4", product: "plus", kind: "auto_renewable", #", "web_order_line_item_id": "9""#),
                entry("c", "5", product: "plus", kind: "auto_renewable", #", "web_order_line_item_id": "9""#),
                entry("d", "6", product: "plus", kind: "auto_renewable", #", "web_order_line_item_id": "9""#))

            #expect(
                outcomes == [
                    "imported", "known", "another_order_was_granted", "imported", "known", "another_order_was_granted",
                ])
            #expect(
                try await shop.rows("select order_id, grant_key from counterfoil.grants order by 1")
                    == ["(a,original:1)", "(c,web_order:9)"])
            #expect(try await shop.faults() == [])
        }
    }

    /// A payment of its own, though the first one holds their key; in the ledger, or in the same import.
    @Test(arguments: [true, false])
    func whatWasBoughtAgainAfterARefundIsImportedToo(isInTheLedger: Bool) async throws {
        try await Shop.open { shop in
            let first = entry("a", "1", product: "pro", kind: "non_consumable")
            let again = entry(
                "b", "2", product: "pro", kind: "non_consumable", purchased: "2023-11-14T22:14:20Z",
                #", "original_transaction_id": "1""#)
            try await shop.insertRevocation(Payment(id: "1", product: "pro", kind: "non_consumable"), at: 10)
            if isInTheLedger { _ = try await load(shop, first) }

            #expect(try await load(shop, first, again) == [isInTheLedger ? "known" : "imported", "imported"])

            #expect(
                try await shop.rows("select order_id, state from counterfoil.orders order by 1")
                    == ["(a,refunded)", "(b,fulfilled)"])
            #expect(try await shop.faults() == [])
        }
    }

    @Test func whatAppleShowedForAnotherProductIsNotImported() async throws {
        try await Shop.open { shop in
            try await shop.order("z")
            try await shop.insertUnclaimed([("z", Payment(id: "1", product: "gems"))])

            #expect(try await load(shop, entry("a", "1"), entry("b", "2")) == ["another_product", "imported"])

            #expect(try await shop.rows("select transaction_id from counterfoil.unclaimed_transactions") == ["(1)"])
            #expect(try await shop.count("counterfoil.orders where order_id = 'a'") == 0)
        }
    }

    /// The import sees what they did once they commit.
    @Test(arguments: [
        ("grants the payment", "another_order_was_granted"), ("keeps the payment", "imported"), ("makes the order", "imported"),
    ])
    func whoComesFirstIsWaitedFor(_ other: String, outcome: String) async throws {
        try await Shop.open { shop in
            try await shop.order("b")

            let (otherWrote, wrote) = AsyncStream<Void>.makeStream()
            async let outcomes = {
                for await _ in otherWrote {}
                return try await shop.database.withConnection { importer in
                    let importing = Shop(
                        database: shop.database, admin: importer, backend: shop.backend, worker: shop.worker)
                    return try await load(importing, entry("a", "1"), entry("c", "3"))
                }
            }()
            try await shop.database.withConnection { connection in
                let settling = Shop(database: shop.database, admin: connection, backend: connection, worker: connection)
                try await connection.withTransaction { _ in
                    switch other {
                    case "grants the payment": #expect(try await settling.insertGrant("b", Payment(id: "1")))
                    case "keeps the payment": try await settling.insertUnclaimed([("b", Payment(id: "1"))])
                    default: try await settling.order("a")
                    }
                    wrote.finish()
                    try await shop.admin.waitUntil(
                        """
                        exists (
                            select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
                        )
                        """)
                }
            }

            #expect(try await outcomes == [outcome, "imported"])
            #expect(try await shop.faults() == [])
        }
    }

    /// Returns how many came in.
    private func loadMany(_ shop: Shop, _ count: Int32) async throws -> Int64 {
        try await shop.admin.execute(
            """
            select count(*) filter (where outcome = 'imported') from counterfoil.import_grants($1::text, 'production', (
                select jsonb_agg(
                    jsonb_build_object(
                        'order_id', 'o' || i, 'account_id', 'ann', 'product_id', 'coins', 'product_kind', 'consumable',
                        'transaction_id', i::text, 'purchased_at', '2024-05-01Z'))
                from generate_series(1, $2::integer) i
            ))
            """, [.text(Shop.bundle), .int4(count)]
        )[0].int64(0)
    }

    @Test func oneImportIsLimited() async throws {
        try await Shop.open { shop in
            let refusal = try await Refusal.of { _ = try await loadMany(shop, 10_001) }
            #expect(refusal == Refusal("54000"))
            #expect(try await shop.count("counterfoil.grants") == 0)

            #expect(try await loadMany(shop, 10_000) == 10_000)
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
        ("no order", #"{"account_id": "ann"}"#, Refusal("23502")),
        (
            "an unknown kind",
            #"{"order_id": "a", "account_id": "ann", "product_id": "x", "product_kind": "gift", "transaction_id": "1", "purchased_at": "2024-05-01Z"}"#,
            Refusal("23514", "paid_kind_is_known")
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

    /// With an older snapshot it would not see what it waited for.
    @Test func anImportNeedsToSeeWhatItWaitsFor() async throws {
        try await Shop.open { shop in
            let refusal = try await Refusal.of {
                try await shop.admin.withTransaction { connection in
                    _ = try await connection.execute("set transaction isolation level repeatable read")
                    _ = try await connection.execute(
                        "select * from counterfoil.import_grants('\(Shop.bundle)', 'production', '[]')")
                }
            }

            #expect(refusal == Refusal("25000"))
        }
    }
}
