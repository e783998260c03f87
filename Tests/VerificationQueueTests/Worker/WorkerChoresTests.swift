// SPDX-License-Identifier: Apache-2.0

import MetricsTestKit
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

    /// Returns when the gauge has a value; the test's time limit ends the wait.
    private static func wait(forScheduledJobs count: Double, _ factory: TestMetrics) async throws {
        let labels = [("state", "scheduled"), ("reason", "none")]
        while try factory.expectMeter(Metric.jobs.name, labels).lastValue != count {
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
