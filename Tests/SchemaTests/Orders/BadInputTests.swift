// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

@Suite struct BadInputTests {
    /// A statement of a backend, and the rule that refuses it.
    struct BadInput: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let sql: String
        let refusal: Refusal

        init(_ name: String, _ sql: String, _ sqlState: String, _ constraint: String? = nil) {
            testDescription = name
            self.sql = sql
            refusal = Refusal(sqlState, constraint)
        }

        /// An order that is right but for some columns.
        static func order(
            _ name: String, _ sqlState: String, _ constraint: String?, id: String = "'b'",
            bundle: String = "'\(Shop.bundle)'", product: String = "'coins'", account: String = "'ann'",
            quantity: String = "1"
        ) -> BadInput {
            BadInput(
                name,
                """
                insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, quantity)
                values (\(id), \(bundle), \(product), \(account), \(quantity))
                """, sqlState, constraint
            )
        }

        /// A job that is right but for some columns.
        static func job(
            _ name: String, _ sqlState: String, _ constraint: String?, order: String = "'a'", proof: String = "'eyJ'",
            account: String = "null", transaction: String = "null"
        ) -> BadInput {
            BadInput(
                name,
                """
                insert into counterfoil.jobs (order_id, proof, account_id, transaction_id)
                values (\(order), \(proof), \(account), \(transaction))
                """, sqlState, constraint
            )
        }
    }

    static let cases: [BadInput] = [
        .order("no order id", "23502", nil, id: "null"),
        .order("empty order id", "23514", "order_id_has_1_to_200_characters", id: "''"),
        .order("order id of 201 characters", "23514", "order_id_has_1_to_200_characters", id: "repeat('x', 201)"),
        .order("order id of 1 MB", "23514", "order_id_has_1_to_200_characters", id: "repeat('x', 1048576)"),
        .order("order id twice", "23505", "order_ids_are_unique", id: "'a'"),
        .order("unknown app", "23503", "order_names_a_known_app", bundle: "'com.example.other'"),
        .order("empty product", "23514", "ordered_product_id_has_1_to_200_characters", product: "''"),
        .order("product of 1 MB", "23514", "ordered_product_id_has_1_to_200_characters", product: "repeat('x', 1048576)"),
        .order("empty account", "23514", "account_id_has_1_to_200_characters", account: "''"),
        .order("account of 1 MB", "23514", "account_id_has_1_to_200_characters", account: "repeat('x', 1048576)"),
        .order("no account", "23502", nil, account: "null"),
        .order("quantity 0", "23514", "quantity_is_1_to_10", quantity: "0"),
        .order("quantity 11", "23514", "quantity_is_1_to_10", quantity: "11"),
        .job("no proof", "23514", "proofs_are_of_jobs_that_verify", proof: "null"),
        .job("empty proof", "23514", "proof_has_1_byte_to_4_mib", proof: "''"),
        .job("proof of 4 MiB and a byte", "23514", "proof_has_1_byte_to_4_mib", proof: "repeat('x', 4194305)"),
        .job("proof of 3 MiB in wide characters", "23514", "proof_has_1_byte_to_4_mib", proof: "repeat('é', 3145728)"),
        .job("unknown order", "23503", "job_names_a_known_order", order: "'nobody''s'"),
        .job("unknown order of 1 MB", "23503", "job_names_a_known_order", order: "repeat('x', 1048576)"),
        .job("another account", "23514", "job_belongs_to_the_orders_account", account: "'bob'"),
        .job("empty account", "23514", "job_belongs_to_the_orders_account", account: "''"),
        .job("empty hint", "23514", "hinted_transaction_id_has_1_to_64_characters", transaction: "''"),
        .job(
            "hint of 65 characters", "23514", "hinted_transaction_id_has_1_to_64_characters", transaction: "repeat('1', 65)"
        ),
        BadInput(
            "more pending jobs than an order may have",
            "insert into counterfoil.jobs (order_id, proof) select 'a', 'eyJ' || i from generate_series(1, 21) i", "23514",
            "at_most_20_pending_jobs_an_order"
        ),
        BadInput(
            "longer pending proofs than an order may have",
            "insert into counterfoil.jobs (order_id, proof) select 'a', repeat('x', 4194304) from generate_series(1, 9)", "23514",
            "at_most_32_mib_of_pending_proofs_an_order"
        ),
        BadInput(
            "a column that is not the shop's", "insert into counterfoil.jobs (order_id, proof, priority) values ('a', 'x', 0)",
            "42501"
        ),
    ]

    @Test(arguments: cases)
    func badInputIsRefusedByANamedRule(_ input: BadInput) async throws {
        try await Shop.open { shop in
            try await shop.order("a")

            var text = ""
            let refusal = try await Refusal.of {
                do {
                    _ = try await shop.backend.execute(input.sql)
                } catch let error as PostgresError {
                    text = error.message
                    throw error
                }
            }

            #expect(refusal == input.refusal)
            // Many drivers show the text only.
            if let rule = input.refusal.constraint { #expect(text.contains(rule)) }
            #expect(try await shop.count("counterfoil.jobs") == 0)
            #expect(try await shop.count("counterfoil.orders") == 1)
        }
    }

    @Test(arguments: ["order_id", "proof"])
    func textWithANULIsRefused(column: String) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            let values = ["order_id": "a", "proof": "eyJ"].merging([column: "e\u{0}J"]) { $1 }

            let refusal = try await Refusal.of {
                _ = try await shop.backend.execute(
                    "insert into counterfoil.jobs (order_id, proof) values ($1, $2)",
                    [.text(values["order_id"]), .text(values["proof"])]
                )
            }

            #expect(refusal == Refusal("22021"))
        }
    }

    @Test func theLargestInputPasses() async throws {
        try await Shop.open { shop in
            _ = try await shop.backend.execute(
                """
                insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, quantity)
                values (repeat('😀', 200), '\(Shop.bundle)', repeat('😀', 200), repeat('😀', 200), 10)
                """
            )
            _ = try await shop.backend.execute(
                """
                insert into counterfoil.jobs (order_id, proof, account_id, transaction_id)
                values (repeat('😀', 200), repeat('x', 4194304), repeat('😀', 200), repeat('😀', 64))
                """
            )

            #expect(try await shop.claim().count == 1)
        }
    }

    @Test func aDiscardedJobTakesNoPlaceAmongThePending() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            for number in 1...20 {
                try await shop.upload("a", "eyJ \(number)")
            }
            try await shop.run("update counterfoil.jobs set state = 'discarded', reason = 'unknown_answer' where proof = 'eyJ 1'")

            try await shop.upload("a", "eyJ 21")

            #expect(try await shop.count("counterfoil.jobs") == 21)
        }
    }

    @Test(arguments: [
        ("eyJhbGciOi", "", "local"), ("  eyJ", "", "local"), ("eyJ", "confirm_after = '1 hour'", "local"),
        ("eyJ", "confirm_after = '0'", "server_api"), ("2000000123456789", "", "server_api"), ("MIIT", "", "verify_receipt"),
        ("MIIT", "receipt_route = 'local_only'", "local"), ("MIIT", "receipt_route = 'local_then_api'", "server_api"),
    ])
    func theLaneIsGuessedFromTheStartOfTheProofAndTheAppsPolicy(
        proof: String, policy: String, route: String
    ) async throws {
        try await Shop.open { shop in
            if !policy.isEmpty {
                try await shop.run("update counterfoil.apps set \(policy)")
            }
            try await shop.order("a")

            try await shop.upload("a", proof)

            let environment = route == "local" ? nil : "production"
            let lane = try await shop.lane(route, environment)
            #expect(try await shop.count("counterfoil.jobs where lane = \(lane)") == 1)
        }
    }

    /// Anybody can invent ids, and they share their lane with proofs that Apple confirms.
    @Test func anIDWithoutAProofComesAfterProofs() async throws {
        try await Shop.open { shop in
            try await shop.run("update counterfoil.apps set confirm_after = '0'")
            for order in ["id", "padded id", "proof"] { try await shop.order(order) }
            try await shop.upload("id", "2000000123456789")
            try await shop.upload("padded id", " 12")
            try await shop.upload("proof", "eyJ")

            let jobs = try await shop.claim()

            #expect(Set(jobs.map(\.lane)).count == 1)
            #expect(jobs.map(\.order) == ["proof", "id", "padded id"])
        }
    }
}
