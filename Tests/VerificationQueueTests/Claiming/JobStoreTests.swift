// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing
import Verification
import VerificationQueue

@Suite struct JobStoreTests {
    @Test func aClaimLeasesAndCountsTheAttempt() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1", hint: "77")

            let job = try #require(try await queue.claim().first)

            #expect(job.attempt == 1)
            #expect(job.lease.token == 1)
            #expect(job.work.text == "eyJ 1")
            #expect(job.work.upload?.hint?.rawValue == "77")
            #expect(job.order.id.rawValue == "a")
            #expect(job.order.productKind == .consumable)
            #expect(!job.policy.allowsSandbox)
            #expect(try await queue.claim().isEmpty)
        }
    }

    @Test func jobsOfOneOrderRunOneAtATime() async throws {
        try await QueueFixture.run { queue in
            for number in 1...3 {
                try await queue.submit("a", "eyJ \(number)")
            }

            let first = try await queue.claim()
            let whileItRuns = try await queue.claim()
            _ = try await queue.settle(Settlement(first[0], .end(.unchanged)))
            let second = try await queue.claim()

            #expect(first.map(\.work.text) == ["eyJ 1"])
            #expect(whileItRuns.isEmpty)
            #expect(second.map(\.work.text) == ["eyJ 2"])
        }
    }

    @Test func concurrentClaimsShareTheJobs() async throws {
        try await QueueFixture.run { queue in
            for order in 0..<100 {
                try await queue.submit("order-\(order)", "eyJ \(order)")
            }

            let claimed = try await withThrowingTaskGroup(of: [Job].self) { group in
                for _ in 0..<8 {
                    group.addTask { try await queue.claim(limit: 30) }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }

            #expect(Set(claimed.map(\.id)).count == claimed.count)
            #expect(claimed.count == 100)
        }
    }

    @Test func aHintThatPaidForTheOrderIsKnownAtTheClaim() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            let job = try #require(try await queue.claim().first)
            _ = try await queue.settle(Settlement(job, .grantOne, payments: .init(candidates: [Sample.candidate("1")])))
            try await queue.submit("a", "MII 1", hint: "1")
            try await queue.submit("b", "MII 1", hint: "1")

            let jobs = try await queue.claim()

            #expect(jobs.map { $0.work.upload?.hintIsGranted } == [true, false])
        }
    }

    /// Hours since the first and the last look, rounded.
    private func missingTimes(_ job: Job) -> [Double] {
        [job.missingTimes.sinceFirstCheck, job.missingTimes.sinceLastCheck].map { ($0 / 3600).rounded() }
    }

    @Test func aClaimTellsWhenThePurchaseWasLookedForInVain() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "MII 1")
            func claim() async throws -> Job { try #require(try await queue.claim().first) }
            func claim(after job: Job, _ wait: Wait, _ reason: Reason, missing: Bool = false) async throws -> Job {
                _ = try await queue.settle(Settlement(job, .wait(wait, reason, lane: nil), missing: missing))
                return try await claim()
            }

            var job = try await claim()
            #expect(job.missingTimes == MissingTimes())
            job = try await claim(after: job, .snooze(for: .zero), .purchaseNotInReceipt, missing: true)
            #expect(missingTimes(job) == [0, 0])
            #expect(job.missingSince != nil)

            try await queue.admin.execute(
                """
                update counterfoil.jobs
                set missing_since = missing_since - interval '30 hours', last_missing_at = last_missing_at - interval '29 hours'
                """)
            job = try await claim(after: job, .retry(after: .zero), .appStoreUnavailable)
            #expect(missingTimes(job) == [30, 29])
            job = try await claim(after: job, .snooze(for: .zero), .purchaseNotInReceipt, missing: true)
            #expect(missingTimes(job) == [30, 0])
        }
    }

    @Test func anExpiredLeaseIsRescuedOnce() async throws {
        try await QueueFixture.run { queue in
            let id = try await queue.submit("a", "eyJ 1")
            _ = try await queue.claim(lease: .zero)
            let store = JobStore(pool: queue.pool)

            #expect(try await store.rescueExpired(limit: 10) == 1)
            #expect(try await store.rescueExpired(limit: 10) == 0)

            #expect(try await queue.job(id) == "available 1 -")
            #expect(try await queue.count("counterfoil.attempts where disposition = 'rescue' and job_id = \(id.rawValue)") == 1)
            let again = try #require(try await queue.claim().first)
            #expect(again.rescues == 1)
            #expect(again.attempt == 2)
        }
    }

    @Test func aLeaseThatLastsIsNotRescued() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            _ = try await queue.claim(lease: .seconds(60))

            #expect(try await JobStore(pool: queue.pool).rescueExpired(limit: 10) == 0)
        }
    }

    /// Two of five.
    @Test(arguments: [2, 3, 100])
    func aJobWhoseRescueIsRefusedHoldsUpNoOther(batch: Int) async throws {
        try await QueueFixture.run { queue in
            for order in ["a", "b", "c", "d", "e"] { try await queue.submit(order, "eyJ \(order)") }
            _ = try await queue.claim(lease: .zero)
            // In the order of their ids.
            try await queue.admin.execute("update counterfoil.jobs set lease_expires_at = now() - make_interval(secs => 100 - id % 10)")
            let refused = "new.order_number in (\(orderNumber("a")), \(orderNumber("c")))"
            try await queue.refuse("P0001", on: "counterfoil.other_attempts", when: refused)
            let store = JobStore(pool: queue.pool)

            let (rescued, refusal) = try await store.rescueAllExpired(batch: batch)

            #expect(rescued == (batch == 2 ? 1 : 3))
            #expect(refusal?.sqlState == SQLState(rawValue: "P0001"))
            #expect(try await queue.count("counterfoil.jobs where state = 'running'") == 5 - rescued)
            #expect(try await queue.count("counterfoil.attempts where disposition = 'rescue'") == rescued)

            try await queue.admin.execute("drop trigger refuse on counterfoil.other_attempts")
            let again = try await store.rescueAllExpired(batch: batch)
            #expect(again.rescued == 5 - rescued)
            #expect(again.refusal == nil)
        }
    }

    @Test func aLeasedJobIsReadByItsTokenOnly() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            let job = try #require(try await queue.claim().first)
            let store = JobStore(pool: queue.pool)

            let read = try await store.read(job.lease, remaining: .seconds(10))
            let stale = try await store.read(Lease(jobID: job.id, token: job.lease.token + 1), remaining: .seconds(10))

            #expect(read?.job.work.text == job.work.text)
            #expect(read?.job.order.id == job.order.id)
            #expect(read?.holder == queue.worker)
            #expect(stale == nil)
        }
    }

    @Test func aClosedGateParksItsJobs() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "MII 1")
            try await queue.submit("b", "eyJ 2")
            let gates = GateStore(pool: queue.pool)
            let receipts = try #require(
                try await gates.list().first { $0.endpoint == .verifyReceipt(.production) })

            #expect(try await gates.close(receipts.lane, by: .breaker, for: "test", why: "down", firstProbe: .seconds(60)))
            var schedule = ClaimPlanner()
            // The lanes as a worker knew them before the gate closed.
            let plan = schedule.plan(
                lanes: try await gates.list().map(\.lane), running: [:], slots: 100, limit: 10)
            let claimed = try await JobStore(pool: queue.pool).claim(
                plan, worker: queue.worker, proofBytes: 1 << 20, lease: .seconds(60))

            #expect(claimed.map(\.job.work.text) == ["eyJ 2"])
            #expect(
                try await queue.count(
                    "counterfoil.order_status where order_id = 'a' and reason = 'app_store_unavailable' and client_action = 'wait'")
                    == 1)
        }
    }

    @Test func aJobThatCannotBeReadHoldsUpNoOther() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ 1")
            try await queue.submit("b", "eyJ 2")
            // As a newer worker may have inserted it.
            try await queue.admin.execute("drop trigger changed_jobs_keep_their_rules on counterfoil.jobs")
            try await queue.admin.execute(
                "update counterfoil.jobs set kind = 'other', proof = null, transaction_id = '1' where order_id = 'a'")
            let lanes = try await GateStore(pool: queue.pool).list().map(\.lane)
            var schedule = ClaimPlanner()
            let plan = schedule.plan(lanes: lanes, running: [:], slots: 100, limit: 10)
            var errors: [PostgresError] = []

            let claimed = try await JobStore(pool: queue.pool).claim(
                plan, worker: queue.worker, proofBytes: 1 << 20, lease: .seconds(60), unreadable: { errors.append($0) })

            #expect(claimed.map(\.job.work.text) == ["eyJ 2"])
            #expect(errors.count == 1)
            #expect(try await queue.count("counterfoil.jobs where state = 'running'") == 2)
        }
    }

    @Test func oneProberAtATimeTriesAClosedGate() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "MII 1")
            let gates = GateStore(pool: queue.pool)
            let receipts = try #require(try await gates.list().first { $0.endpoint == .verifyReceipt(.production) })
            _ = try await gates.close(receipts.lane, by: .breaker, for: "test", why: "down", firstProbe: .zero)

            let probes = try await gates.takeProbes(lasting: .seconds(60))
            let others = try await gates.takeProbes(lasting: .seconds(60))
            let plan = ClaimPlanner.Plan(
                lanes: [receipts.lane], quotas: [1], lowWaterMarks: Array(repeating: .distantPast, count: 4), limit: 1)
            let claimed = try await JobStore(pool: queue.pool).claim(
                plan, worker: queue.worker, proofBytes: 1 << 20, lease: .seconds(60), probing: receipts.lane)

            #expect(probes.map(\.lane) == [receipts.lane])
            #expect(others.isEmpty)
            #expect(claimed.count == 1)
            #expect(try await gates.open(receipts.lane))
            #expect(try await gates.list().allSatisfy(\.isOpen))
        }
    }

    @Test func onlyAnOperatorOpensWhatAnOperatorClosed() async throws {
        try await QueueFixture.run { queue in
            let gates = GateStore(pool: queue.pool)
            let lane = try await gates.list()[0].lane
            _ = try await gates.close(lane, by: .operator, for: "olga", why: "maintenance", firstProbe: nil)

            #expect(try await gates.takeProbes(lasting: .seconds(1)).isEmpty)
            #expect(try await !gates.open(lane))
            #expect(try await gates.open(lane, byOperator: true))
        }
    }
}
