// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import TestSupport
import Testing
import Verification
import VerificationQueue

/// What operators do to many jobs at once.
@Suite struct OperatorStoreTests {
    private let act = OperatorAct(who: "eve", why: "mended")

    /// Small batches, so that several are needed.
    private func store(_ queue: QueueFixture) -> OperatorStore {
        OperatorStore(pool: queue.pool, batch: 2)
    }

    private func filter(reason: Reason? = nil, state: String? = nil, order: String? = nil) -> JobFilter {
        var filter = JobFilter()
        filter.reason = reason
        filter.state = state
        filter.order = order.map(OrderID.init(rawValue:))
        return filter
    }

    /// Orders whose job waits, was discarded or runs: `w1`… with a reason, `d1`… and `r1`….
    private func fill(_ queue: QueueFixture) async throws {
        for order in ["w1", "w2", "w3", "d1", "d2", "d3", "r1"] {
            try await queue.submit(order, "eyJ \(order)")
        }
        _ = try await queue.admin.execute(
            """
            update counterfoil.jobs set run_at = now() + interval '1 hour', attempt = 3, reason = 'app_store_unavailable'
            where order_id like 'w%'
            """)
        _ = try await queue.admin.execute(
            """
            update counterfoil.jobs
            set state = 'discarded', crashes = 3, reason = 'crashed_repeatedly', missing_since = now(), last_missing_at = now()
            where order_id like 'd%'
            """)
        _ = try await queue.admin.execute(
            "update counterfoil.orders set state = 'review', reason = 'crashed_repeatedly' where order_id like 'd%'")
        #expect(try await queue.claim().count == 1)
    }

    private func jobs(_ queue: QueueFixture, _ condition: String) async throws -> Int {
        try await queue.count("counterfoil.jobs where \(condition)")
    }

    @Test func allThatFitAreRetriedInBatches() async throws {
        try await QueueFixture.run { queue in
            try await fill(queue)

            #expect(try await store(queue).retryJobs(filter(state: "discarded"), by: act) == 3)

            #expect(try await jobs(queue, "state = 'available' and attempt = 0 and crashes = 0 and order_id like 'd%'") == 3)
            #expect(try await jobs(queue, "missing_since is null and last_missing_at is null and order_id like 'd%'") == 3)
            #expect(try await jobs(queue, "run_at > now() and order_id like 'w%'") == 3)
            #expect(
                try await queue.count(
                    "counterfoil.order_events where kind = 'job_retried' and who = 'eve' and why = 'mended'") == 3)
        }
    }

    @Test func aFilterNarrows() async throws {
        try await QueueFixture.run { queue in
            try await fill(queue)

            #expect(try await store(queue).retryJobs(filter(reason: .appStoreUnavailable, order: "w2"), by: act) == 1)
            #expect(try await jobs(queue, "run_at <= now() and order_id = 'w2'") == 1)
            var none = filter()
            none.bundle = BundleID(rawValue: "com.example.other")
            #expect(try await store(queue).retryJobs(none, by: act) == 0)
        }
    }

    @Test func runningJobsAreLeftAlone() async throws {
        try await QueueFixture.run { queue in
            try await fill(queue)

            #expect(try await store(queue).retryJobs(filter(), by: act) == 6)
            #expect(try await store(queue).discardJobs(filter(), by: act) == 6)
            #expect(try await jobs(queue, "state = 'running' and order_id = 'r1'") == 1)
        }
    }

    @Test func countingChangesNothing() async throws {
        try await QueueFixture.run { queue in
            try await fill(queue)

            let counted = try await store(queue).countJobs(filter())

            #expect(try counted.map { "\(try $0.string(0)) \(try $0.int64(3))" } == ["available 3", "discarded 3"])
            #expect(try await queue.count("counterfoil.order_events") == 0)
        }
    }

    @Test func discardedJobsStayAndTheirOrdersAreLeftToAPerson() async throws {
        try await QueueFixture.run { queue in
            try await fill(queue)

            #expect(try await store(queue).discardJobs(filter(reason: .appStoreUnavailable), by: act) == 3)

            #expect(try await jobs(queue, "state = 'discarded' and reason = 'discarded_by_operator'") == 3)
            #expect(try await queue.order("w1") == OrderFacts(.review, .discardedByOperator))
            #expect(
                try await queue.count(
                    "counterfoil.attempts where disposition = 'discard' and message = 'eve: mended'") == 3)
            #expect(try await queue.count("counterfoil.order_events where kind = 'job_discarded'") == 3)
            #expect(try await queue.faults() == [])
        }
    }

    // MARK: Kept proofs

    /// Orders whose proof was refused for a reason and kept.
    private func reject(_ queue: QueueFixture, _ orders: [String], for reason: Reason) async throws {
        for order in orders {
            try await queue.submit(order, "eyJ \(order)")
        }
        for job in try await queue.claim(limit: 100) {
            _ = try await queue.settle(Settlement(job, .end(.rejected(reason, nil))))
        }
    }

    @Test func keptProofsAreJudgedAgain() async throws {
        try await QueueFixture.run { queue in
            try await reject(queue, ["a", "b", "c"], for: .badSignature)
            try await reject(queue, ["d"], for: .wrongProduct)

            #expect(try await store(queue).requeueProofs(filter(reason: .badSignature), by: act) == 3)

            let jobs = try await queue.claim()
            #expect(jobs.map(\.work.text) == ["eyJ a", "eyJ b", "eyJ c"])
            _ = try await queue.settle(Settlement(jobs[0], .grantOne, payments: .init(candidates: [Sample.candidate("1")])))
            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
            // They stay kept meanwhile, and aren't taken again.
            #expect(try await queue.count("counterfoil.proofs") == 4)
            #expect(try await store(queue).requeueProofs(filter(reason: .badSignature), by: act) == 0)
            #expect(try await queue.count("counterfoil.order_events where kind = 'judged_again' and who = 'eve'") == 3)
            #expect(try await queue.faults() == [])
        }
    }

    /// As after an upgrade whose reader repairs more. Nobody has uploaded anything meanwhile. The latest three are kept.
    @Test func unreadableProofsAreJudgedAgainAndAreNoUploads() async throws {
        try await QueueFixture.run { queue in
            func judge() async throws -> String {
                while let job = try await queue.claim().first {
                    _ = try await queue.settle(Settlement(job, .end(.rejected(.malformedProof, nil))))
                }
                return try await queue.admin.execute("select client_action from counterfoil.order_status")[0].string(0)
            }
            for number in 1...4 { try await queue.submit("a", "wrapped \(number)") }
            #expect(try await judge() == "resend_proof")

            #expect(try await store(queue).requeueProofs(filter(reason: .malformedProof), by: act) == 3)
            #expect(try await judge() == "resend_proof")
            #expect(try await queue.count("counterfoil.attempts where reason = 'malformed_proof'") == 7)

            try await queue.submit("a", "wrapped 5")
            #expect(try await judge() == "contact_support")
        }
    }

    /// Its order has no verdict yet.
    @Test func theProofOfAJobThatWasCancelledByMistakeIsJudgedAgain() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ a")
            let job = try await queue.admin.execute("select id from counterfoil.jobs")[0].int64(0)
            _ = try await queue.pool.execute(SQLFile.cancelJob.statement, [.int8(job), .text(act.who), .text(act.why)])
            try #require(try await queue.order("a") == OrderFacts(.open))

            #expect(try await store(queue).requeueProofs(filter(reason: .discardedByOperator), by: act) == 1)

            #expect(try await queue.claim().map(\.work.text) == ["eyJ a"])
        }
    }

    @Test func aProofThatIsRefusedAgainIsKeptAgain() async throws {
        try await QueueFixture.run { queue in
            try await reject(queue, ["a"], for: .badSignature)
            _ = try await store(queue).requeueProofs(filter(reason: .badSignature), by: act)
            let job = try #require(try await queue.claim().first)

            _ = try await queue.settle(Settlement(job, .end(.rejected(.badSignature, nil))))

            #expect(try await queue.count("counterfoil.proofs where proof = 'eyJ a'") == 1)
        }
    }

    @Test func proofsOfPaidOrdersAndOlderOnesStay() async throws {
        try await QueueFixture.run { queue in
            try await reject(queue, ["a", "b"], for: .badSignature)
            _ = try await queue.admin.execute(
                "update counterfoil.proofs set kept_at = now() - interval '10 days' where order_id = 'a'")
            _ = try await queue.admin.execute(
                """
                update counterfoil.orders
                set state = 'fulfilled', transaction_id = '1', environment = 'production', fulfilled_at = now()
                where order_id = 'b'
                """)
            var recent = filter(reason: .badSignature)
            recent.since = try await queue.admin.execute("select now() - interval '1 day'")[0].timestamp(0)

            #expect(try await store(queue).requeueProofs(recent, by: act) == 0)
            #expect(try await store(queue).requeueProofs(filter(reason: .badSignature), by: act) == 1)
            #expect(try await queue.count("counterfoil.proofs where order_id = 'b'") == 1)
        }
    }

    @Test func anOrderWithManyKeptProofsStaysBelowItsLimit() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ")
            _ = try await queue.admin.execute(
                """
                insert into counterfoil.proofs (job_id, order_id, account_id, proof, proof_hash, reason)
                select 1000 + i, 'a', 'ann', p, sha256(p::bytea), 'bad_signature'
                from generate_series(1, 30) i, lateral (select 'eyJ ' || i as p) x
                """)
            _ = try await queue.admin.execute("update counterfoil.orders set state = 'rejected', reason = 'bad_signature'")

            let judged = try await OperatorStore(pool: queue.pool).requeueProofs(filter(reason: .badSignature), by: act)

            #expect(judged == 10)
            #expect(try await queue.count("counterfoil.proofs") == 30)
            #expect(try await queue.count("counterfoil.jobs where proof like 'eyJ %'") == 10)
            #expect(try await queue.count("counterfoil.jobs where proof = 'eyJ 30'") == 1)
        }
    }
}
