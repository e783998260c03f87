// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Subprocess

/// Starts this program again as a worker.
enum WorkerProcess {
    /// Runs a worker until its plan is done; it is ended when this task is cancelled.
    static func run(_ plan: WorkerPlan) async throws -> WorkerReport {
        let text = String(decoding: try JSONEncoder().encode(plan), as: UTF8.self)
        let ownPath = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let (status, output) = try await BenchProcess.run(ownPath, ["worker", "--plan", text])
        guard status.isSuccess else {
            throw BenchError("a worker process failed (\(status))")
        }
        let report = try JSONDecoder().decode(WorkerReport.self, from: Data(output.utf8))
        guard report.lost == 0 else {
            throw BenchError("\(report.lost) leases were lost: the figures are worth nothing")
        }
        return report
    }
}
