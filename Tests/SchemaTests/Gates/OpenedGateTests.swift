// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Testing
import Verification
import VerificationQueue

/// A gate that opens lets jobs run soon that failed while it was closed.
@Suite struct OpenedGateTests {
    /// A job that failed once: when, and all that decides whether the gate's opening concerns it.
    struct Failure: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var reason = "app_store_unavailable"
        var disposition = "retry"
        var finished = "now()"
        var lane = "verify_receipt"
        var runsIn = "10 minutes"
        var isHastened = true
    }

    static let failures = [
        Failure(testDescription: "while it was closed"),
        Failure(testDescription: "as the breaker counted", finished: "now() - interval '85 seconds'"),
        Failure(testDescription: "before the breaker counted", finished: "now() - interval '95 seconds'", isHastened: false),
        Failure(testDescription: "in the lane of another call of its app", lane: "server_api"),
        Failure(testDescription: "by an answer", reason: "purchase_not_in_receipt", disposition: "snooze", isHastened: false),
        Failure(testDescription: "and Apple named a time", reason: "rate_limited", disposition: "snooze", isHastened: false),
        Failure(testDescription: "and is put off for tomorrow", runsIn: "1 day", isHastened: false),
    ]

    /// An order whose job waits since a failure.
    private func fail(_ shop: Shop, _ order: String, _ failure: Failure) async throws {
        try await shop.order(order)
        let job = try await shop.upload(order, "MII \(order)")
        let lane = try await shop.lane(failure.lane, "production")
        try await shop.run(
            """
            update counterfoil.jobs
            set reason = '\(failure.reason)', attempt = 9, lane = \(lane), run_at = now() + interval '\(failure.runsIn)'
            where id = \(job)
            """)
        try await shop.attempt(
            order, job: Int(job), failure.disposition, reason: failure.reason, finished: failure.finished)
    }

    private func close(_ shop: Shop, by closer: String = "breaker") async throws {
        _ = try await shop.worker.execute(
            SQLFile.closeGate.statement,
            [
                .int4(try await shop.lane("verify_receipt", "production")), .text(closer), .text("w"), .text("calls fail"),
                .double(0),
            ])
    }

    private func closeAMinuteAgo(_ shop: Shop) async throws {
        try await close(shop)
        try await shop.run("update counterfoil.gates set closed_at = now() - interval '1 minute' where state = 'closed'")
    }

    private func open(_ shop: Shop) async throws -> Bool {
        let lane = LaneID(rawValue: try await shop.lane("verify_receipt", "production"))
        return try await !shop.worker.execute(
            SQLFile.openGate.statement, GateStore.opening(lane, byOperator: false, window: .seconds(30))
        ).isEmpty
    }

    /// The orders whose job is due within 15 seconds.
    private func soon(_ shop: Shop) async throws -> [String] {
        try await shop.rows(
            "select order_id from counterfoil.jobs where run_at <= now() + interval '15 seconds' order by order_id")
    }

    @Test(arguments: failures)
    func aJobRunsSoonThatFailed(_ failure: Failure) async throws {
        try await Shop.open { shop in
            try await closeAMinuteAgo(shop)
            try await fail(shop, "a", failure)

            try #require(try await open(shop))

            #expect(try await soon(shop) == (failure.isHastened ? ["(a)"] : []))
        }
    }

    @Test func theyAreSpreadOverFifteenSeconds() async throws {
        try await Shop.open { shop in
            try await closeAMinuteAgo(shop)
            for number in 1...60 { try await fail(shop, "order \(number)", Self.failures[0]) }

            try #require(try await open(shop))

            #expect(try await soon(shop).count == 60)
            let spread = try await shop.rows(
                """
                select min(run_at) >= g.opened_at, count(distinct run_at) > 50, max(run_at) - min(run_at) > interval '8 seconds'
                from counterfoil.jobs, (select max(opened_at) as opened_at from counterfoil.gates) g group by g.opened_at
                """)
            #expect(spread == ["(t,t,t)"])
        }
    }

    @Test func whatIsDueSoonerKeepsItsTimeAndOtherAppsJobsKeepTheirs() async throws {
        try await Shop.open { shop in
            try await closeAMinuteAgo(shop)
            try await fail(shop, "sooner", Failure(testDescription: "", runsIn: "3 seconds"))
            try await fail(shop, "other", Self.failures[0])
            try await shop.run(
                """
                insert into counterfoil.apps (bundle_id) values ('com.example.other');
                update counterfoil.jobs set lane = (
                    select lane from counterfoil.gates where bundle_id = 'com.example.other' and route = 'local'
                ) where order_id = 'other'
                """)
            let before = try await shop.rows("select order_id, run_at from counterfoil.jobs order by order_id")

            try #require(try await open(shop))

            #expect(try await shop.rows("select order_id, run_at from counterfoil.jobs order by order_id") == before)
        }
    }

    @Test func aGateThatIsOpenHastensNothing() async throws {
        try await Shop.open { shop in
            try await fail(shop, "a", Self.failures[0])

            #expect(try await !open(shop))

            #expect(try await soon(shop) == [])
        }
    }

    /// A lock that lasts must not keep a gate closed.
    @Test func aJobThatSomebodyHoldsIsLeftAndHoldsNobodyUp() async throws {
        try await Shop.open { shop in
            try await closeAMinuteAgo(shop)
            try await fail(shop, "held", Self.failures[0])
            try await fail(shop, "free", Self.failures[0])
            try await shop.run("begin; select from counterfoil.jobs where order_id = 'held' for update")

            try #require(try await open(shop))
            try await shop.run("commit")

            #expect(try await soon(shop) == ["(free)"])
        }
    }

    /// The jobs of the outage before wait behind the wrong secret, too.
    @Test func whatFailedBeforeAFaultOfConfigurationTookTheGateOverRunsSoon() async throws {
        try await Shop.open { shop in
            try await closeAMinuteAgo(shop)
            try await fail(shop, "a", Failure(testDescription: "", finished: "now() - interval '55 seconds'"))
            try await close(shop, by: "configuration")

            try #require(try await open(shop))

            #expect(try await soon(shop) == ["(a)"])
        }
    }

    /// However many jobs wait for tomorrow, the statement reads few of them.
    @Test func theStatementLooksUpWhatItMoves() async throws {
        try await Shop.open { shop in
            try await shop.fill(jobs: 2_000, orders: 2_000)

            let plan = try await shop.plan(SQLFile.openGate, "1, false, 30", isGeneric: true)

            #expect(!plan.contains("Seq Scan"), "\(plan)")
            #expect(plan.contains("Index Scan using available_jobs on jobs q"), "\(plan)")
            #expect(plan.components(separatedBy: "Index Scan using jobs_pkey").count == 3, "\(plan)")
            let range = "(run_at > (now() + '00:00:15'::interval)) AND (run_at <= (now() + '01:00:00'::interval))"
            #expect(plan.contains(range), "\(plan)")
        }
    }
}
