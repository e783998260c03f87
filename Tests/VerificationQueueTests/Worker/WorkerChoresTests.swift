// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MetricsTestKit
import Postgres
import TestSupport
import Testing
import Verification

@testable import VerificationQueue

/// What a worker does beside its jobs, again and again.
@Suite struct WorkerChoresTests {
    @Test(.timeLimit(.minutes(1)))
    func theQueueIsCountedNowAndThen() async throws {
        let factory = TestMetrics()
        try await QueueFixture.run { queue in
            try await queue.submit("later", "eyJ 1")
            _ = try await queue.admin.execute("update counterfoil.jobs set run_at = now() + interval '1 h'")
            var configuration = WorkerConfiguration()
            configuration.measureInterval = .milliseconds(20)
            let worker = Worker(
                pool: queue.pool, verifier: ScriptedVerifier(), configuration: configuration, identity: .test,
                clock: DatabaseClock(), logger: .test,
                metrics: WorkerMetrics(factory: factory, version: "1.2.3", leaseDuration: configuration.leaseDuration))

            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await worker.run() }
                group.addTask {
                    defer { worker.drain() }
                    try await Self.wait(forScheduledJobs: 1, factory)
                    _ = try await queue.admin.execute("delete from counterfoil.jobs")
                    try await Self.wait(forScheduledJobs: 0, factory)
                }
                try await group.waitForAll()
            }
        }
    }

    // MARK: A database that was made anew

    /// A worker that was running meanwhile made its row again, by the id that the next one would get.
    @Test func aWorkerThatStartsPassesOverAnIDThatIsTaken() async throws {
        try await QueueFixture.run { queue in
            try await queue.admin.execute(
                """
                insert into counterfoil.workers (id, name, host, pid, version, slots) overriding system value
                values (\(queue.worker.rawValue + 1), 'older', 'h', 1, '1', 1), (\(queue.worker.rawValue + 2), 'oldest', 'h', 2, '1', 1)
                """)

            let id = try await WorkerStore(pool: queue.pool, identity: .test).register(slots: 3).id

            #expect(id.rawValue == queue.worker.rawValue + 3)
            #expect(try await queue.count("counterfoil.workers") == 4)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func aWorkerEndsWhoseIDIsAnothers() async throws {
        try await QueueFixture.run { queue in
            var configuration = WorkerConfiguration()
            configuration.heartbeatInterval = .milliseconds(20)
            let worker = Worker(
                pool: queue.pool, verifier: ScriptedVerifier(), configuration: configuration, identity: .test, logger: .test)
            await #expect(throws: WorkerEnding.idOfAnother(WorkerID(rawValue: queue.worker.rawValue + 1))) {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await worker.run() }
                    for await _ in worker.readiness { break }
                    // Removed as silent, it makes its row again; as another's it leaves it alone.
                    try await queue.admin.execute("delete from counterfoil.workers where id = \(queue.worker.rawValue + 1)")
                    while try await queue.count("counterfoil.workers where id = \(queue.worker.rawValue + 1)") == 0 {
                        await Task.yield()
                    }
                    try await queue.admin.execute(
                        "update counterfoil.workers set host = 'another' where id = \(queue.worker.rawValue + 1)")
                    try await group.waitForAll()
                }
            }
            let left = try await queue.count("counterfoil.workers where host = 'another'")
            #expect(left == 1)
        }
    }

    // MARK: A clock that was ahead

    /// A day ahead; the waits that jobs were given stay.
    @Test func whatWasWrittenWhileTheClockWasAheadWaitsNoLonger() async throws {
        try await QueueFixture.run { queue in
            for order in ["new", "retried", "running", "later", "mine"] { try await queue.submit(order, "eyJ \(order)") }
            let ahead = "interval '1 day'"
            try await queue.admin.withConnection { admin in
                try await admin.executeScript(
                    """
                    update counterfoil.jobs set created_at = created_at + \(ahead), run_at = run_at + \(ahead) where order_id = 'new';
                    update counterfoil.orders set last_attempt_at = now() + \(ahead), updated_at = now() + \(ahead) where order_id = 'retried';
                    update counterfoil.jobs set run_at = now() + \(ahead) + interval '100 s' where order_id = 'retried';
                    update counterfoil.jobs
                    set state = 'running', worker_id = 1, claimed_at = now() + \(ahead), lease_expires_at = now() + \(ahead) + interval '60 s'
                    where order_id = 'running';
                    update counterfoil.jobs set run_at = now() + interval '6 hours' where order_id = 'later'
                    """)
            }
            let store = WorkerStore(pool: queue.pool, identity: .test)

            #expect(try await store.bringTimesBack() == 3)

            #expect(
                try await queue.text(
                    """
                    select string_agg(
                        order_id || ' ' || round(extract(epoch from coalesce(lease_expires_at, run_at) - now()) / 10) * 10, ','
                        order by order_id
                    ) from counterfoil.jobs
                    """) == "later 21600,mine 0,new 0,retried 100,running 60")
            #expect(Set(try await queue.claim().map(\.order.id.rawValue)) == ["mine", "new"])
        }
    }

    /// Nobody knows whether such an order came before its purchase.
    @Test func anOrderThatWasMadeWhileTheClockWasAheadIsPaid() async throws {
        try await QueueFixture.run { queue in
            try await queue.place("ahead", minutesAgo: -1_440)
            try await queue.place("right", minutesAgo: 0)
            try await queue.submit("ahead", "eyJ 1")
            try await queue.submit("right", "eyJ 2")
            for job in try await queue.claim() {
                // Bought before either was made.
                let id = job.order.id.rawValue == "ahead" ? "1" : "2"
                _ = try await queue.settle(
                    Settlement(.sample(id: id, purchased: Date().addingTimeInterval(-3_600)), shownBy: job))
            }

            #expect(try await queue.order("ahead") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.order("right") == OrderFacts(.review, .purchaseBeforeOrder, by: "2"))
        }
    }

    @Test(
        arguments: [
            ([0.0, 10, 20], [true, false, false]), ([0, 10, -86_000], [true, false, true]),
            ([0, 86_000, 86_010], [true, false, false]),
            ([0, 8.5, 19], [true, false, false]), ([0, 7, 17], [true, true, false]),
        ] as [([Double], [Bool])])
    func aClockThatGoesBackIsSeen(times: [Double], isSeen: [Bool]) {
        var watch = ClockWatch()
        let (start, began) = (Date(), ContinuousClock.now)

        let seen = times.enumerated().map { place, time in
            watch.wentBack(to: start.addingTimeInterval(time), at: began + .seconds(10 * place))
        }

        #expect(seen == isSeen)
    }

    /// Returns when the gauge has a value; the test's time limit ends the wait.
    private static func wait(forScheduledJobs count: Double, _ factory: TestMetrics) async throws {
        let labels = [("state", "scheduled"), ("reason", "none")]
        while try factory.expectMeter(Metric.jobs.name, labels).lastValue != count {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
