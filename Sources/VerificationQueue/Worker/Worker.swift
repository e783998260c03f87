// SPDX-License-Identifier: Apache-2.0

import EventSources
import FoundationEssentials
package import Logging
package import Postgres
import ServiceLifecycle
import Synchronization
package import Verification

/// Claims jobs for its free slots, executes them, settles what they found, and drains when it is asked to.
///
/// A worker keeps nothing that would be lost with it: what it had claimed is available again once its leases run out. A
/// database that is away is waited for; it never ends the worker.
package final class Worker: Service {
    struct Control {
        var isDraining = false
        /// What the last claim left, when it took all it could and there may be more; nil: there was no more.
        var leftover: ClaimLeftover?
        var probes: [GateStore.Probe] = []
        var settler: Settler?
        var keeper: GateKeeper?
        var queueReadAt: ContinuousClock.Instant?
    }

    /// Attempts of a claim that wait for nobody run on so many threads: one for every two processors, as each more costs its
    /// wake-up and the next claim brings its own.
    private static let threads = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)

    let pool: PostgresPool
    let verifier: any TransactionVerifier
    let configuration: WorkerConfiguration
    let identity: WorkerIdentity
    private let clock: DatabaseClock
    let logger: Logger
    private let isolate: (@Sendable (Job) async -> IsolatedAttempt)?
    let observe: (@Sendable (WorkerEvent) -> Void)?
    let metrics: WorkerMetrics?
    private let limits: WorkerHealth.Limits
    let progress = Mutex(WorkerProgress(at: .now))
    let inFlight = InFlight()
    let control = Mutex(Control())
    let schedule = Mutex(ClaimPlanner())
    /// Ends when the worker is asked to drain.
    private let untilDraining: AsyncStream<Void>
    private let beginDraining: AsyncStream<Void>.Continuation
    /// Of several wake-ups that come before a claim, the first is kept.
    private let wakeUps: AsyncStream<WakeUp>
    let wakeUp: AsyncStream<WakeUp>.Continuation
    /// Wakes the worker when a claim has become worth its cost.
    private let claimTimer: DeadlineTimer
    /// Yields once, after the first claim that the database answered; ends when the worker does.
    package let readiness: AsyncStream<Void>
    private let becameReady: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - clock: is set by each claim, before its attempts begin; for the verifier, which tells Apple the time.
    ///   - isolate: attempts a job in a process of its own, which settles it; nil attempts every job here.
    ///   - metrics: what it counts and measures into; nil where nobody reads that.
    ///   - observe: called with each event; must be quick. Nil where nobody waits for events.
    package init(
        pool: PostgresPool, verifier: any TransactionVerifier, configuration: WorkerConfiguration,
        identity: WorkerIdentity, clock: DatabaseClock = DatabaseClock(), logger: Logger,
        isolate: (@Sendable (Job) async -> IsolatedAttempt)? = nil,
        metrics: WorkerMetrics? = nil, observe: (@Sendable (WorkerEvent) -> Void)? = nil
    ) {
        self.pool = pool
        self.verifier = metrics.map { MeasuredVerifier(verifier: verifier, metrics: $0.calls) } ?? verifier
        self.metrics = metrics
        limits = WorkerHealth.Limits(configuration)
        self.configuration = configuration
        self.identity = identity
        self.clock = clock
        self.logger = logger
        self.isolate = isolate
        self.observe = observe
        (untilDraining, beginDraining) = AsyncStream.makeStream()
        (wakeUps, wakeUp) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
        claimTimer = DeadlineTimer(executor: pool.executor)
        claimTimer.setHandler { [wakeUp] in wakeUp.yield(.timer) }
        (readiness, becameReady) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// How the worker is doing at this moment.
    package func snapshot() -> WorkerSnapshot {
        let progress = progress.withLock { $0 }
        let (settler, keeper, queueReadAt) = control.withLock { ($0.settler, $0.keeper, $0.queueReadAt) }
        return WorkerSnapshot(
            progress: progress, slots: configuration.slots, running: inFlight.running.total,
            unsettled: settler?.unsettled ?? 0, proofBytes: inFlight.proofBytes, connections: pool.connections,
            gates: keeper?.cache.gates ?? [], queueReadAt: queueReadAt,
            health: WorkerHealth(of: progress, limits: limits, at: .now))
    }

    /// Brings the gauges up to date, but for those that ``WorkerConfiguration/measureInterval`` is for.
    ///
    /// - Parameter timestamp: turns an instant into seconds since 1970.
    package func updateGauges(timestamp: (ContinuousClock.Instant) -> Double) {
        metrics?.gauges.set(snapshot(), timestamp: timestamp)
    }

    /// A hint that there may be work. Nothing depends on it: the poll timer alone must do.
    package func wake() {
        wakeUp.yield(.notified)
    }

    /// Stops claiming; ``run()`` returns when what runs is settled or released.
    package func drain() {
        control.withLock { $0.isDraining = true }
        progress.withLock { $0.enter(.draining, at: .now) }
        beginDraining.finish()
        wakeUp.finish()
    }

    /// Works until it is drained (also by a graceful shutdown of its service group) or cancelled.
    ///
    /// - Throws: ``SchemaMigrator/Problem`` when the schema doesn't fit this program, and ``PostgresError`` when the
    ///   database refuses this worker for good at the start.
    package func run() async throws {
        defer { becameReady.finish() }
        try await withGracefulShutdownHandler {
            guard let worker = try await start() else { return }
            await work(as: worker)
            try? await WorkerStore(pool: pool, identity: identity).remove(worker)
            logger.notice("worker stopped", metadata: ["worker.id": "\(worker.rawValue)"])
        } onGracefulShutdown: {
            self.drain()
        }
    }

    var isDraining: Bool {
        control.withLock { $0.isDraining } || Task.isCancelled
    }

    // MARK: Start

    /// Waits for the database, checks its schema and registers; nil when it was drained before that came about.
    private func start() async throws -> WorkerID? {
        var failures = 0
        while !isDraining {
            progress.withLock { $0.lastRound = .now }
            do {
                try await pool.withConnection(timeout: .seconds(5)) { connection in
                    try await SchemaMigrator(logger: self.logger).check(connection)
                }
                let worker = try await WorkerStore(pool: pool, identity: identity).register(slots: configuration.slots)
                logger.notice(
                    "worker started",
                    metadata: ["worker.id": "\(worker.rawValue)", "slots": "\(configuration.slots)"])
                return worker
            } catch let error as PostgresError where Self.isWorthWaiting(error) {
                if failures % 10 == 0 {
                    logger.warning("waiting for the database", metadata: ["error": "\(error)"])
                }
                failures += 1
                try? await Task.sleep(for: .milliseconds(Int.random(in: 100...500)))
            }
        }
        return nil
    }

    /// Whether the database may come round by itself.
    static func isWorthWaiting(_ error: PostgresError) -> Bool {
        switch error.kind {
        case .decoding, .encoding, .protocolViolation, .closed: false
        case .server: error.isConnectionLoss || error.mayPass
        default: !error.isRefusal
        }
    }

    // MARK: Work

    private func work(as worker: WorkerID) async {
        let settler = Settler(
            store: SettlementStore(pool: pool, workerID: worker), configuration: configuration, logger: logger,
            metrics: metrics, roomWasMade: { [weak self] in self?.roomWasMade() }
        ) { [inFlight, observe, logger, lease = configuration.leaseDuration] settled in
            inFlight.settle(settled.settlement.job)
            settled.log(to: logger, lease: lease)
            observe?(.settled(settled))
        }
        let keeper = GateKeeper(
            store: GateStore(pool: pool), configuration: configuration, name: identity.name, logger: logger)
        control.withLock { ($0.settler, $0.keeper) = (settler, keeper) }
        progress.withLock { progress in
            if progress.phase == .waitingForDatabase { progress.enter(.working, at: .now) }
        }
        await withTaskGroup(of: Void.self) { group in
            // Settlements and claims run where the database's answers come, attempts elsewhere.
            group.addTask(executorPreference: pool.executor) { await settler.run() }
            await withTaskGroup(of: Void.self) { chores in
                chores.addTask { await self.tendGates(keeper) }
                chores.addTask { await self.rescue() }
                chores.addTask { await self.beat(worker) }
                chores.addTask { await self.maintain() }
                chores.addTask { await self.rollUp() }
                chores.addTask { await self.tick() }
                if let metrics {
                    chores.addTask { await self.measure(metrics) }
                }
                await self.executeUntilDrained(worker, settler, keeper)
                chores.cancelAll()
            }
            settler.finish()
            // Whatever can't be settled by then keeps its lease and is rescued when that runs out.
            group.addTask { try? await Task.sleep(for: .seconds(10)) }
            await group.next()
            group.cancelAll()
        }
    }

    /// Claims and executes until drained; then waits for what runs, and cancels what runs for too long after that was asked for, a
    /// claim on its way too.
    private func executeUntilDrained(_ worker: WorkerID, _ settler: Settler, _ keeper: GateKeeper) async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask(executorPreference: pool.executor) {
                await withDiscardingTaskGroup { executions in
                    await self.claim(worker, settler, keeper, &executions)
                }
            }
            group.addTask {
                for await _ in self.untilDraining {}
                try? await Task.sleep(for: self.configuration.drainDuration)
            }
            await group.next()
            group.cancelAll()
        }
    }

    private func claim(
        _ worker: WorkerID, _ settler: Settler, _ keeper: GateKeeper, _ executions: inout DiscardingTaskGroup
    ) async {
        let jobs = JobStore(pool: pool)
        let executor = AttemptRunner(verifier: verifier, gates: keeper.cache, pool: pool, retry: configuration.retry)
        var failures = 0
        var wakeUps = wakeUps.makeAsyncIterator()
        var reason = WakeUp.polled

        while !isDraining {
            progress.withLock { $0.lastRound = .now }
            for probe in takeProbes() {
                await start(probe, worker, jobs, executor, settler, keeper, &executions)
                progress.withLock { $0.lastRound = .now }
            }
            let began = ContinuousClock.now
            let free = freeSlots(settler)
            let limit = min(free, configuration.claimBatch)
            let bytes = configuration.proofBytes - inFlight.proofBytes
            let lanes = keeper.lanesToClaim
            let limits = keeper.limits(of: lanes, executor.rateLimiter)
            let plan = schedule.withLock {
                $0.plan(
                    lanes: lanes, running: inFlight.running.byLane, worthRunning: limits, slots: configuration.slots,
                    limit: limit)
            }
            // Without a lane to look into it claims all the same: readiness and health stand on the database's answer.
            let looksNowhere = lanes.isEmpty && keeper.cache.isRead && limit > 0
            guard !plan.isEmpty || looksNowhere, bytes > 0 else {
                // With slots but no lane that may have them, some of those must come free that are taken.
                let unusable = bytes > 0 ? max(0, free) : 0
                control.withLock { $0.leftover = ClaimLeftover(unusable: unusable, began: began) }
                observe?(.foundNoRoom(for: reason))
                reason = await wakeUps.next() ?? reason
                continue
            }
            // What comes free meanwhile is looked at afterwards.
            control.withLock { $0.leftover = nil }
            claimTimer.schedule(at: nil)
            do {
                let claimed = try await jobs.claim(
                    plan, worker: worker, proofBytes: bytes, lease: configuration.leaseDuration)
                failures = 0
                noteClaim(claimed.count, from: began, to: .now)
                schedule.withLock { $0.note(claimed.lazy.map { ($0.job.lane, $0.priority, $0.runAt) }, of: plan) }
                let bytesTaken = start(claimed.map(\.job), executor, settler, keeper, &executions)
                // Of its count or of its bytes it took all it could, or of a lane all that this may hold.
                var leftover: ClaimLeftover?
                if claimed.count >= limit || bytesTaken >= bytes {
                    leftover = ClaimLeftover(unusable: 0, began: began)
                } else if plan.heldBack(claimed.lazy.map(\.job.lane)) {
                    leftover = ClaimLeftover(unusable: free - claimed.count, began: began)
                }
                control.withLock { $0.leftover = leftover }
                observe?(.claimed(jobs: claimed.count, for: reason))
                if isTimeToClaim(leftover, settler) {
                    reason = .roomMade
                } else {
                    reason = await wakeUps.next() ?? reason
                }
            } catch {
                metrics?.claimFailed()
                progress.withLock { $0.claimFailed(at: .now) }
                observe?(.claimFailed(for: reason))
                // A drain gives up a claim that takes too long.
                if failures == 0, !Task.isCancelled {
                    logger.warning("could not claim; trying again", metadata: ["error": "\(error)"])
                }
                failures += 1
                var generator = SystemRandomNumberGenerator()
                let backoff = Backoff(base: .milliseconds(50), cap: .seconds(1))
                try? await Task.sleep(for: backoff.delay(afterAttempt: failures, using: &generator))
            }
        }
        // Others may make these probes, and at once.
        for probe in takeProbes() { await keeper.end(probe, with: nil) }
    }

    private func noteClaim(_ jobs: Int, from began: ContinuousClock.Instant, to ended: ContinuousClock.Instant) {
        let isFirst = progress.withLock { progress in
            defer { progress.claimAnswered(at: ended) }
            return progress.lastClaim == nil
        }
        if isFirst { becameReady.yield() }
        metrics?.claimed(jobs, in: began.duration(to: ended))
    }

    /// Slots that may be filled now. Attempts that wait for their settlement count against them beyond a measure, so that
    /// a worker that can't settle stops claiming.
    private func freeSlots(_ settler: Settler) -> Int {
        let running = inFlight.running.total
        let backlog = max(configuration.slots, 2 * configuration.settlementBatch)
        return min(configuration.slots - running, configuration.slots + backlog - running - settler.unsettled)
    }

    /// Whether another claim is worth its cost by now. If it will be with the room that there is, the worker is woken then.
    private func isTimeToClaim(_ leftover: ClaimLeftover?, _ settler: Settler) -> Bool {
        let time = leftover?.nextClaim(
            free: freeSlots(settler), slots: configuration.slots, batch: configuration.claimBatch)
        guard let time else { return false }
        if time <= .now { return true }
        claimTimer.schedule(at: time)
        return false
    }

    private func takeProbes() -> [GateStore.Probe] {
        control.withLock { control in
            defer { control.probes = [] }
            return control.probes
        }
    }

    // MARK: Execution

    /// Executes jobs side by side. Where they wait for an answer of Apple's they run on the threads that answers come on. The
    /// others are spread over ``threads``, begin on the thread of those before them and leave it when they first wait: an
    /// attempt that needs nobody's answer costs no change of threads.
    ///
    /// - Parameter probe: what the jobs, of which there is one then, are to find out.
    /// - Returns: the bytes of their proofs.
    @discardableResult
    private func start(
        _ jobs: [Job], _ executor: AttemptRunner, _ settler: Settler, _ keeper: GateKeeper, probe: GateStore.Probe? = nil,
        _ executions: inout DiscardingTaskGroup
    ) -> Int {
        let proofBytes = inFlight.start(jobs)
        if let time = jobs.first?.claimedAt { clock.follow(time) }
        let callers = verifier.callExecutors
        var here: [Job] = []
        for (place, job) in jobs.enumerated() {
            if callers.isEmpty || keeper.cache[job.lane]?.endpoint.route == .local {
                here.append(job)
            } else {
                executions.addTask(executorPreference: callers[place % callers.count]) {
                    await self.run(job, executor, settler, keeper, probe: probe)
                }
            }
        }
        let parts = min(here.count, Self.threads)
        for part in 0..<parts {
            let jobs = here[(here.count * part / parts)..<(here.count * (part + 1) / parts)]
            executions.addTask(executorPreference: globalConcurrentExecutor) {
                await withDiscardingTaskGroup { attempts in
                    for job in jobs {
                        attempts.addImmediateTask {
                            await self.run(job, executor, settler, keeper, probe: probe)
                        }
                    }
                }
            }
        }
        return proofBytes
    }

    private func run(
        _ job: Job, _ executor: AttemptRunner, _ settler: Settler, _ keeper: GateKeeper, probe: GateStore.Probe?
    ) async {
        let attempt = await execute(job, executor)
        if let attempt {
            settler.add((probe.map { attempt.probing($0.lane) } ?? attempt).settlement)
        } else {
            // Its own process settled it.
            inFlight.settle(job)
        }
        inFlight.finish(job)
        roomWasMade()
        // Its own process has ended its probe as well.
        guard let attempt else { return }
        if let probe {
            await keeper.end(probe, with: attempt)
        } else if !attempt.calls.isEmpty {
            await keeper.record(attempt)
        }
    }

    private func execute(_ job: Job, _ executor: AttemptRunner) async -> Attempt? {
        let deadline = min(.now + configuration.attemptDeadline, job.leaseEnds - .seconds(1))
        guard let isolate, job.rescues >= configuration.rescuesBeforeIsolation else {
            return await executor.attempt(job, deadline: deadline)
        }
        guard inFlight.takeIsolation(limit: configuration.isolatedAttempts) else {
            return Attempt(
                settlement: Settlement(
                    job, .keep(.snooze(for: .seconds(1)), nil, lane: nil),
                    message: "waits for a process of its own"),
                calls: [])
        }
        defer { inFlight.returnIsolation() }
        let isolated = await isolate(job)
        metrics?.isolated(isolated)
        switch isolated {
        case .settled:
            return nil
        case .handedBack:
            return Attempt(
                settlement: Settlement(
                    job, .keep(.snooze(for: .seconds(1)), nil, lane: nil), message: "handed back by its own process"),
                calls: [])
        case .crashed(let how):
            return Attempt(settlement: settlement(of: job, crashedBy: how), calls: [])
        }
    }

    /// A crash that a job suffered alone counts towards its end.
    private func settlement(of job: Job, crashedBy how: String) -> Settlement {
        let message = "its own process ended: \(how)"
        logger.error("an attempt crashed alone", metadata: ["job.id": "\(job.id.rawValue)", "how": "\(how)"])
        let reason = Reason.crashedRepeatedly
        guard job.crashes + 1 < configuration.crashLimit else {
            return Settlement(job, .discard(reason, lane: nil), message: message, crashed: true)
        }
        var generator = SystemRandomNumberGenerator()
        let delay = configuration.retry.backoff.delay(afterAttempt: job.attempt, using: &generator)
        return Settlement(job, .keep(.retry(after: delay), nil, lane: nil), message: message, crashed: true)
    }

    private func start(
        _ probe: GateStore.Probe, _ worker: WorkerID, _ jobs: JobStore, _ executor: AttemptRunner, _ settler: Settler,
        _ keeper: GateKeeper, _ executions: inout DiscardingTaskGroup
    ) async {
        if probe.closedBy == .configuration {
            verifier.reloadCredentials()
        }
        let plan = ClaimPlanner.Plan(
            lanes: [probe.lane], quotas: [1],
            lowWaterMarks: Array(repeating: .distantPast, count: ClaimPlanner.priorities), limit: 1)
        let claimed = try? await jobs.claim(
            plan, worker: worker, proofBytes: configuration.proofBytes, lease: configuration.leaseDuration,
            probing: probe.lane)
        if let job = claimed?.first?.job {
            start([job], executor, settler, keeper, probe: probe, &executions)
        } else {
            await keeper.end(probe, with: nil)
        }
    }

    /// Claims may have waited for it: for a slot, for room among the unsettled attempts, or for bytes of proofs.
    private func roomWasMade() {
        let (leftover, settler) = control.withLock { ($0.leftover, $0.settler) }
        guard let settler, isTimeToClaim(leftover, settler) else { return }
        wakeUp.yield(.roomMade)
    }
}
