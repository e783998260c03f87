// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Testing
import VerificationQueue

/// The fence, what keeps jobs, and the rescue.
@Suite struct SettlingJobsTests {
    /// Claims the only job of a new order.
    private func lease(_ shop: Shop, _ order: String = "a", proof: String = "eyJ", seconds: Double = 60) async throws -> Leased {
        try await shop.order(order)
        try await shop.upload(order, proof)
        return try #require(try await shop.claim(leaseSeconds: seconds).first)
    }

    /// `state attempt rescues crashes reason` of all jobs.
    private func jobs(_ shop: Shop) async throws -> [String] {
        try await shop.rows("select state, attempt, rescues, crashes, reason from counterfoil.jobs order by id")
    }

    private func rescue(_ shop: Shop, limit: Int32 = 100, within seconds: Double? = nil) async throws -> Int {
        try await shop.worker.execute(SQLFile.rescueExpiredJobs.statement, [.int4(limit), .double(seconds), .int4(0)]).count
    }

    @Test(arguments: [false, true], [false, true])
    func theFenceEndsOneKeepsAnotherAndReturnsBoth(locksFirst: Bool, locksSecond: Bool) async throws {
        try await Shop.open { shop in
            let first = try await lease(shop, "b")
            let second = try await lease(shop, "a")
            let jobs = try await shop.worker.execute(
                SQLFile.lockSettlingJobs.statement,
                [
                    .int8Array([first.id, second.id]), .int8Array([first.token, second.token]), .boolArray([true, false]),
                    .boolArray([locksFirst, locksSecond]),
                ]
            ).map { "\(try $0.int64(0)) \(try $0.bool(1))" }

            #expect(jobs.sorted() == ["\(first.id) false", "\(second.id) false"])
            #expect(try await shop.rows("select id, state from counterfoil.jobs") == ["(\(second.id),running)"])
        }
    }

    @Test(arguments: [true, false])
    func aStaleTokenPassesNoFence(ends: Bool) async throws {
        try await Shop.open { shop in
            let stale = try await lease(shop)
            try await shop.putBack(stale, counts: false)
            let waiting = try await shop.fence([stale], ends: ends)
            _ = try await shop.claim()
            let claimedAgain = try await shop.fence([stale], ends: ends)

            #expect(waiting == [])
            #expect(claimedAgain == [])
            #expect(try await jobs(shop) == ["(running,1,0,0,)"])
        }
    }

    /// Three jobs of the order that `lease` made: due for a minute, due in a minute, and of another order.
    private func addWaitingJobs(_ shop: Shop) async throws {
        try await shop.upload("a", "eyJ waits")
        try await shop.upload("a", "eyJ later")
        try await shop.order("other")
        try await shop.upload("other", "eyJ other")
        try await shop.run(
            """
            update counterfoil.jobs
            set run_at = now() + case when proof like '%later' then interval '1 min' else interval '-1 min' end
            where state = 'available'
            """
        )
    }

    /// The proofs that are due, and whether they have been for less than half a minute.
    private func dueJobs(_ shop: Shop) async throws -> [String] {
        try await shop.rows(
            """
            select proof, run_at > now() - interval '30 s' from counterfoil.jobs
            where state = 'available' and run_at <= now() order by id
            """
        )
    }

    @Test(arguments: [true, false])
    func whatWaitedForAJobOfItsOrderIsDueFromItsEndOn(ends: Bool) async throws {
        try await Shop.open { shop in
            let job = try await lease(shop)
            try await addWaitingJobs(shop)

            #expect(try await shop.fence([job], ends: ends) == ["a"])

            #expect(try await dueJobs(shop) == ["(\"eyJ waits\",t)", "(\"eyJ other\",f)"])
        }
    }

    @Test func aFenceThatIsNotPassedMovesNothing() async throws {
        try await Shop.open { shop in
            let stale = try await lease(shop)
            try await shop.putBack(stale, counts: false)
            try await addWaitingJobs(shop)

            #expect(try await shop.fence([stale]) == [])

            #expect(try await dueJobs(shop).allSatisfy { $0.hasSuffix(",f)") })
        }
    }

    @Test func theFenceWaitsForNobodyWhoHoldsAWaitingJob() async throws {
        try await Shop.open { shop in
            let job = try await lease(shop)
            try await addWaitingJobs(shop)
            try await shop.database.withConnection(as: "counterfoil_worker") { other in
                try await other.withTransaction { other async throws in
                    let hold = PostgresStatement(
                        name: "hold", sql: "select from counterfoil.jobs where proof like '%waits' for no key update")
                    #expect(try await other.execute(hold).count == 1)

                    #expect(try await shop.fence([job]) == ["a"])
                }
            }

            #expect(try await dueJobs(shop) == ["(\"eyJ waits\",f)", "(\"eyJ other\",f)"])
        }
    }

    @Test(arguments: [(nil, 1), (60, 1), (1, 0)])
    func theRescueLooksBackSoFarOnly(_ seconds: Double?, _ count: Int) async throws {
        try await Shop.open { shop in
            _ = try await lease(shop)
            try await shop.run("update counterfoil.jobs set lease_expires_at = now() - interval '30 s'")

            #expect(try await rescue(shop, within: seconds) == count)
        }
    }

    @Test(arguments: ["jobs", "orders"], [false, true])
    func theFencePassesOverWhatSomebodyElseHasLocked(_ table: String, ends: Bool) async throws {
        try await Shop.open { shop in
            let held = try await lease(shop, "held")
            let free = try await lease(shop, "free")
            try await shop.database.withConnection(as: "postgres") { other in
                try await other.withTransaction { other in
                    _ = try await other.execute("select from counterfoil.\(table) where order_id = 'held' for update")

                    let rows = try await shop.worker.execute(
                        SQLFile.lockSettlingJobs.statement,
                        [
                            .int8Array([held.id, free.id]), .int8Array([held.token, free.token]), .boolArray([ends, ends]),
                            .boolArray([true, true]),
                        ]
                    ).map { "\(try $0.int64(0)) \(try $0.bool(1))" }
                    #expect(rows.sorted() == ["\(held.id) true", "\(free.id) false"].sorted())
                }
            }

            #expect(try await jobs(shop).count == (ends ? 1 : 2))
            #expect(try await shop.fence([held]) == ["held"])
        }
    }

    @Test func theFenceHoldsOffTheRescueAndTheRescueTheFence() async throws {
        try await Shop.open { shop in
            let job = try await lease(shop, seconds: 0)
            try await shop.database.withConnection(as: "counterfoil_worker") { other in
                try await other.withTransaction { other in
                    _ = try await other.execute(
                        SQLFile.lockSettlingJobs.statement,
                        [.int8Array([job.id]), .int8Array([job.token]), .boolArray([false]), .boolArray([true])]
                    )
                    #expect(try await rescue(shop) == 0)
                }
            }

            #expect(try await rescue(shop) == 1)
            #expect(try await shop.fence([job]) == [])
        }
    }

    @Test(arguments: [
        ("retry", true, nil as String?, "(available,1,0,0,)"),
        ("snooze", false, "purchase_not_in_receipt", "(available,0,0,0,purchase_not_in_receipt)"),
        ("release", false, nil, "(available,0,0,0,)"),
    ])
    func whatIsKeptIsAvailableLaterAndHoldsNoLease(
        _ name: String, counts: Bool, reason: String?, expected: String
    ) async throws {
        try await Shop.open { shop in
            let job = try await lease(shop)

            try await shop.putBack(job, delay: 60, counts: counts, reason: reason)

            #expect(try await jobs(shop) == [expected], "\(name)")
            let times = try await shop.rows(
                """
                select run_at between now() + interval '50 s' and now() + interval '60 s', lease_expires_at is null,
                    worker_id is null, claimed_at is null
                from counterfoil.jobs
                """
            )
            #expect(times == ["(t,t,t,t)"])
        }
    }

    @Test func whatAnEarlierAttemptFoundOutlivesARelease() async throws {
        try await Shop.open { shop in
            let first = try await lease(shop)
            try await shop.putBack(first, counts: false, reason: "purchase_not_in_receipt", isMissing: true)
            let second = try #require(try await shop.claim().first)
            try await shop.putBack(second, counts: false)
            #expect(try await jobs(shop) == ["(available,0,0,0,purchase_not_in_receipt)"])

            let third = try #require(try await shop.claim().first)
            try await shop.putBack(third, counts: true)
            #expect(try await jobs(shop) == ["(available,1,0,0,)"])
        }
    }

    /// Swift decides, and not the reason: all retry policy is there.
    @Test(arguments: [true, false])
    func aJobRemembersSinceWhenItsPurchaseIsMissing(_ isMissing: Bool) async throws {
        try await Shop.open { shop in
            let job = try await lease(shop)

            try await shop.putBack(job, counts: false, reason: "purchase_not_in_receipt", isMissing: isMissing)

            let times = try await shop.rows("select missing_since is null, last_missing_at is null from counterfoil.jobs")
            #expect(times == [isMissing ? "(f,f)" : "(t,t)"])
        }
    }

    @Test func aCrashAndAnotherLaneAreWrittenDown() async throws {
        try await Shop.open { shop in
            let job = try await lease(shop)
            let lane = try await shop.lane("verify_receipt", "sandbox")

            try await shop.putBack(job, lane: lane, crashed: true)

            #expect(try await jobs(shop) == ["(available,1,0,1,)"])
            #expect(try await shop.count("counterfoil.jobs where lane = \(lane)") == 1)
        }
    }

    @Test func aDiscardedJobStaysAndIsNeverClaimed() async throws {
        try await Shop.open { shop in
            let job = try await lease(shop)

            try await shop.putBack(job, discards: true, reason: "crashed_repeatedly")

            #expect(try await jobs(shop) == ["(discarded,1,0,0,crashed_repeatedly)"])
            #expect(try await shop.claim() == [])
        }
    }

    @Test func aDiscardedJobSaysWhy() async throws {
        try await Shop.open { shop in
            let job = try await lease(shop)

            let refusal = try await Refusal.of { try await shop.putBack(job, discards: true) }

            #expect(refusal == Refusal("23514", "discarded_jobs_say_why"))
        }
    }

    @Test func aLeaseThatRanOutIsRescuedOnceAndWrittenDown() async throws {
        try await Shop.open { shop in
            let job = try await lease(shop, seconds: 0)

            #expect(try await rescue(shop) == 1)
            #expect(try await rescue(shop) == 0)

            #expect(try await jobs(shop) == ["(available,1,1,0,)"])
            let told = try await shop.rows(
                "select job_id, order_id, lease_token, attempt, disposition, worker_id from counterfoil.attempts"
            )
            #expect(told == ["(\(job.id),a,\(job.token),1,rescue,7)"])
        }
    }

    /// A job that loses its lease again and again, because nothing can be written for it, doesn't run without a pause.
    @Test(arguments: [(0, 0), (3, 0), (4, 60), (5, 120), (8, 960), (10, 3600), (32_767, 3600)])
    func aJobThatWasRescuedOftenWaitsFirst(rescues: Int, seconds: Int) async throws {
        try await Shop.open { shop in
            _ = try await lease(shop, seconds: 0)
            try await shop.run("update counterfoil.jobs set rescues = \(rescues)")

            #expect(try await rescue(shop) == 1)

            let waits = try await shop.rows(
                "select run_at - interval '\(seconds) s' between now() - interval '30 s' and now(), state from counterfoil.jobs")
            #expect(waits == ["(t,available)"])
        }
    }

    @Test func aLeaseThatLastsIsLeftAlone() async throws {
        try await Shop.open { shop in
            _ = try await lease(shop)

            #expect(try await rescue(shop) == 0)
        }
    }

    @Test func aRescueTakesNoMoreThanItsLimitOldestFirst() async throws {
        try await Shop.open { shop in
            let first = try await lease(shop, "a", seconds: 0)
            _ = try await lease(shop, "b", seconds: 0)

            #expect(try await rescue(shop, limit: 1) == 1)

            #expect(try await shop.rows("select id from counterfoil.jobs where state = 'available'") == ["(\(first.id))"])
        }
    }

    /// Retries one job as an operator does.
    private func retry(_ shop: Shop, _ job: Leased) async throws -> PostgresResult {
        try await shop.admin.execute(
            SQLFile.retryJobs.statement,
            [
                .int8(job.id), .text(nil), .text(nil), .text(nil), .text(nil), .timestamp(nil), .int8(0), .int4(10),
                .text("me"), .text("a reason"), .typedNull(.int8Array),
            ])
    }

    @Test func aRetriedJobStartsAnew() async throws {
        try await Shop.open { shop in
            let job = try await lease(shop)
            try await shop.putBack(job, discards: true, reason: "crashed_repeatedly", crashed: true)

            let retried = try await retry(shop, job)

            #expect(retried.count == 1)
            #expect(try await jobs(shop) == ["(available,0,0,0,)"])
        }
    }

    @Test func aRunningJobIsNeitherRetriedNorCancelledByHand() async throws {
        try await Shop.open { shop in
            let job = try await lease(shop)

            let cancelled = try await shop.admin.execute(
                SQLFile.cancelJob.statement, [.int8(job.id), .text("me"), .text("a mistake")])

            #expect(try await retry(shop, job).isEmpty)
            #expect(cancelled.isEmpty)

            #expect(try await jobs(shop) == ["(running,1,0,0,)"])
        }
    }

    @Test func aCancelledJobIsGoneAndWrittenDown() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            let id = try await shop.upload("a")

            let cancelled = try await shop.admin.execute(
                SQLFile.cancelJob.statement, [.int8(id), .text("me"), .text("a mistake")])

            #expect(cancelled.count == 1)
            #expect(try await shop.count("counterfoil.jobs") == 0)
            #expect(
                try await shop.rows("select job_id, order_id, proof, reason from counterfoil.proofs")
                    == ["(\(id),a,eyJ,discarded_by_operator)"])
            #expect(
                try await shop.rows("select disposition, message from counterfoil.attempts") == ["(cancel,\"me: a mistake\")"]
            )
            #expect(
                try await shop.rows("select kind, who, why from counterfoil.order_events") == ["(job_cancelled,me,\"a mistake\")"])
        }
    }
}
