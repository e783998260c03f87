// SPDX-License-Identifier: Apache-2.0

import AppStore
import CommandSupport
import EventSources
import Logging
import Postgres
import Synchronization
import Verification
import VerificationQueue

/// One attempt of one job that a worker holds, from reading it to settling it.
struct IsolatedAttemptRun {
    let assembly: Assembly
    let jobID: Int64
    let leaseToken: Int64
    /// How long the attempt may take, from now.
    let attempt: Duration
    /// How long the lease may be relied on, from now.
    let lease: Duration
    private let began = ContinuousClock.now

    private var logger: Logger { assembly.logger }

    /// Returns when the job is settled, or its lease is lost.
    ///
    /// - Throws: when it could not work; nothing is known about the job then.
    func run() async throws {
        let verifier = try assembly.makeVerifier(connections: 1)
        try await endingLast { try? await verifier.shutdown() } _: {
            let pool = try assembly.makePool(size: 2)
            try await run(pool, verifier)
            await pool.close()
        }
    }

    private func run(_ pool: PostgresPool, _ verifier: AppStoreVerifier) async throws {
        let gates = GateStore(pool: pool)
        let keeper = GateKeeper(
            store: gates, configuration: assembly.settings.worker, name: assembly.workerIdentity.name, logger: logger)
        let held = try await whileLeased {
            keeper.cache.replace(with: try await gates.list())
            let lease = Lease(jobID: JobID(rawValue: jobID), token: leaseToken)
            return try await JobStore(pool: pool).read(lease, remaining: ContinuousClock.now.duration(to: began + self.lease))
        }
        guard let (job, holder) = held else {
            logger.info("lease lost", metadata: ["job.id": "\(jobID)"])
            return
        }
        assembly.clock.follow(job.claimedAt)
        let runner = AttemptRunner(
            verifier: verifier, gates: keeper.cache, pool: pool, retry: assembly.settings.worker.retry)
        // Not limited by us: a proof that keeps it from ending is what the worker has to find out.
        let attempt = await runner.attempt(job, deadline: began + self.attempt)
        let probe = keeper.cache[job.lane].flatMap(GateStore.Probe.init(of:))
        try await whileLeased {
            let settlement = (probe.map { attempt.probing($0.lane) } ?? attempt).settlement
            try await settle(settlement, SettlementStore(pool: pool, workerID: holder))
            if let probe {
                await keeper.end(probe, with: attempt)
            } else {
                await keeper.record(attempt)
            }
        }
    }

    /// Gives up on the database when the lease can't be relied on any more.
    private func whileLeased<Success: Sendable>(_ work: @escaping @Sendable () async throws -> Success) async throws -> Success {
        do {
            return try await before(began + lease, waitingFor: "the database's answer", work)
        } catch is DeadlinePassed {
            throw CommandFailure(.temporaryFailure, "the database did not answer in time")
        }
    }

    private func settle(_ settlement: Settlement, _ store: SettlementStore) async throws {
        let box = SettlementResultBox()
        let settler = Settler(store: store, configuration: assembly.settings.worker, logger: logger) { box.put($0) }
        settler.add(settlement)
        settler.finish()
        await settler.run()
        guard let settled = box.settled else {
            throw CommandFailure(.temporaryFailure, "the attempt could not be settled")
        }
        settled.log(to: logger, lease: lease)
    }
}

/// Keeps the report on the one settlement of a process.
final class SettlementResultBox: Sendable {
    private let value = Mutex<SettlementResult?>(nil)

    var settled: SettlementResult? { value.withLock { $0 } }

    func put(_ settled: SettlementResult) {
        value.withLock { $0 = settled }
    }
}
