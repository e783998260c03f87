// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Logging
import Postgres
import Synchronization
import TestSupport
import Testing
import Verification
import VerificationQueue

/// Orders of which the database refuses even the review.
@Suite struct UnstorableTests {
    /// Has the shop refuse the grants of orders whose ids begin with "bad", and what their reviews write.
    private static func refuseBad(
        _ queue: QueueFixture, _ sqlState: String = "P0001", by guardOfReviews: Guard = .trigger
    ) async throws {
        try await queue.refuse(sqlState, on: "counterfoil.payments", when: "exists (select from counterfoil.orders o where o.number = new.order_number and o.order_id like 'bad%')")
        switch guardOfReviews {
        case .trigger:
            try await queue.admin.execute(
                "create trigger refuse after insert on counterfoil.proofs for each row execute function public.refuse()")
        case .constraint:
            try await queue.admin.execute(
                "alter table counterfoil.proofs add constraint shop_knows_better check (order_id not like 'bad%')")
        }
    }

    enum Guard: Sendable { case trigger, constraint }

    /// The jobs were attempted for long enough: what is refused now isn't put off any more.
    private static func age(_ queue: QueueFixture) async throws {
        try await queue.admin.execute("update counterfoil.jobs set attempt = 100, created_at = now() - interval '1 year'")
    }

    /// Settles the claimed jobs, and returns the orders whose leases were lost.
    private static func settle(_ jobs: [Job], in queue: QueueFixture) async -> [String] {
        let lost = Mutex<[String]>([])
        let settler = Settler(
            store: SettlementStore(pool: queue.pool, workerID: queue.worker), configuration: WorkerConfiguration(), logger: .test,
            report: { result in
                guard case .leaseLost = result.result else { return }
                lost.withLock { $0.append(result.settlement.job.order.id.rawValue) }
            })
        for job in jobs {
            settler.add(Settlement(job, .grantOne, payments: .init(candidates: [Sample.candidate(job.order.id.rawValue)])))
        }
        settler.finish()
        await settler.run()
        return lost.withLock { $0 }
    }

    @Test(.timeLimit(.minutes(2)), arguments: [Guard.trigger, .constraint])
    func anOrderWhoseReviewIsRefusedEndsAndItsJobKeepsTheProof(by guardOfReviews: Guard) async throws {
        try await QueueFixture.run { queue in
            try await Self.refuseBad(queue, by: guardOfReviews)
            let id = try await queue.submit("bad", "eyJ bad")
            try await Self.age(queue)

            let lost = await Self.settle(try await queue.claim(), in: queue)

            #expect(lost == [])
            #expect(try await queue.order("bad") == OrderFacts(.review, .unstorable))
            #expect(try await queue.job(id) == "discarded 101 unstorable")
            #expect(try await queue.count("counterfoil.jobs where proof = 'eyJ bad' and lease_expires_at is null") == 1)
            #expect(try await queue.count("counterfoil.unclaimed_transactions") == 0)
            #expect(try await queue.count("counterfoil.attempts where disposition = 'discard' and reason = 'unstorable'") == 1)
            #expect(
                try await queue.count("counterfoil.order_status where reason = 'unstorable' and client_action = 'contact_support'")
                    == 1)
            #expect(try await queue.faults() == [])
        }
    }

    /// The proof of a discarded job has no retention.
    @Test(.timeLimit(.minutes(2))) func nobodyPrunesItBeforeAnOperatorDecides() async throws {
        try await QueueFixture.run { queue in
            try await Self.refuseBad(queue)
            let id = try await queue.submit("bad", "eyJ bad")
            try await Self.age(queue)
            _ = await Self.settle(try await queue.claim(), in: queue)

            try await WorkerStore(pool: queue.pool, identity: .test).pruneProofs(olderThan: .zero)
            #expect(try await JobStore(pool: queue.pool).rescueExpired(limit: 10) == 0)
            #expect(try await queue.claim().isEmpty)

            #expect(try await queue.job(id) == "discarded 101 unstorable")
            #expect(try await queue.count("counterfoil.jobs where proof = 'eyJ bad'") == 1)
        }
    }

    /// One that says so, and one that names a column that isn't there any more: that may pass, and is sent again a few times.
    @Test(.timeLimit(.minutes(3)), arguments: ["P0001", "42703"])
    func aHundredOfThemEndBesideAHundredThatAreGranted(sqlState: String) async throws {
        try await QueueFixture.run { queue in
            try await Self.refuseBad(queue, sqlState)
            for number in 1...100 {
                try await queue.submit("good-\(number)", "eyJ good-\(number)")
                try await queue.submit("bad-\(number)", "eyJ bad-\(number)")
            }
            try await Self.age(queue)
            let jobs = try await queue.claim(limit: 200)
            try #require(jobs.count == 200)

            let lost = await Self.settle(jobs, in: queue)

            #expect(lost == [])
            #expect(try await queue.count("counterfoil.orders where state = 'fulfilled' and order_id like 'good%'") == 100)
            #expect(try await queue.count("counterfoil.orders where reason = 'unstorable' and order_id like 'bad%'") == 100)
            #expect(try await queue.count("counterfoil.jobs where state = 'discarded' and proof like 'eyJ bad%'") == 100)
            #expect(try await queue.count("counterfoil.jobs") == 100)
            #expect(try await queue.faults() == [])
        }
    }
}
