// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import Synchronization
import TestSupport
import Testing
import Verification

@testable import VerificationQueue

/// Rows that somebody else's open database transaction holds: the settlements of others don't wait for it.
@Suite struct LockedRowsTests {
    private static func grant(_ job: Job) -> Settlement {
        Settlement(job, .grantOne, payments: .init(candidates: [Sample.candidate(job.order.id.rawValue)]))
    }

    /// Settles the settlements while `body` runs, and returns the results by order.
    private static func settle(
        _ settlements: [Settlement], in queue: QueueFixture,
        while body: @Sendable (@escaping @Sendable () -> Int) async throws -> Void
    ) async throws -> [String: SettlementResult.Result] {
        let results = Mutex<[String: SettlementResult.Result]>([:])
        let settler = Settler(
            store: SettlementStore(pool: queue.pool, workerID: queue.worker), configuration: WorkerConfiguration(), logger: .test,
            report: { result in results.withLock { $0[result.settlement.job.order.id.rawValue] = result.result } })
        for settlement in settlements { settler.add(settlement) }
        settler.finish()
        async let settling: Void = settler.run()
        try await body { results.withLock(\.count) }
        await settling
        return results.withLock { $0 }
    }

    enum Holder: String, Sendable, CaseIterable {
        case order = "select from counterfoil.orders where order_id like 'held%' for update"
        case job = "select from counterfoil.jobs where order_id like 'held%' for update"
        case payment = """
            insert into counterfoil.payments (
                bundle_id, environment, transaction_id, original_transaction_id, product_id, quantity, purchased_at, reason
            )
            select 'com.example.game', 'production', 'held-' || i, 'held-' || i, 'coins', 1, now(), 'refunded'
            from generate_series(1, 10) i
            """
    }

    @Test(.timeLimit(.minutes(2)), arguments: Holder.allCases)
    func tenHeldRowsHoldUpNobodyElse(_ holder: Holder) async throws {
        try await QueueFixture.run { queue in
            for number in 1...10 { try await queue.submit("held-\(number)", "eyJ", account: "eve") }
            for number in 1...50 { try await queue.submit("free-\(number)", "eyJ") }
            let jobs = try await queue.claim(limit: 60)
            try #require(jobs.count == 60)

            let results = try await PostgresConnection.withConnection(to: queue.adminURL) { other in
                try await other.executeScript("begin; \(holder.rawValue)")
                return try await Self.settle(jobs.map { Self.grant($0) }, in: queue) { settled in
                    try await eventually("the others are settled") { settled() >= 50 }
                    #expect(try await queue.count("counterfoil.orders where state = 'fulfilled'") == 50)
                    #expect(try await queue.count("counterfoil.orders where order_id like 'held%' and state = 'open'") == 10)
                    try await other.executeScript("rollback")
                }
            }

            #expect(results.count == 60)
            #expect(try await queue.count("counterfoil.orders where state = 'fulfilled' and attempts = 1") == 60)
            #expect(try await queue.count("counterfoil.attempts where disposition = 'complete' and attempt = 1") == 60)
            #expect(try await queue.count("counterfoil.attempts") == 60)
            #expect(try await queue.faults() == [])
        }
    }

    /// A claim locks the newest version of a row before it looks at that version's state. So one that began before these jobs were
    /// claimed takes none of them, and holds all of them until it ends.
    @Test(.timeLimit(.minutes(1))) func aClaimThatTakesNothingHoldsUpNoSettlement() async throws {
        try await QueueFixture.run { queue in
            for number in 1...5 { try await queue.submit("\(number)", "eyJ \(number)") }
            try await PostgresConnection.withConnection(to: queue.adminURL) { other in
                try await other.executeScript("begin")
                async let taken = other.execute(
                    """
                    select j.id from counterfoil.jobs j
                    where j.state = 'available' and (select true from pg_sleep(0.5)) limit 5 for no key update skip locked
                    """)
                try await PostgresConnection.withConnection(to: queue.adminURL) { observer in
                    try await observer.waitUntil("exists (select from pg_stat_activity where wait_event = 'PgSleep')")
                }
                let settlements = try await queue.claim().map { Self.grant($0) }
                try #require(settlements.count == 5)
                #expect(try await taken.isEmpty)
                let store = SettlementStore(pool: queue.pool, workerID: queue.worker)

                let held = try await store.settle(settlements)

                #expect(held.results.isEmpty)
                #expect(held.locked.count == 5)
                #expect(try await queue.count("counterfoil.orders where state = 'fulfilled'") == 0)
                try await other.executeScript("rollback")
                #expect(try await store.settle(settlements).results.count == 5)
                #expect(try await queue.count("counterfoil.orders where state = 'fulfilled'") == 5)
            }
        }
    }

    /// Their order is settled with other statements than a grant's.
    @Test(.timeLimit(.minutes(1))) func aRejectionWaitsForItsOrderAndCountsOnce() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("held", "eyJ")
            let jobs = try await queue.claim()
            let rejections = jobs.map { Settlement($0, .end(.rejected(.wrongProduct, nil))) }

            _ = try await PostgresConnection.withConnection(to: queue.adminURL) { other in
                try await other.executeScript("begin; \(Holder.order.rawValue)")
                return try await Self.settle(rejections, in: queue) { _ in
                    try await Task.sleep(for: .milliseconds(200))
                    #expect(try await queue.count("counterfoil.attempts") == 0)
                    try await other.executeScript("rollback")
                }
            }

            #expect(try await queue.order("held") == OrderFacts(.rejected, .wrongProduct))
            #expect(try await queue.count("counterfoil.orders where attempts = 1") == 1)
        }
    }

    /// A lock that outlasts the lease: the job is attempted again, and nothing is counted.
    @Test(.timeLimit(.minutes(1))) func anOrderThatStaysLockedReleasesItsJobBeforeTheLeaseEnds() async throws {
        try await QueueFixture.run { queue in
            let id = try await queue.submit("held", "eyJ")
            let jobs = try await queue.claim(lease: .milliseconds(2500))

            let results = try await PostgresConnection.withConnection(to: queue.adminURL) { other in
                try await other.executeScript("begin; \(Holder.order.rawValue)")
                return try await Self.settle(jobs.map { Self.grant($0) }, in: queue) { settled in
                    try await eventually("the job is released") { settled() == 1 }
                    try await other.executeScript("rollback")
                }
            }

            #expect(results["held"] == .settled(.unchanged))
            #expect(try await queue.job(id) == "available 0 -")
            #expect(try await queue.count("counterfoil.jobs where run_at > now() + interval '1 s'") == 1)
        }
    }

    /// Between the claim and the grant: the grant is undone, and the payment is kept.
    @Test func anOrderThatWasCancelledMeanwhileIsNotPaid() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "eyJ")
            try await queue.submit("b", "eyJ")
            let settlements = try await queue.claim().map { Self.grant($0) }
            try await queue.admin.execute(
                "update counterfoil.orders set state = 'cancelled', reason = 'order_cancelled' where order_id = 'a'")
            let store = SettlementStore(pool: queue.pool, workerID: queue.worker)

            await #expect(throws: OrdersMoved.self) { try await store.settle(settlements) }
            #expect(try await queue.count("counterfoil.payments") == 0)
            #expect(try await queue.count("counterfoil.jobs") == 2)

            let results = try await Self.settle(settlements, in: queue) { _ in }
            #expect(results.count == 2)
            #expect(try await queue.order("a").state == .cancelled)
            #expect(try await queue.order("b").state == .fulfilled)
            #expect(try await queue.count("counterfoil.unclaimed_transactions where reason = 'order_cancelled'") == 1)
            #expect(try await queue.faults() == [])
        }
    }
}
