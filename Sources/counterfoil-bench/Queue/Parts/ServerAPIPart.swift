// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Postgres

/// What a worker spends on a call to the App Store Server API, beside the least that such a call can cost: the HTTP client
/// alone and one check of a signature, in a process of its own, at the same simulator.
///
/// The jobs hold bare transaction ids: each is one call, whose answer is one signed transaction.
struct ServerAPIPart {
    private static let firstID: Int64 = 440_000_000_000_000
    private static let calls = 20_000
    private static let slots = 200

    let plan: QueueBenchPlan
    let database: BenchDatabase

    private struct Round {
        let worker: WorkerReport
        let cost: ServerCost
        let bare: BareCallsReport

        var ratio: Double { worker.cpuMicrosecondsPerJob / bare.microsecondsPerCall }
    }

    func measure() async throws -> Section {
        let bundleID = BenchDatabase.bundleIDs[0]
        _ = try await database.pool.execute(BenchStatement.liftBudgets)
        let rounds = try await AppStoreSimulator.withRunning { simulator in
            let token = UUID()
            simulator.registerApp(bundleID)
            simulator.remember(
                (0..<Int64(Self.calls * plan.rounds)).map {
                    SimulatedTransaction(
                        productId: BenchDatabase.product, bundleId: bundleID, transactionId: String(Self.firstID + $0),
                        appAccountToken: token)
                })
            let folder = try BenchFile.folder()
            defer { BenchFile.remove(folder) }
            try ServerAPIFolder.write(simulator, to: folder)
            var rounds: [Round] = []
            for number in 0..<plan.rounds {
                // What one round granted can't be granted in the next.
                let firstID = Self.firstID + Int64(number * Self.calls)
                rounds.append(try await round(simulator.productionPort, folder, bundleID, token, firstID))
            }
            return rounds
        }
        return Section(
            "server_api: Get Transaction Info at a simulator on the same machine, no latency, \(Self.calls) calls, "
                + "\(Self.slots / 2) in flight",
            rounds.flatMap { round in
                [
                    Measurement(
                        "worker", .rate(round.worker.jobsPerSecond), .clientCPU(round.worker.cpuMicrosecondsPerJob),
                        .count(round.cost.jobsPerClaim, "jobs a claim"),
                        .count(round.cost.jobsPerSettlement, "a settlement")),
                    Measurement(
                        "  bare calls and checks right before it", .rate(round.bare.callsPerSecond),
                        .count(round.bare.microsecondsPerCall, "µs CPU a call")),
                ]
            } + [
                Measurement(
                    "CPU of a worker's call / of a bare one, middle of \(rounds.count)",
                    .share(Percentiles(rounds.map(\.ratio)).median), below: 1.2501)
            ])
    }

    private func round(
        _ port: Int, _ folder: String, _ bundleID: String, _ token: UUID, _ firstID: Int64
    ) async throws -> Round {
        Progress.say("bare calls")
        let bare = try await BenchProcess.runOwn(
            "bare-calls",
            BareCallsPlan(
                port: port, folder: folder, bundleID: bundleID, firstID: firstID, calls: Self.calls,
                callsAtOnce: Self.slots / 2),
            reporting: BareCallsReport.self)
        Progress.say("worker")
        let numbers = try await database.insertOrders(Self.calls, of: bundleID, token: token)
        try await database.insertJobs(numbers, proofs: (0..<Int64(Self.calls)).map { String(firstID + $0) })
        try await database.settle()
        let (worker, cost) = try await database.cost {
            try await WorkerProcess.run(
                WorkerPlan(
                    databaseURL: database.workerURL, verification: .serverAPI(productionPort: port, folder: folder),
                    slots: Self.slots, jobs: Self.calls, seconds: 120))
        }
        try await database.clear()
        return Round(worker: worker, cost: cost, bare: bare)
    }
}
