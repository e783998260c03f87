// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing
import Verification
import VerificationQueue

/// How several settlements share one backlog.
@Suite struct SettlerTests {
    /// Two proofs of one payment, and another payment whose trigger takes long: the second proof was left behind by the settlement
    /// that waits for that.
    @Test(.timeLimit(.minutes(1))) func whatASettlementLeavesBehindIsSettledByAnother() async throws {
        try await QueueFixture.run { queue in
            for order in ["1", "2", "3", "4", "a", "b", "c"] {
                try await queue.submit(order, "eyJ \(order)")
            }
            var jobs: [String: Job] = [:]
            for job in try await queue.claim() {
                jobs[job.order.id.rawValue] = job
            }
            func grant(_ order: String, _ payment: String) throws -> Settlement {
                Settlement(try #require(jobs[order]), .grantOne, payments: .init(candidates: [Sample.candidate(payment)]))
            }
            var configuration = WorkerConfiguration()
            // Long enough for all three to come while the first of them waits for more.
            configuration.settlementDelay = .milliseconds(500)
            let (reports, continuation) = AsyncStream.makeStream(of: String.self)
            let settler = Settler(
                store: SettlementStore(pool: queue.pool, workerID: queue.worker), configuration: configuration, logger: .test,
                report: { continuation.yield($0.settlement.job.order.id.rawValue) })
            // So many at once are a sign of load: the next ones are gathered.
            for order in ["1", "2", "3", "4"] {
                settler.add(try grant(order, order))
            }

            // What holds up the settlement of a and c, before it comes to the payment of a.
            try await PostgresConnection.withConnection(to: queue.adminURL) { admin in
                try await admin.executeScript(
                    """
                    create function public.hesitate() returns trigger language plpgsql
                        as $$begin if new.order_number = \(orderNumber("c")) then perform pg_sleep(3); end if; return new; end$$;
                    create trigger hesitate before insert on counterfoil.payments
                        for each row execute function public.hesitate();
                    """)
            }
            async let settling: Void = settler.run()
            var settled = reports.makeAsyncIterator()
            for _ in 1...4 {
                _ = await settled.next()
            }
            for (order, payment) in [("a", "7"), ("b", "7"), ("c", "6")] {
                settler.add(try grant(order, payment))
            }

            #expect(await settled.next() == "b")

            settler.finish()
            await settling
            #expect(try await queue.order("b") == OrderFacts(.fulfilled, by: "7"))
            #expect(try await queue.order("a") == OrderFacts(.rejected, .alreadyGranted, by: "7"))
            #expect(try await queue.order("c") == OrderFacts(.fulfilled, by: "6"))
        }
    }

    @Test(.timeLimit(.minutes(1))) func aBatchThatFillsWhileMoreIsWaitedForGoesOutAtOnce() async throws {
        try await QueueFixture.run { queue in
            for order in 1...9 {
                try await queue.submit("\(order)", "eyJ \(order)")
            }
            var settlements = try await queue.claim().map { job in
                Settlement(job, .grantOne, payments: .init(candidates: [Sample.candidate(job.order.id.rawValue)]))
            }
            var configuration = WorkerConfiguration()
            configuration.settlers = 1
            configuration.settlementBatch = 4
            // Never over in this test.
            configuration.settlementDelay = .seconds(3600)
            let (reports, continuation) = AsyncStream.makeStream(of: String.self)
            let settler = Settler(
                store: SettlementStore(pool: queue.pool, workerID: queue.worker), configuration: configuration, logger: .test,
                report: { continuation.yield($0.settlement.job.order.id.rawValue) })
            let executor = CountingExecutor()
            let settling = Task(executorPreference: executor) { await settler.run() }
            var settled = reports.makeAsyncIterator()
            func add(_ count: Int) {
                for settlement in settlements.prefix(count) {
                    settler.add(settlement)
                }
                settlements.removeFirst(count)
            }
            // A sign of load: of the next ones fewer than a batch wait for more.
            add(4)
            for _ in 1...4 { _ = await settled.next() }
            try await eventually("the settler is idle") { executor.isIdle }
            let steps = executor.ended
            add(1)
            try await eventually("the settler waits for more") { executor.ended > steps }

            add(3)
            for _ in 1...4 { _ = await settled.next() }
            add(1)
            settler.finish()
            await settling.value
            #expect(try await queue.order("9").state == .fulfilled)
        }
    }
}
