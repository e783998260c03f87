// SPDX-License-Identifier: Apache-2.0

import AppStore
import Logging
import Postgres
import Schema
import Verification
import VerificationQueue

/// One attempt of one job that a worker holds, from reading it to settling it.
struct IsolatedAttemptRun {
    let assembly: Assembly
    let jobID: Int64
    let leaseToken: Int64
    /// How long the attempt may take.
    let attempt: Duration
    /// How long the lease may be relied on.
    let lease: Duration

    private var logger: Logger { assembly.logger }

    /// Returns when the job is settled, or its lease is lost.
    ///
    /// - Throws: when it could not work; nothing is known about the job then.
    func run() async throws {
        let deadline = ContinuousClock.now + attempt
        let verifier = try assembly.makeVerifier(connections: 1)
        do {
            let pool = try assembly.makePool(size: 2)
            try await run(pool, verifier, deadline)
            await pool.close()
        } catch {
            try? await verifier.shutdown()
            throw error
        }
        try? await verifier.shutdown()
    }

    private func run(
        _ pool: PostgresPool, _ verifier: AppStoreVerifier, _ deadline: ContinuousClock.Instant
    ) async throws {
        let held = Lease(jobID: JobID(rawValue: jobID), token: leaseToken)
        let holder = try await holder(pool)
        guard let holder, let job = try await JobStore(pool: pool).read(held, remaining: lease) else {
            logger.info("lease lost", metadata: ["job.id": "\(jobID)"])
            return
        }
        assembly.clock.follow(job.claimedAt)
        let gates = GateStore(pool: pool)
        let keeper = GateKeeper(
            store: gates, configuration: assembly.settings.worker, name: assembly.workerIdentity.name, logger: logger)
        keeper.book.replace(with: try await gates.list())
        let executor = JobExecutor(
            verifier: verifier, gates: keeper.book, pool: pool, retry: assembly.settings.worker.retry)
        let attempt = await executor.attempt(job, deadline: deadline)
        try await settle(attempt.settlement, SettlementStore(pool: pool, workerID: holder))
        await keeper.record(attempt)
    }

    /// The worker that the job's row names; nil when nobody holds it.
    private func holder(_ pool: PostgresPool) async throws -> WorkerID? {
        let rows = try await pool.execute(SQLFile.showJob.statement, [.int8(jobID)])
        guard let row = rows.first else { return nil }
        return try row.optionalInt64(13).map(WorkerID.init(rawValue:))
    }

    private func settle(_ settlement: Settlement, _ store: SettlementStore) async throws {
        let box = SettledBox()
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
