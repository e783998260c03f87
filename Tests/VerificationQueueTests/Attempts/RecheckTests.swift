// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Testing
import Verification
import VerificationQueue

/// Apple is asked again about what was granted, at the ages that the app names.
@Suite struct RecheckTests {
    private static let paid = Transaction.sample(id: "1", purchased: Date(timeIntervalSinceNow: -60))

    /// An order that is granted, in an app that asks again after three days and after two weeks.
    private func grant(_ queue: QueueFixture) async throws {
        try await queue.admin.execute("update counterfoil.apps set recheck_ages = '{3 days,14 days}'")
        try await queue.place("a", minutesAgo: 5)
        try await queue.submit("a", "eyJ 1")
        try await queue.work { _ in Self.paid }
    }

    private func attempt(_ queue: QueueFixture, _ info: TransactionInfo) async throws {
        try await queue.admin.execute("update counterfoil.jobs set run_at = now() where kind = 'recheck'")
        let job = try #require(try await queue.claim().first)
        try #require(job.kind == .recheck)
        let cache = GateCache()
        cache.replace(with: try await GateStore(pool: queue.pool).list())
        let runner = AttemptRunner(
            verifier: ScriptedVerifier(look: { _, _ throws(VerificationFailure) in info }), gates: cache, pool: queue.pool,
            retry: RetryPolicy())
        _ = try await queue.settle(await runner.attempt(job, deadline: .now + .seconds(20)).settlement)
    }

    /// The age of the order at which the next one is due, in days; nil where there is none.
    private func nextAge(_ queue: QueueFixture) async throws -> String? {
        try await queue.text(
            """
            select round(extract(epoch from j.run_at - o.fulfilled_at) / 86400) || ' ' || j.priority || ' ' || g.route
            from counterfoil.jobs j, counterfoil.orders o, counterfoil.gates g
            where j.kind = 'recheck' and o.order_id = j.order_id and g.lane = j.lane
            """)
    }

    @Test func aRefundIsFoundWithoutClientAndNotification() async throws {
        try await QueueFixture.run { queue in
            try await grant(queue)
            #expect(try await nextAge(queue) == "3 3 server_api")

            try await attempt(queue, .known(Self.paid))
            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))

            try await queue.admin.execute("update counterfoil.orders set fulfilled_at = fulfilled_at - interval '3 days'")
            try await queue.admin.execute("delete from counterfoil.jobs")
            try await queue.admin.execute(
                """
                insert into counterfoil.jobs (order_id, kind, transaction_id, lane, priority)
                select 'a', 'recheck', '1', lane, 3 from counterfoil.gates where route = 'server_api' and environment = 'production'
                """)
            var refunded = Self.paid
            refunded.revocation = Revocation(.signedTransaction, date: Date(), share: .whole, asOf: Date())
            try await attempt(queue, .known(refunded))

            #expect(try await queue.order("a").state == .refunded)
            #expect(try await nextAge(queue) == "14 3 server_api")
            #expect(try await queue.faults() == [])
        }
    }

    @Test func afterTheLastAgeNobodyIsAsked() async throws {
        try await QueueFixture.run { queue in
            try await grant(queue)
            try await queue.admin.execute("update counterfoil.orders set fulfilled_at = fulfilled_at - interval '15 days'")

            try await attempt(queue, .known(Self.paid))

            #expect(try await nextAge(queue) == nil)
            #expect(try await queue.count("counterfoil.jobs") == 0)
        }
    }

    /// That Apple doesn't know it any more takes nothing back.
    @Test(arguments: [TransactionInfo.notFound, .refused(.malformedProof)])
    func anAnswerThatIsNoneTakesNothingBack(info: TransactionInfo) async throws {
        try await QueueFixture.run { queue in
            try await grant(queue)

            try await attempt(queue, info)

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await nextAge(queue) == "3 3 server_api")
        }
    }

    @Test func byDefaultNobodyIsAsked() async throws {
        try await QueueFixture.run { queue in
            try await queue.place("a", minutesAgo: 5)
            try await queue.submit("a", "eyJ 1")
            try await queue.work { _ in Self.paid }

            #expect(try await queue.count("counterfoil.jobs") == 0)
        }
    }
}
