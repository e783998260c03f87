// SPDX-License-Identifier: Apache-2.0

import AppStore
import AppStoreSimulator
import EventSources
import FoundationEssentials
import Postgres
import Verification
import VerificationQueue

/// Eight workers' rateLimiter for one budget of fifty calls a second, under more load than it allows; what the App Store counts
/// is what counts.
struct BudgetPart {
    private static let workers = 8
    private static let callersOfAWorker = 20
    private static let callsPerSecond = 50.0

    let plan: QueueBenchPlan
    let database: BenchDatabase

    func measure() async throws -> Section {
        let bundleID = BundleID(rawValue: BenchDatabase.bundleIDs[0])
        let seconds = max(12, plan.seconds)
        let (calls, rate) = try await AppStoreSimulator.withRunning { simulator in
            let bought = SimulatedTransaction(
                productId: BenchDatabase.product, bundleId: bundleID.rawValue, transactionId: "430000000000001")
            simulator.remember([bought])
            simulator.registerApp(bundleID.rawValue)
            let folder = try BenchFile.folder()
            defer { BenchFile.remove(folder) }
            try ServerAPIFolder.write(simulator, to: folder)
            var configuration = try ServerAPIFolder.configuration(folder, port: simulator.productionPort)
            configuration.connections = Self.workers * Self.callersOfAWorker
            let verifier = try AppStoreVerifier(configuration, logger: database.logger)
            let id = TransactionID(rawValue: bought.transactionId)
            try await endingLast { try? await verifier.shutdown() } _: {
                try await Self.load(for: .seconds(seconds), database) { rateLimiter, end in
                    while ContinuousClock.now < end {
                        let budget = Budget(bundleID, .getTransactionInfo, .production)
                        switch await rateLimiter.waitForTurn(of: budget, deadline: end) {
                        case .granted(let latestStart):
                            // A late call takes another turn.
                            _ = try? await verifier.lookUp(
                                id, bundleID: bundleID, in: .production, startingBy: latestStart, deadline: end + .seconds(5))
                        case .refused(let delay):
                            // As a job does. Asking again at once would keep the processors from those whose slots come.
                            try? await Task.sleep(for: delay)
                        }
                    }
                }
            }
            let statistics = simulator.statistics
            return (
                statistics.calls(to: .getTransactionInfo, in: .production),
                statistics.rate(of: .getTransactionInfo, in: .production, bundleID: bundleID.rawValue)
            )
        }
        let budget = Self.callsPerSecond
        return Section(
            "budget: \(Int(budget)) calls a second shared by \(Self.workers) workers, "
                + "\(Self.workers * Self.callersOfAWorker) calls waiting, \(seconds) s",
            [
                Measurement("calls / budget", .percent(Double(calls) / Double(seconds) / budget), atLeast: 95),
                Measurement("most in any ten seconds / budget", .percent(Double(rate.perTenSeconds) / 10 / budget), below: 100.01),
                Measurement("most in any second / budget", .percent(Double(rate.perSecond) / budget), below: 110.01),
            ])
    }

    /// Callers of workers that know nothing of each other but the database.
    private static func load(
        for time: Duration, _ database: BenchDatabase,
        _ call: @escaping @Sendable (RateLimiter, ContinuousClock.Instant) async -> Void
    ) async throws {
        let end = ContinuousClock.now + time
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<workers {
                let pool = PostgresPool(
                    configuration: try PostgresConfiguration(url: database.workerURL), size: 1, logger: database.logger)
                group.addTask {
                    let rateLimiter = RateLimiter(store: BudgetStore(pool: pool))
                    await withDiscardingTaskGroup { callers in
                        for _ in 0..<callersOfAWorker { callers.addTask { await call(rateLimiter, end) } }
                    }
                    await pool.close()
                }
            }
            try await group.waitForAll()
        }
    }
}
