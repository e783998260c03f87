// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials

/// As ``CallsPart``, with the App Store's client and real HTTPS: verifyReceipt of the simulator, which runs in this process,
/// away from the worker's.
struct HTTPSPart {
    let plan: QueueBenchPlan
    let database: BenchDatabase

    func measure() async throws -> Section {
        // As many as can be worked off, and a tenth more.
        let ceiling = Double(plan.concurrency) * 1000 / Double(CallsPart.milliseconds)
        let count = Int(ceiling * (Double(plan.seconds) + CallsPart.warmUpSeconds) * 1.1) + plan.concurrency
        Progress.say("making \(count) receipts")
        let numbers = try await database.insertOrders(count)
        try await database.insertJobs(numbers, proofs: try numbers.map(Self.receipt))
        try await database.settle()

        let (report, cost) = try await AppStoreSimulator.withRunning { simulator in
            simulator.setFaults(
                FaultPlan(latency: .fixed(.milliseconds(CallsPart.milliseconds))), for: .verifyReceipt)
            let roots = try BenchFile.temporary("roots.pem", contents: simulator.tlsCertificateAuthorityPEM)
            defer { BenchFile.remove(roots) }
            Progress.say("worker")
            return try await database.cost {
                try await WorkerProcess.run(
                    WorkerPlan(
                        databaseURL: database.workerURL,
                        verification: .https(productionPort: simulator.productionPort, tlsRootFile: roots),
                        slots: plan.concurrency, warmUpSeconds: CallsPart.warmUpSeconds, seconds: Double(plan.seconds)))
            }
        }
        try await database.clear()
        return Section(
            "https: verifyReceipt at a simulator on the same machine, \(CallsPart.milliseconds) ms each, "
                + "\(plan.concurrency) slots",
            [
                // The simulator's share of the processors is no less than the worker's: no target for the rate.
                Measurement("ceiling: slots / time of a call", .rate(ceiling)),
                CallsPart.worker(report, cost),
                Measurement("client", .clientCPU(report.cpuMicrosecondsPerJob)),
                Measurement("server", .serverCPU(cost.microsecondsPerJob), .wal(cost.walBytesPerJob)),
                Measurement("worker's memory, most", .memory(report.peakResidentBytes), below: 400),
            ])
    }

    /// A receipt of one purchase, for the order of that number.
    private static func receipt(_ number: Int64) throws -> String {
        let bundleID = BenchDatabase.bundleIDs[Int(number % 4)]
        let purchase = SimulatedTransaction(
            productId: BenchDatabase.product, bundleId: bundleID, transactionId: String(300_000_000_000_000 + number))
        return try SimulatedReceipt(bundleId: bundleID, transactions: [purchase]).base64
    }
}
