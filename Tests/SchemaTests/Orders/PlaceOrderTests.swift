// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

/// An order without a proof, and a proof without an order: the halves of submit.
@Suite struct PlaceOrderTests {
    @discardableResult
    private func place(_ shop: Shop, _ arguments: String = "'a', '\(Shop.bundle)', 'coins', 'ann'") async throws -> [String] {
        try await shop.rows(
            "select order_id, state, client_action, job_id from counterfoil.place_order(\(arguments))", as: shop.backend)
    }

    private func add(_ shop: Shop, _ arguments: String = "'a', 'ann', 'eyJ 1'") async throws -> String? {
        try await shop.backend.execute("select job_id::text from counterfoil.add_proof(\(arguments))").first?.optionalString(0)
    }

    @Test func anOrderIsMadeOnce() async throws {
        try await Shop.open { shop in
            let made = try await place(shop)
            let again = try await place(shop)

            #expect(made == ["(a,open,upload_proof,)"])
            #expect(again == made)

            #expect(try await shop.rows("select order_id, quantity, recovery from counterfoil.orders") == ["(a,1,f)"])
            #expect(try await shop.count("counterfoil.jobs") == 0)
        }
    }

    @Test(arguments: [
        "'a', 'com.example.second', 'coins', 'ann'", "'a', '\(Shop.bundle)', 'pro', 'ann'", "'a', '\(Shop.bundle)', 'coins', 'bob'",
        "'a', '\(Shop.bundle)', 'coins', 'ann', 2",
        "'a', '\(Shop.bundle)', 'coins', 'ann', 1, '0d9a2d0e-64d7-4a55-9d0f-0a0c2f4f1a11'",
    ])
    func anOrderWithOtherContentIsRefused(arguments: String) async throws {
        try await Shop.open { shop in
            try await shop.run("insert into counterfoil.apps (bundle_id) values ('com.example.second')")
            try await place(shop)

            let refusal = try await Refusal.of { try await place(shop, arguments) }

            #expect(refusal == Refusal("23505", "order_ids_are_unique"))
            #expect(try await shop.rows("select account_id, product_id, quantity from counterfoil.orders") == ["(ann,coins,1)"])
        }
    }

    @Test func anOrderOfAnUnknownAppIsRefused() async throws {
        try await Shop.open { shop in
            let refusal = try await Refusal.of { try await place(shop, "'a', 'x', 'coins', 'ann'") }

            #expect(refusal == Refusal("23503", "order_names_a_known_app"))
        }
    }

    @Test func anOrderBecomesOneForAPaymentThatCameFirst() async throws {
        try await Shop.open { shop in
            try await place(shop)
            try await place(shop, "'a', '\(Shop.bundle)', 'coins', 'ann', recovery => true")
            try await place(shop)

            #expect(try await shop.value("select recovery from counterfoil.orders") == "true")
        }
    }

    /// The gateway answers by this whether an order is new.
    @Test func onlyANewOrderBearsTheTimeOfTheCall() async throws {
        try await Shop.open { shop in
            let call = "select updated_at = now() from counterfoil.place_order('a', '\(Shop.bundle)', 'coins', 'ann')"

            let made = try await shop.rows(call, as: shop.backend)
            let again = try await shop.rows(call, as: shop.backend)

            #expect(made == ["(t)"])
            #expect(again == ["(f)"])
        }
    }

    @Test func submitAfterwardsAddsTheProofOnce() async throws {
        try await Shop.open { shop in
            try await place(shop)
            _ = try await shop.backend.execute(
                "select * from counterfoil.submit('a', '\(Shop.bundle)', 'coins', 'ann', 'eyJ 1')")

            let job = try await shop.value("select id from counterfoil.jobs")

            #expect(try await add(shop) == job)
            #expect(try await add(shop) == job)
            #expect(try await shop.count("counterfoil.jobs") == 1)
            #expect(try await add(shop, "'a', 'ann', 'eyJ 2'") != job)
            // The same proof with a hint means another purchase of it.
            #expect(try await add(shop, "'a', 'ann', 'eyJ 1', '7'") != job)
            #expect(try await shop.count("counterfoil.jobs") == 3)
        }
    }

    @Test(arguments: [
        ("'a', 'bob', 'eyJ 1'", Refusal("23503", "job_names_a_known_order")),
        ("'unknown', 'ann', 'eyJ 1'", Refusal("23503", "job_names_a_known_order")),
        ("'a', null, 'eyJ 1'", Refusal("23503", "job_names_a_known_order")),
        ("'a', 'ann', ''", Refusal("23514", "proof_has_1_byte_to_4_mib")),
        ("'a', 'ann', repeat('x', 4194305)", Refusal("23514", "proof_has_1_byte_to_4_mib")),
        ("'a', 'ann', 'eyJ', ''", Refusal("23514", "hinted_transaction_id_has_1_to_64_characters")),
    ])
    func aProofThatIsNotTakenLeavesNothing(arguments: String, expected: Refusal) async throws {
        try await Shop.open { shop in
            try await place(shop)

            let refusal = try await Refusal.of { _ = try await add(shop, arguments) }

            #expect(refusal == expected)
            #expect(try await shop.count("counterfoil.jobs") == 0)
        }
    }
}
