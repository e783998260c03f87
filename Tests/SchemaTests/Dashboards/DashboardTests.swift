// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Testing

/// The views for administrators, as the reader role sees them.
@Suite struct DashboardTests {
    private let past = Shop.pastMinute()

    static let views = [
        "app_store_health", "gateway_key_states", "health", "lane_backlogs", "latency", "latency_by_hour", "meant_waits",
        "order_story", "overview", "paid_not_delivered", "product_funnel", "promise", "rejected_accounts", "rejections", "replication",
        "stuck_orders", "suspicious_accounts", "throughput", "throughput_by_hour", "webhook_status", "worker_activity",
    ]

    @Test(arguments: views)
    func aReaderMayReadAViewThatExplainsItself(_ view: String) async throws {
        try await Shop.open { shop in
            let comment = try await shop.value("select obj_description('counterfoil.\(view)'::regclass)")
            let columns = try await shop.count("pg_attribute where attrelid = 'counterfoil.\(view)'::regclass and attnum > 0")

            #expect((comment?.count ?? 0) > 20)
            #expect(columns > 1)
            await #expect(throws: Never.self) { try await shop.read("select * from counterfoil.\(view)") }
        }
    }

    @Test func everyViewHasAComment() async throws {
        try await Shop.open { shop in
            let silent = try await shop.rows(
                """
                select c.relname from pg_class c
                where c.relnamespace = 'counterfoil'::regnamespace and c.relkind = 'v' and obj_description(c.oid) is null
                """)

            #expect(silent == [])
        }
    }

    /// Settings that stand on the role, so that they hold through a pooler.
    @Test(arguments: [
        ("counterfoil_reader", "statement_timeout", "5s"), ("counterfoil_reader", "idle_in_transaction_session_timeout", "10s"),
        ("counterfoil_reader", "lock_timeout", "1s"), ("counterfoil_reader", "default_transaction_read_only", "on"),
        ("counterfoil_reader", "max_parallel_workers_per_gather", "0"), ("counterfoil_backend", "statement_timeout", "30s"),
        ("counterfoil_backend", "idle_in_transaction_session_timeout", "1min"), ("counterfoil_backend", "lock_timeout", "10s"),
        ("counterfoil_worker", "statement_timeout", "30s"), ("counterfoil_worker", "idle_in_transaction_session_timeout", "10s"),
        ("counterfoil_gateway", "statement_timeout", "5s"), ("counterfoil_gateway", "lock_timeout", "2s"),
        ("counterfoil_gateway", "idle_in_transaction_session_timeout", "10s"),
    ])
    func aRoleIsBounded(role: String, setting: String, value: String) async throws {
        try await Shop.open { shop in
            let found = try await shop.database.withConnection(as: role) { connection in
                try await connection.execute("select current_setting('\(setting)')")[0].string(0)
            }

            #expect(found == value)
        }
    }

    @Test func anOrderIsStuckWhoseJobWaitsOrWhoseCaseNeedsAPerson() async throws {
        try await Shop.open { shop in
            for order in ["new", "waiting", "parked", "reviewed", "mended"] {
                try await shop.order(order)
            }
            for order in ["new", "waiting", "parked"] {
                try await shop.upload(order)
            }
            try await shop.run(
                """
                update counterfoil.jobs set created_at = now() - interval '16 minutes', reason = 'app_store_unavailable'
                where order_id = 'waiting';
                update counterfoil.jobs set created_at = now() - interval '16 minutes',
                    lane = (select lane from counterfoil.gates where route = 'verify_receipt' and environment = 'production')
                where order_id = 'parked';
                update counterfoil.gates set state = 'closed', closed_by = 'configuration', closed_for = 'w', why = 'wrong secret'
                where route = 'verify_receipt' and environment = 'production'
                """)
            try await shop.settleOrder("reviewed", "review", "owner_mismatch")
            try await shop.settleOrder("mended", "review", "owner_mismatch")
            try await shop.run(
                "insert into counterfoil.orders_in_review select order_id, now() from counterfoil.orders where state = 'review'")
            try #require(try await shop.insertGrant("mended", Payment(id: "1")))

            #expect(
                try await shop.read("select order_id, state, why, gate_says from counterfoil.stuck_orders order by 1") == [
                    "(parked,open,configuration,\"wrong secret\")", "(reviewed,review,owner_mismatch,)",
                    "(waiting,open,app_store_unavailable,)",
                ])
        }
    }

    @Test func whatOneAppHasParkedHidesNoOtherAppsStuckOrders() async throws {
        try await Shop.open { shop in
            try await shop.fill(jobs: 1_100, orders: 1_100)
            try await shop.order("of another lane")
            try await shop.upload("of another lane")
            try await shop.run(
                """
                update counterfoil.jobs set lane = 2, run_at = now() + interval '1 hour' where order_id = 'of another lane';
                update counterfoil.jobs set created_at = now() - interval '16 minutes'
                """)

            // Dead letters, however many there are, aren't read through for the oldest thousand.
            try await shop.run(
                """
                set session_replication_role = replica;
                insert into counterfoil.jobs (id, order_id, order_number, proof, lane, state, reason) overriding system value
                select -i, 'order 1', \(orderNumber("order 1")), 'p', 1, 'discarded', 'unknown_answer' from generate_series(1, 20000) i;
                reset session_replication_role
                """)
            #expect(try await shop.read("select count(*) from counterfoil.stuck_orders") == ["(21)"])
            try await shop.run("delete from counterfoil.jobs where id < 0")

            #expect(
                try await shop.read("select order_id from counterfoil.stuck_orders where order_id like 'of%'") == [
                    "(\"of another lane\")"
                ])
            #expect(try await shop.read("select count(*) from counterfoil.stuck_orders") == ["(1001)"])
        }
    }

    @Test func aPaymentThatWasNotGrantedIsShownWithItsOrder() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.insertUnclaimed([("a", Payment(id: "1"))], reason: "owner_mismatch")
            try await shop.insertUnclaimed([("a", Payment(id: "2"))], reason: "renewal")

            #expect(
                try await shop.read("select transaction_id, reason, order_id, order_state from counterfoil.paid_not_delivered")
                    == ["(1,owner_mismatch,a,open)"])
        }
    }

    @Test func countsAreShownAsRatesReasonsAndFunnels() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.run("update counterfoil.orders set created_at = \(past)")
            try await shop.attempt("a", "retry", reason: "app_store_unavailable", finished: past)
            try await shop.attempt("a", transaction: "1", finished: past, number: 2)
            try await shop.attempt("a", job: 2, reason: "already_granted", finished: past)
            try await shop.mark(final: past, counted: past)
            try await shop.rollUp()

            #expect(
                try await shop.read("select bundle_id, outcome, attempts from counterfoil.throughput order by 2") == [
                    "(\(Shop.bundle),fulfilled,1)", "(\(Shop.bundle),rejected,1)", "(\(Shop.bundle),retried,1)",
                ])
            #expect(
                try await shop.read("select outcome, reason, last_24_hours, last_hour from counterfoil.rejections")
                    == ["(rejected,already_granted,1,1)"])
            #expect(
                try await shop.read(
                    "select ordered, judged, fulfilled, rejected, fulfilled_percent from counterfoil.product_funnel")
                    == ["(1,2,1,1,100)"])
            // What failed in production is no word about the sandbox.
            #expect(
                try await shop.read(
                    """
                    select environment, answered_last_hour, unavailable_last_hour from counterfoil.app_store_health
                    where route = 'verify_receipt' order by 1
                    """) == ["(production,2,1)", "(sandbox,0,0)"])
        }
    }

    @Test func longerTimesAreShownByTheHour() async throws {
        try await Shop.open { shop in
            let hour = "date_trunc('hour', now()) - interval '3 days'"
            try await shop.order("a")
            try await shop.attempt("a", transaction: "1", finished: hour)
            try await shop.mark(final: hour, counted: hour)
            try await shop.rollUp()

            #expect(try await shop.read("select outcome, attempts from counterfoil.throughput_by_hour") == ["(fulfilled,1)"])
            #expect(
                try await shop.read("select p50_seconds from counterfoil.latency_by_hour where measure = 'fulfilment'") == ["(5)"])
            #expect(try await shop.read("select * from counterfoil.throughput") == [])
        }
    }

    @Test func workersAreAliveSilentOrGone() async throws {
        try await Shop.open { shop in
            try await shop.run(
                """
                insert into counterfoil.workers (name, host, pid, version, slots, heartbeat_at)
                values ('one', 'h', 1, '1', 10, now()), ('two', 'h', 2, '1', 10, now() - interval '5 minutes')
                """)
            try await shop.order("a")
            try await shop.upload("a")
            try #require(try await shop.claim().count == 1)

            #expect(
                try await shop.read("select name, state, jobs_held from counterfoil.worker_activity order by worker_id")
                    == ["(one,alive,0)", "(two,silent,0)", "(,gone,1)"])
        }
    }

    @Test func theOverviewSumsUp() async throws {
        try await Shop.open { shop in
            let recent = "date_trunc('minute', now()) - interval '2 minutes'"
            for order in ["a", "b", "c"] {
                try await shop.order(order)
                try await shop.upload(order)
            }
            try await shop.attempt("a", transaction: "1", finished: recent)
            try await shop.mark(final: recent, counted: recent)
            try await shop.rollUp()
            try #require(try await shop.claim(1).count == 1)
            try await shop.run(
                "update counterfoil.jobs set state = 'discarded', reason = 'crashed_repeatedly' where order_id = 'c'")
            try await shop.insertUnclaimed([("a", Payment(id: "9"))])

            #expect(
                try await shop.read(
                    """
                    select waiting_jobs, due_jobs, parked_jobs, running_jobs, discarded_jobs, attempts_last_5_minutes,
                        fulfilled_last_5_minutes, p50_seconds, workers_alive, closed_gates, paid_not_delivered
                    from counterfoil.overview
                    """) == ["(1,1,0,1,1,1,1,5,0,0,1)"])
        }
    }

    @Test func parkedJobsAreNotDue() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.upload("a")
            try await shop.run("update counterfoil.gates set state = 'closed', closed_by = 'operator' where route = 'local'")

            #expect(
                try await shop.read("select waiting_jobs, due_jobs, parked_jobs, closed_gates from counterfoil.overview")
                    == ["(1,0,1,1)"])
        }
    }

    @Test func anOrdersStoryIsWholeAndInOrder() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.run("update counterfoil.orders set created_at = now() - interval '1 hour'")
            try await shop.attempt("a", "retry", reason: "app_store_unavailable", finished: "now() - interval '30 minutes'")
            try await shop.attempt("a", transaction: "1", finished: "now() - interval '20 minutes'", took: "10 minutes", number: 2)
            try #require(try await shop.insertGrant("a", Payment(id: "1")))
            try await shop.insertRevocation(Payment(id: "1"), at: 10)
            try await shop.run(
                "insert into counterfoil.order_events (order_id, kind, who, why) values ('a', 'refunded', 'eve', 'a call')")

            let story = try await shop.read(
                "select event, who, reason from counterfoil.order_story where order_id = 'a' order by at, event")

            #expect(
                story == [
                    "(ordered,ann,)", "(uploaded,,)", "(retried,\"worker 7\",app_store_unavailable)",
                    "(fulfilled,\"worker 7\",)", "(granted,,)", "(revocation,,)", "(refunded,eve,)",
                ])
        }
    }

    /// A worker's name is its host's unless it was given one.
    @Test(arguments: [("unit-1", "worker 7 (unit-1 on db1)"), ("db1", "worker 7 (db1)")])
    func theStoryNamesAWorkerWhoseRowIsThere(_ name: String, _ who: String) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.attempt("a", transaction: "1", finished: "now()")
            try await shop.run(
                """
                insert into counterfoil.workers (id, name, host, pid, version, slots) overriding system value
                values (7, '\(name)', 'db1', 1, '1', 8)
                """)

            let story = try await shop.read("select who from counterfoil.order_story where order_id = 'a' and event = 'fulfilled'")

            #expect(story == ["(\"\(who)\")"])
        }
    }

    @Test func aRefundUnderAnotherIDIsPartOfTheStory() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try #require(try await shop.insertGrant("a", Payment(id: "1", kind: "non_consumable")))
            try await shop.insertRevocation(Payment(id: "2", original: "1", kind: "non_consumable"), at: 10)
            try await shop.run(
                """
                insert into counterfoil.revocations
                    (bundle_id, environment, transaction_id, original_transaction_id, kind, occurred_at, as_of)
                select bundle_id, environment, transaction_id, original_transaction_id, 'reversal', occurred_at, as_of
                from counterfoil.revocations
                """)

            let story = try await shop.read(
                "select event from counterfoil.order_story where order_id = 'a' order by at, event")

            #expect(story == ["(ordered)", "(granted)", "(revocation)", "(reversal)"])
        }
    }

    /// The outcome that sql/docs/states.md lists for each reason with which an order is rejected or goes to review.
    private static func readReasons() throws -> [(reason: String, outcome: String)] {
        var reasons: [(reason: String, outcome: String)] = []
        for row in try Repository.text("sql/docs/states.md").split(separator: "\n") where row.hasPrefix("| `") {
            let cells = row.split(separator: "|")
            guard cells.count == 4, cells[2].contains("`") else { continue }
            for state in ["rejected", "review"] where cells[1].contains(state) {
                for reason in cells[0].split(separator: ",") {
                    reasons.append((reason.filter { $0 != "`" && $0 != " " }, state))
                }
            }
        }
        return reasons
    }

    @Test func everyReasonThatRejectsIsToldAsARejection() async throws {
        let reasons = try Self.readReasons()
        try #require(reasons.count > 30)

        try await Shop.open { shop in
            for (reason, outcome) in reasons {
                // A review names the payment that an operator decides about.
                let transaction = outcome == "review" ? "'1'" : "null"
                let told = try await shop.value("select counterfoil.attempt_outcome('complete', '\(reason)', \(transaction))")

                #expect(told == outcome, "\(reason)")
            }
        }
    }
}
