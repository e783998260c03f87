// SPDX-License-Identifier: Apache-2.0

/// Starts this program again as a worker.
enum WorkerProcess {
    /// Runs a worker until its plan is done; it is ended when this task is cancelled.
    static func run(_ plan: WorkerPlan) async throws -> WorkerReport {
        let report = try await BenchProcess.runOwn("worker", plan, reporting: WorkerReport.self)
        guard report.lost == 0 else {
            throw BenchError("\(report.lost) leases were lost: the figures are worth nothing")
        }
        return report
    }
}
