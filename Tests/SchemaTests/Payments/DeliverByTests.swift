// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

@Suite struct DeliverByTests {
    /// Functions of the shop's that note what they deliver, each under its name.
    private func makeDeliveries(_ shop: Shop) async throws {
        try await shop.run(
            """
            create schema shop;
            grant usage on schema shop to counterfoil_delivery;
            create table shop.goods (how text, order_id text, account_id text, quantity integer)
            """)
        for name in ["deliver", "Deliver again"] {
            try await shop.run(
                """
                create function shop."\(name)"(d counterfoil.delivery) returns void
                language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
                begin insert into shop.goods values ('\(name)', d.order_id, d.account_id, d.quantity); end $$
                """)
        }
    }

    private func goods(_ shop: Shop) async throws -> [String] {
        try await shop.rows("select how, order_id, account_id, quantity from shop.goods order by order_id, how")
    }

    @Test func eachGrantIsDeliveredOnce() async throws {
        try await Shop.open { shop in
            try await makeDeliveries(shop)
            try await shop.run("select counterfoil.deliver_by('shop.deliver')")
            for order in ["new", "unclaimed", "refunded", "kept"] {
                try await shop.order(order)
            }
            try await shop.insertUnclaimed([("unclaimed", Payment(id: "2", quantity: 3)), ("kept", Payment(id: "4"))])
            try await shop.insertRevocation(Payment(id: "3"), at: 10)
            #expect(try await goods(shop) == [])

            try #require(
                try await shop.insertGrants([("new", Payment(id: "1")), ("unclaimed", Payment(id: "2", quantity: 3))])
                    == ["new", "unclaimed"])
            #expect(try await !shop.insertGrant("refunded", Payment(id: "3")))
            #expect(try await !shop.insertGrant("kept", Payment(id: "1")))
            try await shop.insertUnclaimed([("kept", Payment(id: "1"))])
            try await shop.insertRevocation(Payment(id: "1"), at: 10)
            try await shop.insertUnclaimed([("kept", Payment(id: "4"))], reason: "owner_mismatch")

            #expect(try await goods(shop) == ["(deliver,new,ann,1)", "(deliver,unclaimed,ann,3)"])
        }
    }

    @Test func anImportDeliversNothing() async throws {
        try await Shop.open { shop in
            try await makeDeliveries(shop)
            try await shop.run("select counterfoil.deliver_by('shop.deliver')")
            try await shop.order("b")
            try await shop.insertUnclaimed([("b", Payment(id: "2"))])
            let entries = ["1", "2"].map {
                """
                {"order_id": "o\($0)", "account_id": "ann", "product_id": "coins", "product_kind": "consumable",
                 "transaction_id": "\($0)", "purchased_at": "2023-11-14T22:13:20Z"}
                """
            }

            // In one session and one database transaction: the import ends with the call.
            try await shop.admin.withTransaction { admin in
                let outcomes = try await admin.execute(
                    "select outcome from counterfoil.import_grants($1::text, 'production', $2::text::jsonb)",
                    [.text(Shop.bundle), .text("[" + entries.joined(separator: ",") + "]")]
                ).map { try $0.string(0) }
                #expect(outcomes == ["imported", "imported"])
                let worker = Shop(database: shop.database, admin: shop.admin, backend: shop.backend, worker: shop.admin)
                #expect(try await worker.insertGrant("b", Payment(id: "3")))
            }

            #expect(try await goods(shop) == ["(deliver,b,ann,1)"])
        }
    }

    /// An import is known by a row that only the owner writes.
    @Test func noSettingOfASessionSilencesTheDelivery() async throws {
        try await Shop.open { shop in
            try await makeDeliveries(shop)
            try await shop.run("select counterfoil.deliver_by('shop.deliver')")
            try await shop.order("a")
            for session in [shop.worker, shop.admin] {
                _ = try await session.execute("select set_config('counterfoil.importing', 'on', false)")
            }

            try #require(try await shop.insertGrant("a", Payment(id: "1")))

            #expect(try await goods(shop) == ["(deliver,a,ann,1)"])
        }
    }

    @Test func anotherFunctionTakesItsPlaceAndNullTakesItAway() async throws {
        try await Shop.open { shop in
            try await makeDeliveries(shop)
            for order in ["a", "b", "c", "d"] {
                try await shop.order(order)
            }
            try #require(try await shop.insertGrant("a", Payment(id: "1")))

            try await shop.run("select counterfoil.deliver_by('shop.deliver')")
            try #require(try await shop.insertGrant("b", Payment(id: "2")))
            // Its name is quoted as it must be.
            try await shop.run(#"select counterfoil.deliver_by('shop."Deliver again"')"#)
            try #require(try await shop.insertGrant("c", Payment(id: "3")))
            try await shop.run("select counterfoil.deliver_by(null)")
            try #require(try await shop.insertGrant("d", Payment(id: "4")))

            #expect(try await goods(shop) == ["(deliver,b,ann,1)", #"("Deliver again",c,ann,1)"#])
        }
    }

    @Test func whatFailsToDeliverIsNotGranted() async throws {
        try await Shop.open { shop in
            try await makeDeliveries(shop)
            try await shop.run("select counterfoil.deliver_by('shop.deliver'); alter table shop.goods add check (quantity < 2)")
            try await shop.order("a")

            let refusal = try await Refusal.of { _ = try await shop.insertGrant("a", Payment(id: "1", quantity: 2)) }

            #expect(refusal == Refusal("23514", "goods_quantity_check"))
            #expect(try await shop.count("counterfoil.grants") == 0)
        }
    }

    /// How a function can't be called: what is made in its place, and the refusal.
    struct Misfit: Sendable {
        let made: String
        var sqlState = "42883"
        var sentence = "there is no function shop.deliver(counterfoil.delivery) that returns void"

        static let function = "create function shop.deliver(counterfoil.delivery) returns void language sql as ''"
        static let all = [
            Misfit(made: "select"),
            Misfit(made: "create function shop.deliver() returns trigger language plpgsql as 'begin end'"),
            Misfit(made: "create function shop.deliver(counterfoil.delivery) returns integer language sql as 'select 1'"),
            Misfit(made: "create procedure shop.deliver(counterfoil.delivery) language sql as ''"),
            Misfit(
                made: function, sqlState: "42501", sentence: "counterfoil_delivery may not call shop.deliver(counterfoil.delivery)"),
            Misfit(
                made: """
                    \(function); grant usage on schema shop to counterfoil_delivery;
                    revoke execute on function shop.deliver(counterfoil.delivery) from public
                    """,
                sqlState: "42501", sentence: "counterfoil_delivery may not call shop.deliver(counterfoil.delivery)"),
        ]
    }

    @Test(arguments: Misfit.all)
    func whatCannotBeCalledIsRefusedAndChangesNothing(_ misfit: Misfit) async throws {
        try await Shop.open { shop in
            try await shop.run("create schema shop; \(misfit.made)")

            let error = await #expect(throws: PostgresError.self) {
                _ = try await shop.admin.execute("select counterfoil.deliver_by('shop.deliver')")
            }

            #expect(error?.sqlState?.rawValue == misfit.sqlState)
            #expect(error?.message == misfit.sentence)
            #expect(try await shop.count("pg_trigger where tgname like 'deliver%'") == 0)
        }
    }

    @Test(arguments: [
        "counterfoil_owner", "counterfoil_backend", "counterfoil_worker", "counterfoil_support", "counterfoil_reader", "shop",
    ])
    func onlyTheOwnerOfTheSchemaNamesIt(_ role: String) async throws {
        try await Shop.open { shop in
            try await makeDeliveries(shop)
            // A role of the server's: each test has its own name for it.
            let ofDatabase = try await shop.value("select 'shop_' || oid from pg_database where datname = current_database()")
            let name = role == "shop" ? try #require(ofDatabase) : role
            if role == "shop" { try await shop.run("create role \(name)") }
            try await shop.run("grant usage on schema shop, counterfoil to \(name); set role \(name)")

            let refusal = try await Refusal.of {
                _ = try await shop.admin.execute("select counterfoil.deliver_by('shop.deliver')")
            }

            try await shop.run("reset role")
            #expect(refusal == (role == "counterfoil_owner" ? nil : Refusal("42501")))
            #expect(try await shop.count("pg_trigger where tgname like 'deliver%'") == (role == "counterfoil_owner" ? 2 : 0))
            if role == "shop" { try await shop.run("drop owned by \(name); drop role \(name)") }
        }
    }
}
