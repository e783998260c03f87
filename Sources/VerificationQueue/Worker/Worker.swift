// SPDX-License-Identifier: Apache-2.0

import EventSources
package import Logging
package import Postgres
import Schema
import ServiceLifecycle
import Synchronization
package import Verification

/// Claims jobs for its free slots, attempts them, settles what the attempts found, and drains when it is asked to.
///
/// Nothing is lost with a worker: the jobs that it had claimed are available again once their leases run out. A worker
/// waits for a database that is away; that never ends the worker.
///
/// | Part | Does |
/// |---|---|
/// | ``ClaimLoop`` | claims jobs and starts their attempts |
/// | ``ClaimPacing`` | decides when to claim |
/// | ``AttemptPlacement`` | chooses the threads of attempts |
/// | ``AttemptRunner`` | attempts one job |
/// | ``Settler`` | settles finished attempts in batches |
/// | ``GateKeeper`` | closes, probes and opens gates |
/// | ``ChangeHints`` | tells readers of the feed that it may have something new |
/// | `Worker+Chores` | polls, reads gates, rescues jobs, writes heartbeats, counts and prunes |
package final class Worker: Service {
    let pool: PostgresPool
    let verifier: any TransactionVerifier
    let configuration: WorkerConfiguration
    let identity: WorkerIdentity
    let clock: DatabaseClock
    let logger: Logger
    let metrics: WorkerMetrics?
    let placement: AttemptPlacement
    let isolation: AttemptIsolation?
    let record: WorkerRecord
    let inFlight = InFlight()
    let pacing: ClaimPacing
    let keeper: GateKeeper
    let changeHints = ChangeHints()

    private let ending = Mutex<WorkerEnding?>(nil)
    private let limits: WorkerHealth.Limits
    /// Ends when the worker is asked to drain.
    private let untilDraining: AsyncStream<Void>
    private let beginDraining: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - clock: each claim sets it, before its attempts begin. The verifier takes the time of day from it.
    ///   - placement: the threads of attempts.
    ///   - isolate: attempts a job in a process of its own, which settles it; nil attempts every job here.
    ///   - metrics: counts and measures; nil where nobody reads metrics.
    ///   - observe: called with each event; must be quick. Nil where nobody waits for events.
    package init(
        pool: PostgresPool, verifier: any TransactionVerifier, configuration: WorkerConfiguration,
        identity: WorkerIdentity, clock: DatabaseClock = DatabaseClock(), logger: Logger,
        placement: AttemptPlacement = AttemptPlacement(), isolate: (@Sendable (Job) async -> IsolatedAttempt)? = nil,
        metrics: WorkerMetrics? = nil, observe: (@Sendable (WorkerEvent) -> Void)? = nil
    ) {
        self.pool = pool
        self.verifier = verifier
        self.configuration = configuration
        self.identity = identity
        self.clock = clock
        self.logger = logger
        self.metrics = metrics
        self.placement = placement
        isolation = isolate.map { [inFlight] in
            AttemptIsolation(
                configuration: configuration, inFlight: inFlight, metrics: metrics, logger: logger, runProcess: $0)
        }
        record = WorkerRecord(metrics: metrics, observe: observe)
        pacing = ClaimPacing(configuration, inFlight: inFlight, executor: pool.executor)
        keeper = GateKeeper(
            store: GateStore(pool: pool), configuration: configuration, name: identity.name, logger: logger)
        limits = WorkerHealth.Limits(configuration)
        (untilDraining, beginDraining) = AsyncStream.makeStream()
    }

    /// Yields once, after the first claim that the database answered; ends when the worker does.
    package var readiness: AsyncStream<Void> { record.readiness }

    /// How the worker is doing at this moment.
    package func snapshot() -> WorkerSnapshot {
        let progress = record.progress
        let (running, held) = inFlight.jobs
        return WorkerSnapshot(
            progress: progress, slots: configuration.slots, running: running, unsettled: held - running,
            proofBytes: inFlight.proofBytes, connections: pool.connections, gates: keeper.cache.gates,
            queueReadAt: progress.queueReadAt, health: WorkerHealth(of: progress, limits: limits, at: .now))
    }

    /// Brings the gauges up to date, except those of the queue, which have ``WorkerConfiguration/measureInterval``.
    ///
    /// - Parameter timestamp: turns an instant into seconds since 1970.
    package func updateGauges(timestamp: (ContinuousClock.Instant) -> Double) {
        metrics?.gauges.set(snapshot(), timestamp: timestamp)
    }

    /// Wakes the worker because jobs became available. A hint only: the poll timer alone must suffice.
    package func wake() {
        pacing.wake(.signalled)
    }

    /// Stops claiming; ``run()`` returns when all running jobs are settled or released.
    package func drain() {
        record.beganDraining()
        beginDraining.finish()
        pacing.stop()
    }

    /// Works until it is drained (also by a graceful shutdown of its service group) or cancelled.
    ///
    /// - Throws: ``SchemaMigrator/Problem`` when the schema doesn't fit this program or the role is a superuser,
    ///   ``PostgresError`` when the database refuses this worker for good at the start, and ``WorkerEnding`` when the worker can't
    ///   go on.
    package func run() async throws {
        defer { record.ended() }
        try await withGracefulShutdownHandler {
            guard let id = try await register() else { return }
            await work(as: id)
            // Another's row stays.
            if ending.withLock({ $0 }) == nil { try? await WorkerStore(pool: pool, identity: identity).remove(id) }
            logger.notice("worker stopped", metadata: ["worker.id": "\(id.rawValue)"])
        } onGracefulShutdown: {
            self.drain()
        }
        if let ending = ending.withLock({ $0 }) { throw ending }
    }

    /// Drains, and then ``run()`` throws: whoever supervises the process starts another.
    func end(because ending: WorkerEnding) {
        self.ending.withLock { $0 = $0 ?? ending }
        drain()
    }

    var isDraining: Bool { record.isDraining || Task.isCancelled }

    /// Waits for the database, checks its schema and registers the worker; nil when it was drained before that.
    private func register() async throws -> WorkerID? {
        var failures = 0
        while !isDraining {
            record.roundBegan()
            do {
                try await pool.withConnection(timeout: .seconds(5)) { connection in
                    try await SchemaMigrator.refuseSuperuser(connection)
                    try await SchemaMigrator(logger: self.logger).check(connection)
                }
                let (id, namesakes) = try await WorkerStore(pool: pool, identity: identity).register(slots: configuration.slots)
                logger.notice(
                    "worker started", metadata: ["worker.id": "\(id.rawValue)", "slots": "\(configuration.slots)"])
                if let namesakes {
                    logger.warning(
                        "another worker has this name, or had it until a minute ago: give each its own, by COUNTERFOIL_WORKER_NAME",
                        metadata: ["name": "\(identity.name)", "hosts": "\(namesakes)"])
                }
                return id
            } catch let error as PostgresError where Self.isWorthWaiting(error) {
                if error.sqlState == .readOnlyTransaction, await isOfAnotherRole() { throw error }
                if failures % 10 == 0 {
                    logger.warning("waiting for the database", metadata: ["error": "\(error)"])
                }
                failures += 1
                try? await Task.sleep(for: .milliseconds(Int.random(in: 100...500)))
            }
        }
        return nil
    }

    /// Whether this session is of a role that never does a worker's work: no waiting helps.
    private func isOfAnotherRole() async -> Bool {
        guard let row = try? await pool.execute(SQLFile.nameRole.statement).first,
            let isStandby = try? row.bool(1), let mayWork = try? row.bool(2)
        else { return false }
        return !isStandby && !mayWork
    }

    /// Whether the database may come round by itself.
    static func isWorthWaiting(_ error: PostgresError) -> Bool {
        switch error.kind {
        case .decoding, .encoding, .protocolViolation, .closed: false
        case .server: error.isConnectionLoss || error.mayPass
        default: !error.isRefusal
        }
    }

    /// Claims, attempts and settles until the worker is drained.
    private func work(as id: WorkerID) async {
        let settler = makeSettler(as: id)
        let loop = ClaimLoop(of: self, as: id, settler: settler)
        record.registered()
        await withTaskGroup(of: Void.self) { group in
            // Settlements and claims run where the database's answers arrive.
            group.addTask(executorPreference: pool.executor) { await settler.run() }
            await withTaskGroup(of: Void.self) { chores in
                addChores(to: &chores, as: id, for: loop)
                await runUntilDrained(loop)
                chores.cancelAll()
            }
            settler.finish()
            // After 10 s the jobs of unsettled attempts are left to their leases, and rescued when these run out.
            group.addTask { try? await Task.sleep(for: .seconds(10)) }
            await group.next()
            group.cancelAll()
        }
    }

    private func makeSettler(as id: WorkerID) -> Settler {
        Settler(
            store: SettlementStore(pool: pool, workerID: id), configuration: configuration, logger: logger,
            metrics: metrics, roomWasMade: { [pacing] in pacing.roomWasMade() },
            fellApart: { [record] jobs in record.happened(.batchFellApart(jobs: jobs)) }
        ) { [inFlight, record, logger, changeHints, lease = configuration.leaseDuration] settled in
            inFlight.settle(settled.settlement.job)
            if settled.result != .leaseLost { changeHints.settled() }
            settled.log(to: logger, lease: lease)
            record.happened(.settled(settled))
        }
    }

    /// Runs the claim loop until the worker drains and all attempts have finished.
    ///
    /// A drain that takes longer than ``WorkerConfiguration/drainDuration`` cancels the attempts that run, and a claim
    /// on its way.
    private func runUntilDrained(_ loop: ClaimLoop) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: pool.executor) { await loop.run() }
            group.addTask {
                for await _ in self.untilDraining {}
                try? await Task.sleep(for: self.configuration.drainDuration)
            }
            await group.next()
            group.cancelAll()
        }
    }
}
