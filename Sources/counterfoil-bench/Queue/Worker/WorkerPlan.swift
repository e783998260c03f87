// SPDX-License-Identifier: Apache-2.0

/// What a worker in a process of its own is to do, and when it is to stop.
struct WorkerPlan: Codable, Sendable {
    /// How proofs are verified.
    enum Verification: Codable, Sendable {
        /// In this process, after a while.
        case immediate
        case delayed(milliseconds: Int)
        /// By the App Store's client, at a simulator.
        case https(productionPort: Int, tlsRootFile: String)
        /// The same by transaction ids; the folder holds the simulator's roots and a key.
        case serverAPI(productionPort: Int, folder: String)
        /// In this process, by their signatures; the folder holds the simulator's root.
        case signed(folder: String)
    }

    static let defaultConnections = 4
    static let defaultBatch = 100

    var databaseURL: String
    var verification: Verification
    var slots = 200
    /// The most jobs of a claim, and the most attempts of a settlement.
    var batch = defaultBatch
    var connections = Self.defaultConnections
    var listens = false

    /// It stops after so many settled jobs; nil: only ``seconds`` counts.
    var jobs: Int?
    /// It measures from so long after its first claim on.
    var warmUpSeconds = 0.0
    /// It stops so long after that.
    var seconds: Double
    /// Whether the report says when each job was settled.
    var tellsTimes = false
}

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
