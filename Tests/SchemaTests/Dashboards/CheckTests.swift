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
            "open", "running", "fulfilled", "refunded", "partly", "rejected", "review", "cancelled", "discarded", "retried",
            "assigned", "owned",
        ] {
            try await shop.order(order)
        }
        try await shop.order("period", product: "plus")
        try await shop.upload("running")
        _ = try await shop.claim()
        try #require(try await shop.insertGrant("fulfilled", Payment(id: "1")))
        try #require(try await shop.insertGrant("refunded", Payment(id: "2")))
        try await shop.insertRevocation(Payment(id: "2"), at: 10)
        try #require(try await shop.insertGrant("partly", Payment(id: "10")))
        try await shop.insertRevocation(Payment(id: "10"), at: 10, share: 30_000)
        // By hand, of another product than was ordered.
        try #require(try await shop.insertGrant("assigned", Payment(id: "4", product: "pro", kind: "non_consumable")))
        try await shop.run(
            "insert into counterfoil.order_events (order_id, kind, who, why) values ('assigned', 'assigned', 'eve', 'paid')")
        // A restore of it.
        try await shop.insertUnclaimed(
            [("owned", Payment(id: "5", original: "4", product: "pro", kind: "non_consumable"))], reason: "restored")
        try await shop.settleOrder("owned", "rejected", "already_owned", transaction: "5", environment: "production")
        try #require(
            try await shop.insertGrant(
                "period", Payment(id: "7", original: "6", webOrderLineItem: "w", product: "plus", kind: "auto_renewable")))
        let renewal = Payment(
            id: "8", original: "6", webOrderLineItem: "x", product: "plus", kind: "auto_renewable", purchasedAt: 9)
        try await shop.insertUnclaimed([("period", renewal)], reason: "renewal")
        try await shop.settleOrder("rejected", "rejected", "wrong_app")
        try await shop.insertUnclaimed([("review", Payment(id: "3"))], reason: "owner_mismatch")
        try await shop.settleOrder("review", "review", "owner_mismatch", transaction: "3")
        try await shop.run("select * from counterfoil.cancel_order('cancelled', 'gone')")
        try await shop.upload("discarded")
        let job = try #require(try await shop.claim().first)
        try await shop.putBack(job, discards: true, reason: "unknown_answer")
        try await shop.settleOrder("discarded", "review", "unknown_answer")
        try await shop.upload("retried")
        let retried = try #require(try await shop.claim().first)
        try await shop.putBack(retried, delay: 60, reason: "app_store_unavailable")
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
            insert into counterfoil.other_attempts (
                job_id, order_number, lease_token, attempt, disposition, submitted_at, claimed_at, finished_at
            )
            values (1, \(orderNumber("open")), 1, 1, 'complete', now(), now(), '2010-01-01Z')
            """
        ),
        ("attempts_written_in_part", "update counterfoil.payments set attempt = 1 where \(isGrant("fulfilled"))"),
        ("attempts_written_in_part", "update counterfoil.payments set proof_kind = 'app_receipt' where \(isGrant("fulfilled"))"),
        (
            "attempts_written_in_part",
            """
            update counterfoil.payments
            set attempt = 1, lease_token = 1, worker_id = 1, submitted_at = now(), claimed_at = now()
            where transaction_id = '3'
            """
        ),
        ("discarded_jobs_without_a_verdict", "update counterfoil.orders set state = 'open' where order_id = 'discarded'"),
        ("grants_that_contradict_their_order", "delete from counterfoil.payments where \(isGrant("fulfilled"))"),
        (
            "grants_that_contradict_their_order",
            """
            update counterfoil.payments set order_number = null, granted_at = null, reason = 'no_order'
            where \(isGrant("fulfilled"))
            """
        ),
        (
            "grants_that_contradict_their_order",
            "update counterfoil.payments set order_number = \(orderNumber("open")) where \(isGrant("fulfilled"))"
        ),
        (
            "grants_that_contradict_their_order",
            "update counterfoil.payments set order_number = 999999 where \(isGrant("fulfilled"))"
        ),
        (
            "grants_that_contradict_their_order",
            "update counterfoil.orders set state = 'rejected', reason = 'wrong_app' where order_id = 'fulfilled'"
        ),
        ("grants_that_contradict_their_order", "update counterfoil.payments set account_id = 'bob' where \(isGrant("fulfilled"))"),
        ("grants_that_contradict_their_order", "update counterfoil.payments set product_id = 'gems' where \(isGrant("refunded"))"),
        ("grants_that_contradict_their_order", "update counterfoil.payments set transaction_id = '9' where \(isGrant("assigned"))"),
        ("grants_that_contradict_their_order", "delete from counterfoil.order_events where kind = 'assigned'"),
        ("moves_not_followed", "insert into counterfoil.moved_accounts (account_id, account_now) values ('eve', 'ann')"),
        ("orders_untold", "delete from counterfoil.changes where orders = array[\(orderNumber("assigned"))]"),
        ("orders_untold", "delete from counterfoil.changes where orders = array[\(orderNumber("cancelled"))]"),
        (
            "orders_untold",
            "update counterfoil.changes set kind = 'order_in_review' where orders = array[\(orderNumber("assigned"))]"
        ),
        // It was moved once more, or told of once too often.
        ("orders_untold", "update counterfoil.orders set version = version + 1 where order_id = 'rejected'"),
        ("orders_untold", "update counterfoil.orders set version = version - 1 where order_id = 'refunded'"),
        // Its version wasn't raised either.
        ("orders_untold", "update counterfoil.orders set state = 'rejected', reason = 'wrong_app' where order_id = 'open'"),
        // One between two others, and the first of a new order.
        (
            "orders_untold",
            """
            update counterfoil.orders set version = 3 where order_id = 'rejected';
            insert into counterfoil.changes (kind, orders, versions)
            values ('order_rejected', array[\(orderNumber("rejected"))], '{3}')
            """
        ),
        (
            "orders_untold",
            """
            update counterfoil.orders set version = 2 where order_id = 'rejected';
            update counterfoil.changes set versions = '{2}' where orders = array[\(orderNumber("rejected"))]
            """
        ),
        (
            "refunds_untold",
            """
            delete from counterfoil.changes where kind = 'order_partly_refunded';
            update counterfoil.orders set version = 1 where order_id = 'partly'
            """
        ),
        ("refunds_untold", "update counterfoil.changes set share = 20000 where kind = 'order_partly_refunded'"),
        ("refunds_untold", "delete from counterfoil.revocations where transaction_id = '10'; " + wordOfTen),
        (
            "notifications_without_a_job",
            """
            insert into counterfoil.notifications (
                notification_uuid, bundle_id, environment, type, source, payload, payload_hash, is_of_an_app
            ) values (gen_random_uuid(), 'com.example.game', 'production', 'TEST', 'push', 'a.b.c', sha256('x'), true)
            """
        ),
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
        ("orders_open_though_paid", paymentOfOpenOrder),
        (
            "reviews_of_refunded_payments",
            """
            update counterfoil.orders set reason = 'quantity_short' where order_id = 'review';
            insert into counterfoil.orders_in_review values ('review', now() - interval '2 hours') on conflict (order_id) do update set since = excluded.since;
            insert into counterfoil.revocations (
                bundle_id, environment, transaction_id, original_transaction_id, kind, occurred_at, as_of, share
            ) values ('com.example.game', 'production', '3', '3', 'revocation', now(), now(), 100000)
            """
        ),
        // The answer of an order, and what became of its payment.
        (
            "payments_where_the_facts_deny_them",
            """
            update counterfoil.payments set original_transaction_id = '5', payment_key = 'original:5' where transaction_id = '5'
            """
        ),
        (
            "payments_where_the_facts_deny_them",
            "update counterfoil.orders set state = 'rejected', reason = 'already_granted' where order_id = 'review'"
        ),
        (
            "refunded_orders_whose_payment_stands",
            """
            update counterfoil.orders set state = 'refunded', reason = 'refunded', environment = 'production'
            where order_id = 'review'
            """
        ),
        // Apple told of it, and gave it back.
        (
            "refunded_orders_whose_payment_stands",
            """
            update counterfoil.orders set state = 'refunded', reason = 'refunded', environment = 'production'
            where order_id = 'review';
            update counterfoil.payments set shown_by_number = null, account_id = null where transaction_id = '3'
            """
        ),
        // A restore, of a consumable and of what is bought for good.
        (
            "purchases_granted_twice",
            """
            update counterfoil.payments set transaction_id = '4b', original_transaction_id = '1'
            where \(isGrant("assigned"));
            update counterfoil.orders set transaction_id = '4b' where order_id = 'assigned'
            """
        ),
        ("purchases_granted_twice", grantAgain("assigned", as: "9")),
        // A period, once while its product was listed as of another kind.
        (
            "purchases_granted_twice",
            """
            update counterfoil.payments p
            set original_transaction_id = '1', web_order_line_item_id = 'v',
                payment_key = case o.order_id when 'assigned' then 'web_order:v' end
            from counterfoil.orders o
            where o.number = p.order_number and o.order_id in ('assigned', 'fulfilled')
            """
        ),
        // A period, once without its web order line item.
        ("purchases_granted_twice", grantAgain("period", as: "6")),
        ("purchases_granted_twice", grantAgain("period", as: "9")),
        ("refunded_orders_whose_payment_stands", "delete from counterfoil.revocations"),
        (
            "refunded_payments_of_fulfilled_orders",
            "update counterfoil.orders set state = 'fulfilled', fulfilled_at = now() where order_id = 'refunded'"
        ),
        (
            "webhooks_lost",
            """
            insert into counterfoil.webhook_endpoints (
                name, url, rate, in_flight, pace, cursor, made_by, off_since, off_because
            )
            values ('shop', 'https://shop.example/', 50, 4, 50, '', 'me', now(), 'failing')
            """
        ),
    ]

    /// A reversal of a refund that nobody knows any more.
    private static let wordOfTen = """
        insert into counterfoil.revocations (
            bundle_id, environment, transaction_id, original_transaction_id, kind, occurred_at, as_of
        ) values ('com.example.game', 'production', '10', '10', 'reversal', now(), now())
        """

    /// A payment that only Apple told, two hours ago, whose token an open order bears.
    private static let paymentOfOpenOrder = """
        update counterfoil.orders set app_account_token = 'de305d54-75b4-431b-adb2-eb6b9e546014' where order_id = 'open';
        insert into counterfoil.payments (
            transaction_id, bundle_id, environment, original_transaction_id, product_id, product_kind, quantity, purchased_at, reason,
            app_account_token, seen_at
        ) values (
            '11', 'com.example.game', 'production', '11', 'coins', 'consumable', 1, now(), 'no_order',
            'de305d54-75b4-431b-adb2-eb6b9e546014', now() - interval '2 hours')
        """

    /// What an operator, a job or an attempt is at is no fault.
    @Test(arguments: [
        "update counterfoil.payments set seen_at = now() where transaction_id = '11'",
        "update counterfoil.payments set app_account_token = gen_random_uuid() where transaction_id = '11'",
        "update counterfoil.payments set reason = 'token_missing' where transaction_id = '11'",
        "update counterfoil.payments set quantity = 1, product_id = 'pro', product_kind = 'non_consumable' where transaction_id = '11'",
        "update counterfoil.payments set environment = 'sandbox' where transaction_id = '11'",
        "insert into counterfoil.jobs (order_id, proof) values ('open', 'eyJ.a.b')",
    ])
    func aPaymentThatSomebodyIsAtIsNoFault(_ change: String) async throws {
        try await Shop.open { shop in
            try await makeHealthy(shop)
            try await shop.run("set session_replication_role = replica; \(Self.paymentOfOpenOrder); reset session_replication_role")
            try #require(try await shop.faults() == ["orders_open_though_paid"])

            let isJob = change.hasPrefix("insert")
            try await shop.run(
                isJob ? change : "set session_replication_role = replica; \(change); reset session_replication_role")

            #expect(try await shop.faults() == [])
        }
    }

    /// A condition on payments: the one that an order was granted.
    private static func isGrant(_ order: String) -> String { "order_number = \(orderNumber(order))" }

    /// Grants the payment of an order to another order, under another name and without its key.
    private static func grantAgain(_ order: String, as transaction: String) -> String {
        """
        insert into counterfoil.orders (
            order_id, bundle_id, product_id, account_id, state, transaction_id, environment, fulfilled_at, version
        )
        select 'again', p.bundle_id, p.product_id, p.account_id, 'fulfilled', '\(transaction)', p.environment, now(), 1
        from counterfoil.payments p
        where \(isGrant(order));
        insert into counterfoil.payments (
            transaction_id, bundle_id, environment, original_transaction_id, product_id, product_kind, quantity, purchased_at,
            account_id, order_number, granted_at
        )
        select
            '\(transaction)', p.bundle_id, p.environment, p.original_transaction_id, p.product_id, p.product_kind, p.quantity,
            p.purchased_at, p.account_id, \(orderNumber("again")), now()
        from counterfoil.payments p
        where \(isGrant(order));
        insert into counterfoil.changes (kind, orders, versions)
        values ('order_fulfilled', array[\(orderNumber("again"))], '{1}')
        """
    }

    /// It compares whole tables by sums, and joins them only when these differ.
    @Test func nothingIsJoinedWhileTheSumsAgree() async throws {
        try await Shop.open { shop in
            try await makeHealthy(shop)
            let check = try #require(SQLFile.checks.first { $0.name == "grants_that_contradict_their_order" })

            let plan = try await shop.admin.execute("explain (analyze, costs off, timing off, buffers off) \(check.text)").map {
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
            try await shop.insertUnclaimed([("a", Payment(id: "2"))], reason: "quantity_short")
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

            #expect(try await shop.faults() == [fault.check])
        }
    }
}
