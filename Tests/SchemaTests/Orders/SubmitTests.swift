// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

@Suite struct SubmitTests {
    /// Calls `counterfoil.submit` as a backend; returns `state client_action`.
    @discardableResult
    private func submit(
        _ shop: Shop, order: String = "a", bundle: String = Shop.bundle, product: String = "coins",
        account: String = "ann", proof: String? = "eyJ 1", more: String = ""
    ) async throws -> String {
        let rows = try await shop.backend.execute(
            """
            select s.order_id, s.state || ' ' || s.client_action
            from counterfoil.submit($1::text, $2::text, $3::text, $4::text, $5::text\(more.isEmpty ? "" : ", " + more)) s
            """, [.text(order), .text(bundle), .text(product), .text(account), .text(proof)]
        )
        try #require(rows.count == 1)
        try #require(try rows[0].string(0) == order)
        return try rows[0].string(1)
    }

    @Test func anOrderAndItsJobAreMadeInOneCall() async throws {
        try await Shop.open { shop in
            let status = try await submit(shop)

            #expect(status == "open wait")
            #expect(try await shop.rows("select order_id, recovery from counterfoil.orders") == ["(a,f)"])
            #expect(try await shop.rows("select order_id, proof from counterfoil.jobs") == ["(a,\"eyJ 1\")"])
        }
    }

    @Test func callingItAgainAddsNothing() async throws {
        try await Shop.open { shop in
            try await submit(shop)

            #expect(try await submit(shop) == "open wait")

            #expect(try await shop.count("counterfoil.orders") == 1)
            #expect(try await shop.count("counterfoil.jobs") == 1)
        }
    }

    @Test func callingItAtOnceFromManySidesMakesOneOrder() async throws {
        try await Shop.open { shop in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await shop.database.withConnection(as: "counterfoil_backend") { connection in
                            _ = try await connection.execute(
                                "select * from counterfoil.submit('a', '\(Shop.bundle)', 'coins', 'ann', 'eyJ 1')"
                            )
                        }
                    }
                }
                try await group.waitForAll()
            }

            #expect(try await shop.count("counterfoil.orders") == 1)
            #expect(try await shop.count("counterfoil.jobs") == 1)
        }
    }

    @Test func anotherProofIsAnotherJob() async throws {
        try await Shop.open { shop in
            try await submit(shop)

            try await submit(shop, proof: "eyJ 2")

            #expect(try await shop.count("counterfoil.jobs") == 2)
        }
    }

    @Test func aDiscardedJobDoesNotKeepItsProofFromBeingTriedAgain() async throws {
        try await Shop.open { shop in
            try await submit(shop)
            try await shop.run("update counterfoil.jobs set state = 'discarded', reason = 'unknown_answer'")

            try await submit(shop)

            #expect(try await shop.count("counterfoil.jobs where state = 'available'") == 1)
        }
    }

    @Test(arguments: [
        ("product", "'pro', 'ann'", "1, null"), ("account", "'coins', 'bob'", "1, null"),
        ("quantity", "'coins', 'ann'", "2, null"),
        ("token", "'coins', 'ann'", "1, '00000000-0000-0000-0000-000000000001'"),
    ])
    func anOrderOfThisIDWithOtherContentIsRefused(what: String, names: String, more: String) async throws {
        try await Shop.open { shop in
            try await submit(shop)

            let refusal = try await Refusal.of {
                _ = try await shop.backend.execute(
                    "select * from counterfoil.submit('a', '\(Shop.bundle)', \(names), 'eyJ 2', \(more))"
                )
            }

            #expect(refusal == Refusal("23505", "order_ids_are_unique"), "\(what)")
            #expect(try await shop.count("counterfoil.jobs") == 1)
        }
    }

    @Test func anOrderBecomesARecoveryAndStaysOne() async throws {
        try await Shop.open { shop in
            try await submit(shop)
            #expect(try await shop.value("select recovery from counterfoil.orders") == "false")

            try await submit(shop, proof: "eyJ 2", more: "recovery => true")
            #expect(try await shop.value("select recovery from counterfoil.orders") == "true")

            try await submit(shop, proof: "eyJ 3")
            #expect(try await shop.value("select recovery from counterfoil.orders") == "true")
        }
    }

    /// An attempt may be judging it by what the order was.
    @Test func theSameProofIsAddedOnceMoreWhenItsOrderBecomesARecovery() async throws {
        try await Shop.open { shop in
            try await submit(shop)
            try await submit(shop, more: "recovery => true")
            try await submit(shop, more: "recovery => true")

            #expect(try await shop.count("counterfoil.jobs") == 2)
        }
    }

    /// The client was asked to send another one each time.
    @Test func receiptsThatLackThePurchaseLeaveRoomForTheOneThatHasIt() async throws {
        try await Shop.open { shop in
            try await submit(shop, proof: "eyJ 0")
            try await shop.run(
                """
                insert into counterfoil.jobs (order_id, proof) select 'a', 'eyJ ' || i from generate_series(1, 19) i;
                update counterfoil.jobs set reason = 'purchase_not_in_receipt'
                """)

            #expect(try await submit(shop, proof: "eyJ 20") == "open wait")
            #expect(try await shop.count("counterfoil.jobs") == 21)
            try await shop.run(
                """
                do $$ begin
                    for i in 21..99 loop
                        insert into counterfoil.jobs (order_id, proof) values ('a', 'eyJ ' || i);
                        update counterfoil.jobs set reason = 'purchase_not_in_receipt';
                    end loop;
                end $$
                """)
            #expect(
                try await Refusal.of { try await submit(shop, proof: "eyJ 100") }
                    == Refusal("23514", "at_most_20_pending_jobs_an_order"))
        }
    }

    @Test func theTwentyFirstPendingProofIsRefused() async throws {
        try await Shop.open { shop in
            for number in 1...20 {
                try await submit(shop, proof: "eyJ \(number)")
            }

            let refusal = try await Refusal.of { try await submit(shop, proof: "eyJ 21") }

            #expect(refusal == Refusal("23514", "at_most_20_pending_jobs_an_order"))
            #expect(try await submit(shop, proof: "eyJ 20") == "open wait")
            #expect(try await shop.count("counterfoil.jobs") == 20)
        }
    }

    /// The client keeps its proof, and the backend is told.
    @Test func aProofThatTakesThePendingOnesBeyond32MiBIsRefused() async throws {
        try await Shop.open { shop in
            try await submit(shop, proof: "eyJ")
            try await shop.run(
                "insert into counterfoil.jobs (order_id, proof) select 'a', repeat(i::text, 4194304) from generate_series(1, 7) i")
            func submitted(_ bytes: Int) async throws -> Refusal? {
                try await Refusal.of { try await submit(shop, proof: String(repeating: "x", count: bytes)) }
            }

            #expect(try await submitted(4_194_302) == Refusal("23514", "at_most_32_mib_of_pending_proofs_an_order"))
            #expect(try await submitted(4_194_301) == nil)
            #expect(try await shop.count("counterfoil.jobs") == 9)
            // Dead letters don't wait.
            try await shop.run("update counterfoil.jobs set state = 'discarded', reason = 'crashed_repeatedly' where proof like '1%'")
            #expect(try await submitted(4_194_302) == nil)
        }
    }

    @Test func badInputLeavesNothingBehind() async throws {
        try await Shop.open { shop in
            let refusals = [
                try await Refusal.of { try await submit(shop, bundle: "com.example.other") },
                try await Refusal.of { try await submit(shop, proof: "") },
                try await Refusal.of { try await submit(shop, proof: nil) },
                try await Refusal.of { try await submit(shop, order: "") },
            ]

            #expect(
                refusals == [
                    Refusal("23503", "order_names_a_known_app"), Refusal("23514", "proof_has_1_byte_to_4_mib"),
                    Refusal("23514", "proofs_are_of_jobs_that_verify"), Refusal("23514", "order_id_has_1_to_200_characters"),
                ]
            )
            #expect(try await shop.count("counterfoil.orders") == 0)
        }
    }
}
