// SPDX-License-Identifier: Apache-2.0

import VerificationQueue

/// Calls of 300 ms, as many in flight as there are slots, with jobs inserted all the while.
struct CallsPart {
    static let milliseconds = 300
    static let warmUpSeconds = 2.0

    let plan: QueueBenchPlan
    let database: BenchDatabase

    func measure() async throws -> Section {
        let (report, cost) = try await database.cost {
            try await withThrowingTaskGroup(of: WorkerReport?.self) { group in
                group.addTask { try await feed() }
                group.addTask {
                    try await WorkerProcess.run(
                        WorkerPlan(
                            databaseURL: database.workerURL, verification: .delayed(milliseconds: Self.milliseconds),
                            slots: plan.concurrency, warmUpSeconds: Self.warmUpSeconds, seconds: Double(plan.seconds)))
                }
                defer { group.cancelAll() }
                while let result = try await group.next() {
                    if let report = result { return report }
                }
                throw BenchError("the worker told nothing")
            }
        }
        try await database.clear()
        return Section(
            "calls: \(Self.milliseconds) ms each, \(plan.concurrency) slots, jobs inserted meanwhile, ledger included",
            [
                Measurement("ceiling: slots / time of a call", .rate(ceiling)),
                Self.worker(report, cost),
                Measurement("worker / ceiling", .percent(report.jobsPerSecond / ceiling), atLeast: 95),
                Measurement("client", .clientCPU(report.cpuMicrosecondsPerJob), below: 50),
                Measurement("server, inserts included", .serverCPU(cost.microsecondsPerJob), .wal(cost.walBytesPerJob)),
                Measurement("worker's memory, most", .memory(report.peakResidentBytes), below: 150),
            ])
    }

    static func worker(_ report: WorkerReport, _ cost: ServerCost) -> Measurement {
        Measurement(
            "worker", .rate(report.jobsPerSecond), .count(cost.jobsPerClaim, "jobs a claim"),
            .count(cost.jobsPerSettlement, "a settlement"))
    }

    private var ceiling: Double { Double(plan.concurrency) * 1000 / Double(Self.milliseconds) }

    /// Inserts a little more than can be worked off, so that the queue is never empty, until it is cancelled.
    private func feed() async throws -> WorkerReport? {
        let start = ContinuousClock.now
        let rate = ceiling * 1.02
        var inserted = 0
        while !Task.isCancelled {
            let due = 3 * plan.concurrency + Int(rate * start.duration(to: .now).seconds)
            if due > inserted {
                try await database.insertJobs(try await database.insertOrders(due - inserted))
                inserted = due
            }
            try? await Task.sleep(for: .milliseconds(100))
        }
        return nil
    }
}
