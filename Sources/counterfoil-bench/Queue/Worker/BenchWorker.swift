// SPDX-License-Identifier: Apache-2.0

import AppStore
import EventSources
import Glibc
import Logging
import Postgres
import Verification
import VerificationQueue

/// The worker as the product wires it, with what stops it when its plan is done.
struct BenchWorker {
    let plan: WorkerPlan
    let logger: Logger

    /// Works until the plan is done. Ends by itself also when nothing is ever to be done, or the database is gone.
    func run() async throws -> WorkerReport {
        let progress = WorkerProgress(plan)
        switch plan.verification {
        case .immediate:
            return try await work(BenchVerifier(delay: .zero), progress)
        case .delayed(let milliseconds):
            return try await work(BenchVerifier(delay: .milliseconds(milliseconds)), progress)
        case .https(let port, let file):
            var configuration = AppStoreConfiguration()
            configuration.productionReceiptURL = "https://localhost:\(port)"
            configuration.additionalTLSRoots = file
            return try await work(configuration, progress)
        case .serverAPI(let port, let folder):
            return try await work(try ServerAPIFolder.configuration(folder, port: port), progress)
        case .signed(let folder):
            var configuration = AppStoreConfiguration()
            configuration.extraRoots = [try ServerAPIFolder.root(in: folder)]
            return try await work(configuration, progress)
        }
    }

    private func work(_ settings: AppStoreConfiguration, _ progress: WorkerProgress) async throws -> WorkerReport {
        var configuration = settings
        configuration.connections = plan.slots
        let verifier = try AppStoreVerifier(configuration, logger: logger)
        return try await endingLast {
            try? await verifier.shutdown()
        } _: {
            try await work(verifier, progress, AttemptPlacement(callExecutors: verifier.callExecutors))
        }
    }

    private func work(
        _ verifier: some TransactionVerifier, _ progress: WorkerProgress, _ placement: AttemptPlacement = AttemptPlacement()
    ) async throws -> WorkerReport {
        let database = try PostgresConfiguration(url: plan.databaseURL)
        let pool = PostgresPool(configuration: database, size: plan.connections, logger: logger)
        var configuration = WorkerConfiguration()
        configuration.slots = plan.slots
        configuration.claimBatch = plan.batch
        configuration.settlementBatch = plan.batch
        let worker = Worker(
            pool: pool, verifier: verifier, configuration: configuration,
            identity: WorkerIdentity(name: "bench", host: "localhost", processID: getpid(), version: "bench"),
            logger: logger, placement: placement, observe: progress.note)
        try await endingLast(pool.close) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                if plan.listens {
                    group.addTask { await listen(for: worker, database) }
                }
                group.addTask { await stop(worker, progress) }
                try await worker.run()
                group.cancelAll()
            }
        }
        guard let report = progress.report(resident: ProcessUsage.residentBytes(of: getpid())) else {
            throw BenchError("the worker found nothing to do")
        }
        return report
    }

    private func listen(for worker: Worker, _ database: PostgresConfiguration) async {
        for await _ in PostgresListener(configuration: database, channels: ["counterfoil_jobs"], logger: logger) {
            worker.wake()
        }
    }

    /// Drains the worker when its jobs are done or its time is over; also when it never comes to work.
    private func stop(_ worker: Worker, _ progress: WorkerProgress) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { for await _ in progress.finished {} }
            group.addTask { await waitForTheEnd(progress) }
            group.addTask { try? await Task.sleep(for: .seconds(plan.warmUpSeconds + plan.seconds + 30)) }
            await group.next()
            group.cancelAll()
        }
        progress.endMeasurement()
        worker.drain()
    }

    private func waitForTheEnd(_ progress: WorkerProgress) async {
        for await _ in progress.started {}
        if plan.warmUpSeconds > 0 {
            try? await Task.sleep(for: .seconds(plan.warmUpSeconds))
            progress.beginMeasurement()
        }
        try? await Task.sleep(for: .seconds(plan.seconds))
    }
}
