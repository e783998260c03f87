// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing
import Verification

@Suite struct ImportGrantsTests {
    /// An entry as a shop would write it, with further fields.
    private func entry(
        _ order: String, _ transaction: String, product: String = "coins", kind: String = "consumable",
        purchased: String = "2023-11-14T22:13:20Z", _ more: String = ""
    ) -> String {
        """
        {"order_id": "\(order)", "account_id": "ann", "product_id": "\(product)", "product_kind": "\(kind)",
         "transaction_id": "\(transaction)", "purchased_at": "\(purchased)"\(more)}
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

            #expect(try await shop.readLedger("b", Payment(id: "1")) == .granted("1", to: "a"))
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
    func aRestoreOfWhatWasGrantedUnderAnotherKeyStopsTheImport(isInTheLedger: Bool) async throws {
        try await Shop.open { shop in
            let granted = entry("a", "1", product: "pro")
            let restored = entry("b", "2", product: "pro", kind: "non_consumable", #", "original_transaction_id": "1""#)
            if isInTheLedger { _ = try await load(shop, granted) }

            let refusal = try await Refusal.of { _ = try await load(shop, granted, restored) }

            #expect(refusal == Refusal("23505", "one_grant_a_payment"))
            #expect(try await shop.count("counterfoil.grants") == (isInTheLedger ? 1 : 0))
        }
    }

    /// Granted twice else, under two ids: a consumable that restores another purchase is one that was listed so by mistake.
    @Test(arguments: [true, false])
    func aConsumableThatRestoresAGrantedOneStopsTheImport(isInTheLedger: Bool) async throws {
        try await Shop.open { shop in
            let granted = entry("a", "1")
            let restored = entry("b", "2", #", "original_transaction_id": "1""#)
            if isInTheLedger { _ = try await load(shop, granted) }

            let refusal = try await Refusal.of { _ = try await load(shop, granted, restored) }

            #expect(refusal == Refusal("23505", "one_grant_a_payment"))
            #expect(try await shop.count("counterfoil.grants") == (isInTheLedger ? 1 : 0))
        }
    }

    /// Its product was listed as a consumable since.
    @Test func theFirstIDOfARestoredGrantStopsTheImport() async throws {
        try await Shop.open { shop in
            _ = try await load(
                shop, entry("b", "2", product: "pro", kind: "non_consumable", #", "original_transaction_id": "1""#))

            let refusal = try await Refusal.of { _ = try await load(shop, entry("a", "1", product: "pro")) }

            #expect(refusal == Refusal("23505", "one_grant_a_payment"))
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

            #expect(imported == 2)
        }
    }

    /// One of them without its web order line item id.
    @Test(arguments: [nil, "9"])
    func aPeriodThatIsInTheLedgerStopsTheImportUnderAnotherID(item: String?) async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "plus")
            try #require(
                try await shop.insertGrant(
                    "a", Payment(id: "2", original: "1", webOrderLineItem: item, product: "plus", kind: "auto_renewable")))

            let refusal = try await Refusal.of {
                _ = try await load(
                    shop,
                    entry(
                        "b", "3", product: "plus", kind: "auto_renewable",
                        #", "original_transaction_id": "1""# + (item == nil ? #", "web_order_line_item_id": "9""# : "")))
            }

            #expect(refusal == Refusal("23505", "one_grant_a_payment"))
            #expect(try await shop.count("counterfoil.grants") == 1)
        }
    }

    // MARK: The shop's own trigger

    /// A trigger that delivers, with the condition that sql/README.md documents or something else before its function.
    private func deliver(_ shop: Shop, _ condition: String) async throws {
        try await shop.run(
            """
            create table public.goods (order_id text);
            create function public.deliver() returns trigger
            language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
            begin
                insert into public.goods values (new.order_id);
                return null;
            end $$;
            create trigger deliver after insert on counterfoil.grants for each row \(condition) execute function public.deliver()
            """
        )
    }

    @Test func theDocumentedTriggerDeliversGrantsAndNoImport() async throws {
        try await Shop.open { shop in
            try await deliver(shop, "when (current_setting('counterfoil.importing', true) is distinct from 'on')")
            try await shop.order("b")

            // In one session and one database transaction: the import ends with the call.
            try await shop.admin.withTransaction { _ in
                _ = try await load(shop, entry("a", "1"))
                let worker = Shop(database: shop.database, admin: shop.admin, backend: shop.backend, worker: shop.admin)
                #expect(try await worker.insertGrant("b", Payment(id: "2")))
            }

            #expect(try await shop.rows("select order_id from public.goods") == ["(b)"])
        }
    }

    @Test func aTriggerThatWouldDeliverAgainStopsTheImport() async throws {
        try await Shop.open { shop in
            try await deliver(shop, "")

            let refusal = try await Refusal.of { _ = try await load(shop, entry("a", "1")) }

            #expect(refusal?.sqlState == "55000")
            #expect(try await shop.count("counterfoil.orders") == 0)
            #expect(try await shop.count("public.goods") == 0)
        }
    }

    @Test(arguments: ["alter table counterfoil.grants disable trigger deliver", "drop trigger deliver on counterfoil.grants"])
    func aTriggerThatDoesNotRunStopsNothing(how: String) async throws {
        try await Shop.open { shop in
            try await deliver(shop, "")
            try await shop.run(how)

            #expect(try await load(shop, entry("a", "1")) == 1)
        }
    }

    private func loadMany(_ shop: Shop, _ count: Int32) async throws -> Int64 {
        try await shop.admin.execute(
            """
            select counterfoil.import_grants($1::text, 'production', (
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
