// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

@Suite struct OrderStatusTests {
    /// `state reason client_action` of order `a`, as its backend reads it.
    private func status(_ shop: Shop) async throws -> String {
        let rows = try await shop.backend.execute(
            """
            select state || ' ' || coalesce(reason, '-') || ' ' || client_action
            from counterfoil.order_status where order_id = 'a'
            """
        )
        try #require(rows.count == 1)
        return try rows[0].string(0)
    }

    @Test func anOrderWithoutAProofWantsOne() async throws {
        try await Shop.open { shop in
            try await shop.order("a")

            #expect(try await status(shop) == "open - upload_proof")
        }
    }

    @Test func aPendingJobIsWaitedFor() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.upload("a")
            #expect(try await status(shop) == "open - wait")

            _ = try await shop.claim()
            #expect(try await status(shop) == "open - wait")
        }
    }

    @Test(arguments: [
        ("breaker", "app_store_unavailable"), ("configuration", "configuration"), ("operator", "closed_by_operator"),
    ])
    func aParkedJobSaysWhyItsGateIsClosed(closer: String, reason: String) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.upload("a", "MII")
            try await shop.run(
                """
                update counterfoil.gates set state = 'closed', closed_by = '\(closer)'
                where route = 'verify_receipt' and environment = 'production'
                """
            )

            #expect(try await status(shop) == "open \(reason) wait")
        }
    }

    @Test func aRunningJobIsNotParkedByAGateThatCloses() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.upload("a")
            _ = try await shop.claim()

            try await shop.run("update counterfoil.gates set state = 'closed', closed_by = 'breaker'")

            #expect(try await status(shop) == "open - wait")
        }
    }

    @Test func aReceiptThatLacksThePurchaseIsAskedForAgainWhileItsJobGoesOn() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.upload("a", "MII 1")
            let job = try #require(try await shop.claim().first)

            try await shop.putBack(job, delay: 60, counts: false, reason: "purchase_not_in_receipt")

            #expect(try await status(shop) == "open purchase_not_in_receipt resend_proof")
        }
    }

    @Test func aNewProofIsWaitedForThoughAnOlderOneLacksThePurchase() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.upload("a", "MII 1")
            let job = try #require(try await shop.claim().first)
            try await shop.putBack(job, delay: 60, counts: false, reason: "purchase_not_in_receipt")

            try await shop.upload("a", "MII 2")

            #expect(try await status(shop) == "open - wait")
        }
    }

    @Test func aDiscardedJobIsNotPending() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.upload("a")
            let job = try #require(try await shop.claim().first)

            try await shop.putBack(job, discards: true, reason: "unknown_answer")
            try await shop.settleOrder("a", "review", "unknown_answer")

            #expect(try await status(shop) == "review unknown_answer contact_support")
        }
    }

    @Test func theNextAttemptIsTheFirstOfItsJobs() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.upload("a", "1")
            try await shop.upload("a", "2")
            try await shop.run(
                """
                update counterfoil.jobs
                set run_at = '2030-01-01Z'::timestamptz + case proof when '1' then interval '1 day' else interval '0' end
                """
            )

            let next = try await shop.value(
                "select next_attempt_at = '2030-01-01Z'::timestamptz from counterfoil.order_status where order_id = 'a'"
            )

            #expect(next == "true")
        }
    }

    @Test func aFulfilledOrderNamesWhatPaidForIt() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try #require(try await shop.insertGrant("a", Payment(id: "1", environment: "sandbox")))

            #expect(try await status(shop) == "fulfilled - finish")
            let rows = try await shop.rows(
                """
                select account_id, transaction_id, environment, attempts, next_attempt_at, fulfilled_at is not null
                from counterfoil.order_status
                """
            )
            #expect(rows == ["(ann,1,sandbox,1,,t)"])
        }
    }

    /// In percent, by the share in thousandths of a percent; nil where it isn't known.
    @Test(arguments: [
        (33_333, "fulfilled 33.333"), (40_000, "fulfilled 40"), (nil, "fulfilled"), (100_000, "refunded 100"),
    ] as [(Int32?, String)])
    func aShareThatWasRefundedAfterTheGrantIsShown(share: Int32?, expected: String) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try #require(try await shop.insertGrant("a", Payment(id: "1")))
            let before = try await shop.value("select refunded_share from counterfoil.order_status")

            try await shop.insertRevocation(Payment(id: "1"), at: 10, share: share)

            #expect(before == nil)
            let after = try await shop.backend.execute(
                "select concat_ws(' ', state, refunded_share) from counterfoil.order_status where order_id = 'a'")
            #expect(try after[0].string(0) == expected)
        }
    }

    /// A shop in another database delivers this, and takes it back, by the status alone.
    @Test func whatWasGrantedIsShownAsItWasPaid() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.order("b")
            let facts = """
                select concat_ws(
                    ' ', bundle_id, product_id, quantity, purchased_at is not null, expires_at is null, refunded_at is not null, version)
                from counterfoil.order_status where order_id = 'a'
                """
            #expect(try await shop.backend.execute(facts)[0].string(0) == "\(Shop.bundle) f t f 0")

            try #require(try await shop.insertGrant("a", Payment(id: "1", quantity: 3)))
            let granted = try await shop.backend.execute(facts)[0].string(0)
            try await shop.insertRevocation(Payment(id: "1", quantity: 3), at: 10, share: nil)
            let refunded = try await shop.backend.execute(facts)[0].string(0)

            #expect(granted.contains(" 3 t t f "))
            #expect(refunded.contains(" 3 t t t "))
            let open = "select num_nulls(product_id, quantity, purchased_at, refunded_at) from counterfoil.order_status where order_id = 'b'"
            #expect(try await shop.backend.execute(open)[0].int32(0) == 4)
        }
    }

    /// As an ORM inserts.
    @Test func aBackendsInsertsMayReturnTheirIds() async throws {
        try await Shop.open { shop in
            let order = """
                insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
                values ('orm', '\(Shop.bundle)', 'coins.100', 'ann') on conflict (order_id) do nothing returning order_id
                """
            #expect(try await shop.backend.execute(order)[0].string(0) == "orm")
            #expect(try await shop.backend.execute(order).isEmpty)

            let jobs = try await shop.backend.execute(
                "insert into counterfoil.jobs (order_id, proof) values ('orm', 'eyJ') returning id, order_id")

            #expect(try await shop.value("select id from counterfoil.jobs") == String(try jobs[0].int64(0)))
            let refusal = try await Refusal.of { _ = try await shop.backend.execute("select proof from counterfoil.jobs") }
            #expect(refusal == Refusal("42501"))
        }
    }

    @Test func pollingIsTwoIndexLookUps() async throws {
        try await Shop.open { shop in
            try await shop.fill(jobs: 20_000, orders: 20_000)

            let plan = try await shop.plan("select * from counterfoil.order_status where order_id = 'order 77'")

            #expect(plan.contains("Index Scan using order_ids_are_unique on orders"))
            #expect(plan.contains("Index Scan using one_job_of_an_order_runs_at_a_time on jobs"))
            for table in ["jobs", "orders", "payments", "revocations"] {
                #expect(!plan.contains("Seq Scan on \(table)"), "\(plan)")
            }
            #expect(plan.contains("Index Scan using one_grant_an_order on payments"), "\(plan)")
            // The other names of a granted payment say nothing of its refunds.
            #expect(plan.contains("One-Time Filter: (p.order_number IS NULL)"), "\(plan)")
        }
    }
}
