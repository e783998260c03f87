// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Testing
import VerificationQueue

/// Each check finds its fault, and nothing in a healthy database.
@Suite struct CheckTests {
    /// Orders in every state, with what belongs to them.
    private func makeHealthy(_ shop: Shop) async throws {
        for order in [
            "open", "running", "fulfilled", "refunded", "rejected", "review", "cancelled", "discarded", "retried", "assigned",
        ] {
            try await shop.order(order)
        }
        try await shop.upload("running")
        _ = try await shop.claim()
        try #require(try await shop.insertGrant("fulfilled", Payment(id: "1")))
        try #require(try await shop.insertGrant("refunded", Payment(id: "2")))
        try await shop.insertRevocation(Payment(id: "2"), at: 10)
        // What a restore brings: a further id of the same payment.
        try await shop.run(
            """
            insert into counterfoil.transaction_ids (bundle_id, environment, transaction_id, grant_id)
            select bundle_id, environment, '1b', id from counterfoil.grants where order_id = 'fulfilled'
            """)
        // By hand, of another product than was ordered.
        try #require(try await shop.insertGrant("assigned", Payment(id: "4", product: "pro", kind: "non_consumable")))
        try await shop.run(
            "insert into counterfoil.order_events (order_id, kind, who, why) values ('assigned', 'assigned', 'eve', 'paid')")
        try await shop.settleOrder("rejected", "rejected", "wrong_app")
        try await shop.insertUnclaimed([("review", Payment(id: "3"))], reason: "owner_mismatch")
        try await shop.settleOrder("review", "review", "owner_mismatch", transaction: "3")
        try await shop.run("select * from counterfoil.cancel_order('cancelled', 'gone')")
        try await shop.upload("discarded")
        let job = try #require(try await shop.claim().first)
        try await shop.keep(job, discards: true, reason: "unknown_answer")
        try await shop.settleOrder("discarded", "review", "unknown_answer")
        try await shop.upload("retried")
        let retried = try #require(try await shop.claim().first)
        try await shop.keep(retried, delay: 60, reason: "app_store_unavailable")
        try await shop.settleOrder("retried", nil)
    }

    @Test func aHealthyDatabaseHasNoFault() async throws {
        try await Shop.open { shop in
            try await makeHealthy(shop)

            #expect(try await shop.faults() == [])
        }
    }

    /// A check, and what makes its fault, past triggers and keys.
    static let faults: [(check: String, sql: String)] = [
        (
            "attempts_outside_their_partitions",
            """
            insert into counterfoil.attempts (
                job_id, order_id, lease_token, attempt, disposition, submitted_at, claimed_at, finished_at
            )
            values (1, 'open', 1, 1, 'complete', now(), now(), '2010-01-01Z')
            """
        ),
        ("discarded_jobs_without_a_verdict", "update counterfoil.orders set state = 'open' where order_id = 'discarded'"),
        ("grants_that_contradict_their_order", "delete from counterfoil.grants where order_id = 'fulfilled'"),
        ("grants_that_contradict_their_order", "update counterfoil.orders set state = 'open' where order_id = 'fulfilled'"),
        ("grants_that_contradict_their_order", "update counterfoil.grants set account_id = 'bob' where order_id = 'fulfilled'"),
        ("grants_that_contradict_their_order", "update counterfoil.grants set product_id = 'gems' where order_id = 'refunded'"),
        ("grants_that_contradict_their_order", "update counterfoil.grants set transaction_id = '9' where order_id = 'assigned'"),
        ("grants_that_contradict_their_order", "delete from counterfoil.order_events where kind = 'assigned'"),
        ("jobs_without_a_gate", "update counterfoil.jobs set lane = 999 where order_id = 'running'"),
        (
            "leases_held_by_nobody",
            """
            update counterfoil.jobs set lease_expires_at = now() - interval '1 hour' where order_id = 'running';
            insert into counterfoil.workers (name, host, pid, version, slots, started_at)
            values ('one', 'h', 1, '1', 10, now() - interval '6 minutes')
            """
        ),
        ("orders_left_behind", "delete from counterfoil.jobs where order_id = 'retried'"),
        (
            "purchases_granted_twice",
            "update counterfoil.grants set transaction_id = '4b', original_transaction_id = '1' where order_id = 'assigned'"
        ),
        (
            "purchases_granted_twice",
            """
            update counterfoil.grants
            set original_transaction_id = '1', web_order_line_item_id = 'w',
                grant_key = case order_id when 'assigned' then 'web_order:w' else grant_key end
            where order_id in ('assigned', 'fulfilled')
            """
        ),
        ("refunded_orders_whose_payment_stands", "delete from counterfoil.revocations"),
        (
            "revoked_grants_of_fulfilled_orders",
            "update counterfoil.orders set state = 'fulfilled', fulfilled_at = now() where order_id = 'refunded'"
        ),
        (
            "transaction_ids_that_contradict_their_grant",
            "delete from counterfoil.transaction_ids where transaction_id = '1'"
        ),
        (
            "transaction_ids_that_contradict_their_grant",
            "delete from counterfoil.transaction_ids where transaction_id = '2'"
        ),
        (
            "transaction_ids_that_contradict_their_grant",
            "update counterfoil.transaction_ids set environment = 'sandbox' where transaction_id = '1b'"
        ),
        (
            "unclaimed_transactions_in_the_ledger",
            "update counterfoil.unclaimed_transactions set transaction_id = '1' where transaction_id = '3'"
        ),
        (
            "unclaimed_transactions_in_the_ledger",
            """
            insert into counterfoil.restored_transactions
            select u.*, g.id from counterfoil.unclaimed_transactions u cross join counterfoil.grants g
            where g.order_id = 'fulfilled' and u.transaction_id = '3'
            """
        ),
        (
            "unclaimed_transactions_in_the_ledger",
            """
            update counterfoil.grants set grant_key = 'web_order:w' where order_id = 'fulfilled';
            update counterfoil.unclaimed_transactions set original_transaction_id = '1', web_order_line_item_id = 'w'
            """
        ),
    ]

    /// Checks that compare whole tables by sums, and join them only when these differ.
    @Test(arguments: ["grants_that_contradict_their_order", "transaction_ids_that_contradict_their_grant"])
    func nothingIsJoinedWhileTheSumsAgree(_ name: String) async throws {
        try await Shop.open { shop in
            try await makeHealthy(shop)
            let check = try #require(SQLFile.checks.first { $0.name == name })

            let plan = try await shop.admin.execute("explain (analyze, costs off, timing off) \(check.text)").map {
                try $0.string(0)
            }

            let filter = try #require(plan.firstIndex { $0.contains("One-Time Filter") })
            #expect(plan[filter...].dropFirst().first?.contains("never executed") == true, "\(plan.joined(separator: "\n"))")
        }
    }

    /// One that was alive when a backup was made, and one that has just begun.
    @Test func leasesThatNoWorkerHadTheTimeToEndAreNoFault() async throws {
        try await Shop.open { shop in
            try await makeHealthy(shop)
            try await shop.run(
                """
                update counterfoil.jobs set lease_expires_at = now() - interval '1 hour' where order_id = 'running';
                insert into counterfoil.workers (name, host, pid, version, slots, started_at, heartbeat_at) values
                    ('one', 'h', 1, '1', 10, now() - interval '2 hours', now() - interval '1 hour'),
                    ('two', 'h', 2, '1', 10, now() - interval '4 minutes', now())
                """)

            #expect(try await shop.faults() == [])
        }
    }

    /// The second payment that it showed, and that kept it open, was granted to another order.
    @Test func anOrderThatARefundLeftOpenIsNoFault() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.order("b")
            try await shop.insertUnclaimed([("a", Payment(id: "2"))], reason: "owner_mismatch")
            try await shop.settleOrder("a", "refunded", "refunded", transaction: "1")
            try await shop.run("update counterfoil.orders set last_attempt_at = now() - interval '1 minute' where order_id = 'a'")
            try await shop.attempt("a", reason: "refunded", transaction: "1", finished: "now() - interval '1 minute'")
            try #require(try await shop.insertGrant("b", Payment(id: "2")))
            #expect(try await shop.value("select state from counterfoil.orders where order_id = 'a'") == "open")

            #expect(try await shop.faults() == [])

            // A later attempt that left nothing behind is one.
            try await shop.run("update counterfoil.orders set last_attempt_at = now() where order_id = 'a'")
            #expect(try await shop.faults() == ["orders_left_behind"])
        }
    }

    @Test func everyCheckHasItsFaultHere() {
        #expect(Set(Self.faults.map(\.check)) == Set(SQLFile.checks.map(\.name)))
    }

    @Test(arguments: faults)
    func aCheckFindsItsFault(_ fault: (check: String, sql: String)) async throws {
        try await Shop.open { shop in
            try await makeHealthy(shop)
            try await shop.run(
                "set session_replication_role = replica; \(fault.sql); reset session_replication_role")

            #expect(try await shop.faults().contains(fault.check))
        }
    }
}
