// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

/// What workers count for the dashboards: each minute once, late attempts too, and nothing twice.
@Suite struct RollUpTests {
    private let past = Shop.pastMinute()

    private let counts = "select outcome, reason, attempts from counterfoil.attempt_minutes order by 1, 2"

    @Test func attemptsOfAMinuteAreCountedByWhatCameOfThem() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.attempt("a", "retry", reason: "app_store_unavailable", finished: past)
            try await shop.attempt("a", transaction: "1", finished: past + " + interval '59.9 seconds'", number: 2)
            try await shop.attempt("a", job: 2, reason: "already_granted", transaction: "1", finished: past)
            try await shop.mark(final: past, counted: past)

            try await shop.rollUp()

            #expect(
                try await shop.rows(counts) == [
                    "(fulfilled,\"\",1)", "(rejected,already_granted,1)", "(retried,app_store_unavailable,1)",
                ])
        }
    }

    @Test func countingAgainChangesNothing() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.attempt("a", transaction: "1", finished: past)
            try await shop.mark(final: past, counted: past)
            try await shop.rollUp()
            let tables = [
                "attempt_minutes", "latency_minutes", "product_minutes", "attempt_hours", "latency_hours", "product_hours",
            ]
            var before: [[String]] = []
            for table in tables {
                before.append(try await shop.rows("select *, xmin from counterfoil.\(table) order by 1, 2, 3, 4"))
            }

            try await shop.mark(final: past, counted: past)
            try await shop.rollUp()

            for (table, rows) in zip(tables, before) {
                #expect(try await shop.rows("select *, xmin from counterfoil.\(table) order by 1, 2, 3, 4") == rows, "\(table)")
            }
        }
    }

    @Test func anAttemptThatShowsLateIsCountedWhenItsMinuteIsFinal() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.attempt("a", transaction: "1", finished: past)
            try await shop.mark(final: past, counted: past)
            try await shop.rollUp()

            // Its settlement began in the minute and committed after the first count.
            try await shop.attempt("a", job: 2, transaction: "2", finished: past)
            try await shop.mark(final: past, counted: "date_trunc('minute', now())")
            try await shop.rollUp()

            #expect(try await shop.rows(counts) == ["(fulfilled,\"\",2)"])
        }
    }

    @Test func anOrderThatShowsLateIsCountedWhenItsMinuteIsFinal() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.run("update counterfoil.orders set created_at = \(past)")
            try await shop.mark(final: past, counted: past)
            try await shop.rollUp()

            // A shop's database transaction that was open for long.
            try await shop.order("b")
            try await shop.run("update counterfoil.orders set created_at = \(past) where order_id = 'b'")
            try await shop.mark(final: past, counted: "date_trunc('minute', now())")
            try await shop.rollUp()

            #expect(try await shop.rows("select ordered from counterfoil.product_minutes where minute = \(past)") == ["(2)"])
            #expect(try await shop.rows("select sum(ordered) from counterfoil.product_hours where hour <= \(past)") == ["(2)"])
        }
    }

    @Test func aMinuteThatDidNotGrowIsNotCountedAgain() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.attempt("a", transaction: "1", finished: past)
            try await shop.mark(final: past, counted: past)
            try await shop.rollUp()

            // Counting again would put it right.
            try await shop.run("update counterfoil.attempt_minutes set outcome = 'retried'")
            try await shop.mark(final: past, counted: "date_trunc('minute', now())")
            try await shop.rollUp()

            #expect(try await shop.rows(counts) == ["(retried,\"\",1)"])
            #expect(try await shop.value("select final_to > \(past) from counterfoil.roll_up_marks") == "true")
        }
    }

    @Test func aMinuteThatIsNotOverIsNotCounted() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.mark(final: "date_trunc('minute', now())", counted: "date_trunc('minute', now()) + interval '1 minute'")
            try await shop.attempt("a", transaction: "1", finished: "now() + interval '1 minute'")

            #expect(try await shop.rollUp() == [])
            #expect(try await shop.count("counterfoil.attempt_minutes") == 0)
        }
    }

    /// The database's clock ran a day ahead, and was put right.
    @Test func aClockThatIsPutBackStopsNoCounting() async throws {
        try await Shop.open { shop in
            let ahead = "date_trunc('minute', now()) + interval '1 day'"
            let before = "date_trunc('minute', now()) - interval '3 hours'"
            try await shop.order("a")
            try await shop.attempt("a", transaction: "1", finished: before)
            try await shop.mark(final: before, counted: before)
            try await shop.rollUp()
            try await shop.mark(final: ahead, counted: ahead)
            try await shop.attempt("a", job: 2, reason: "already_granted", finished: "now() - interval '2 hours'")

            try await shop.rollUp()

            #expect(try await shop.rows(counts) == ["(fulfilled,\"\",1)", "(rejected,already_granted,1)"])
            #expect(try await shop.count("counterfoil.roll_up_marks where counted_to <= now() and final_to <= counted_to") == 1)
        }
    }

    /// A claim whose attempt doesn't count is no first one for the next, and what a person gave up was no attempt.
    @Test func anUploadIsPickedUpOnce() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.mark(final: past, counted: past)
            try await shop.attempt("a", "release", finished: past)
            try await shop.attempt("a", "discard", reason: "discarded_by_operator", finished: past, number: 2)
            try await shop.run(
                """
                set session_replication_role = replica;
                update counterfoil.other_attempts set attempt = 1, worker_id = nullif(worker_id, case lease_token when 2 then worker_id end);
                reset session_replication_role
                """)

            try await shop.rollUp()

            #expect(
                try await shop.rows("select measure, sum(attempts) from counterfoil.latency_buckets group by 1 order by 1")
                    == ["(attempt,1)", "(pick_up,1)"])
        }
    }

    @Test func aMinuteShowsBeforeItIsFinal() async throws {
        try await Shop.open { shop in
            let recent = "date_trunc('minute', now()) - interval '2 minutes'"
            try await shop.order("a")
            try await shop.attempt("a", transaction: "1", finished: recent)
            try await shop.mark(final: recent, counted: recent)

            try await shop.rollUp()

            #expect(try await shop.rows(counts) == ["(fulfilled,\"\",1)"])
            #expect(try await shop.rows("select attempts from counterfoil.attempt_hours") == ["(1)"])
            #expect(
                try await shop.read("select product_id, fulfilled from counterfoil.product_funnel") == ["(coins,1)"])
            #expect(try await shop.value("select final_to = \(recent) from counterfoil.roll_up_marks") == "true")
        }
    }

    @Test func quietDaysGoAtOnce() async throws {
        try await Shop.open { shop in
            let start = "date_trunc('minute', now()) - interval '3 days 1 minute'"
            try await shop.mark(final: start, counted: start)

            let counted = try await shop.rollUp()

            #expect(counted.prefix(2) == [1440, 1440])
            #expect(counted.count < 200)
        }
    }

    @Test func oneWorkerCountsAtATime() async throws {
        try await Shop.open { shop in
            try await shop.mark(final: past, counted: past)
            try await shop.database.withConnection(as: "counterfoil_worker") { other in
                try await other.withTransaction { other in
                    let first = try await other.execute("select counterfoil.roll_up()")[0].int32(0)
                    let second = try await shop.rollUp()

                    #expect(first == 1)
                    #expect(second == [])
                }
            }
        }
    }

    @Test func hoursAddTheirMinutesUp() async throws {
        try await Shop.open { shop in
            let hour = "date_trunc('hour', now()) - interval '3 hours'"
            try await shop.order("a")
            for minute in [0, 1, 59, 60] {
                try await shop.attempt("a", job: minute, transaction: "1", finished: "\(hour) + interval '\(minute) minutes'")
            }
            try await shop.mark(final: hour, counted: hour)

            try await shop.rollUp()

            #expect(
                try await shop.rows("select attempts from counterfoil.attempt_hours order by hour") == ["(3)", "(1)"])
            #expect(
                try await shop.rows("select fulfilled from counterfoil.product_hours where judged > 0 order by hour")
                    == ["(3)", "(1)"])
        }
    }

    @Test func latenciesFallIntoTheirBuckets() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            for job in 1...19 {
                try await shop.attempt("a", job: job, transaction: "1", finished: past, took: "3 seconds")
            }
            try await shop.attempt("a", job: 20, transaction: "1", finished: past, took: "20 days")
            try await shop.mark(final: past, counted: past)

            try await shop.rollUp()

            #expect(
                try await shop.rows(
                    "select measure, attempts, p50_seconds, p95_seconds, p99_seconds from counterfoil.latency order by 1")
                    == ["(attempt,20,1,1,1)", "(fulfilment,20,5,5,)", "(pick_up,20,5,5,)"])
        }
    }

    @Test func theMinutesOfAnHourAddUpBucketByBucket() async throws {
        try await Shop.open { shop in
            let hour = "date_trunc('hour', now()) - interval '3 hours'"
            try await shop.order("a")
            for (job, (minute, seconds)) in [(0, 3), (0, 30), (1, 8), (1, 3), (1, 30)].enumerated() {
                try await shop.attempt(
                    "a", job: job, transaction: "1", finished: "\(hour) + interval '\(minute) minutes'",
                    took: "\(seconds) seconds")
            }
            try await shop.mark(final: hour, counted: hour)

            try await shop.rollUp()

            #expect(
                try await shop.rows(
                    "select buckets, reached from counterfoil.latency_minutes where measure = 'fulfilment' order by minute")
                    == ["(\"{8,11}\",\"{1,2}\")", "(\"{8,9,11}\",\"{1,2,3}\")"])
            #expect(
                try await shop.rows("select buckets, reached from counterfoil.latency_hours where measure = 'fulfilment'")
                    == ["(\"{8,9,11}\",\"{2,3,5}\")"])
            #expect(
                try await shop.read(
                    "select attempts, p50_seconds, p99_seconds from counterfoil.latency_by_hour where measure = 'fulfilment'")
                    == ["(5,10,50)"])
        }
    }

    @Test func ordersInReviewComeAndGo() async throws {
        try await Shop.open { shop in
            for order in ["a", "b"] {
                try await shop.order(order)
                try await shop.attempt(order, reason: "owner_mismatch", finished: past)
                try await shop.settleOrder(order, "review", "owner_mismatch")
            }
            try await shop.mark(final: past, counted: past)
            try await shop.rollUp()
            let before = try await shop.rows("select order_id from counterfoil.orders_in_review order by 1")

            try #require(try await shop.insertGrant("a", Payment(id: "1")))
            let removed = try await shop.worker.execute(
                "select counterfoil.prune_roll_ups(interval '14 days', interval '800 days', 1000)")[0].int32(0)

            #expect(before == ["(a)", "(b)"])
            #expect(removed == 1)
            #expect(try await shop.rows("select order_id from counterfoil.orders_in_review") == ["(b)"])
        }
    }

    @Test func onlyDuplicatesReplaysAndForgeriesAreSuspicious() async throws {
        try await Shop.open { shop in
            try await shop.order("a", account: "mallory")
            for (job, reason) in ["granted_to_another_account", "granted_to_another_account", "bad_signature", "wrong_product"]
                .enumerated()
            {
                try await shop.attempt("a", job: job, reason: reason, finished: past)
            }
            // Counted by account too, and no suspicion.
            try await shop.order("b", account: "ann")
            try await shop.attempt("b", reason: "malformed_proof", finished: past)
            try await shop.mark(final: past, counted: past)

            try await shop.rollUp()

            #expect(
                try await shop.rows("select reason, sum(attempts) from counterfoil.suspicion_minutes group by 1 order by 1")
                    == ["(bad_signature,1)", "(granted_to_another_account,2)", "(malformed_proof,1)", "(wrong_product,1)"])
            #expect(
                try await shop.read(
                    "select account_id, duplicates, replays, forgeries, sandbox from counterfoil.suspicious_accounts")
                    == ["(mallory,0,2,1,0)"])
        }
    }
}
