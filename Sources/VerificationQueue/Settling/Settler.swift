// SPDX-License-Identifier: Apache-2.0

import EventSources
package import Logging
import Postgres
import Synchronization
import Verification

/// Settles finished attempts by group commit: all that have finished make the next batch, as soon as one of its tasks is idle.
///
/// A settlement is sent again until the database answers or its lease is over. A row that can't be written, or is locked, doesn't
/// hold up the others: see ``SettlementBatch``. Settlements that were refused, or wait for somebody else's lock, are settled apart,
/// by a task of their own. One that can neither be put off nor leave its order to review ends as `unstorable`. If not even that
/// can be written, it is given up, and its job is rescued when the lease expires.
package final class Settler: Sendable {
    private struct State {
        var backlog = SettlementBacklog()
        var settledBatches = 0
        var idle: [CheckedContinuation<Void, Never>] = []
        /// What is settled apart.
        var apart: [SettlementBatch] = []
        /// The task that settles apart, while it waits for work, or for the time of what there is.
        var waitingApart: CheckedContinuation<Void, Never>?
        /// How many tasks still settle batches, which may leave something to be settled apart.
        var tasks = 0

        /// Whether there is nothing left to settle apart, and nothing more comes.
        var isOverApart: Bool { tasks == 0 && apart.isEmpty }

        /// The part that is settled apart next. One that is refused or meets a lock again and again doesn't hold up the others.
        mutating func takeApart(at now: ContinuousClock.Instant) -> SettlementBatch? {
            let due = apart.indices.filter { apart[$0].waitsUntil <= now }
            let next = due.min { (apart[$0].tries, apart[$0].waitsUntil) < (apart[$1].tries, apart[$1].waitsUntil) }
            return next.map { apart.remove(at: $0) }
        }

        /// An idle task to resume, if there is work for it.
        mutating func takeIdle(limit: Int) -> CheckedContinuation<Void, Never>? {
            backlog.hasWork(limit: limit) ? idle.popLast() : nil
        }
    }

    private let store: SettlementStore
    private let configuration: WorkerConfiguration
    private let replacing: ReplacedSettlements
    private let logger: Logger
    private let metrics: WorkerMetrics?
    private let roomWasMade: @Sendable () -> Void
    private let fellApart: @Sendable (_ jobs: Int) -> Void
    private let report: @Sendable (SettlementResult) -> Void
    private let state = Mutex(State())
    /// Ends the wait for more. No task sleeps meanwhile: a batch that fills up is sent at once.
    private let gathering = DeadlineTimer(executor: SerialQueueExecutor(label: "counterfoil.settler"))
    /// Ends the pause of what is settled apart.
    private let pausing = DeadlineTimer(executor: SerialQueueExecutor(label: "counterfoil.settler"))

    /// - Parameters:
    ///   - roomWasMade: called after each batch, when all of it was reported.
    ///   - fellApart: called when a batch is settled one by one from now on.
    ///   - report: called once for each settlement that was written or whose lease was lost.
    package init(
        store: SettlementStore, configuration: WorkerConfiguration, logger: Logger, metrics: WorkerMetrics? = nil,
        roomWasMade: @escaping @Sendable () -> Void = {}, fellApart: @escaping @Sendable (_ jobs: Int) -> Void = { _ in },
        report: @escaping @Sendable (SettlementResult) -> Void
    ) {
        self.store = store
        self.configuration = configuration
        replacing = ReplacedSettlements(retry: configuration.retry, logger: logger)
        self.logger = logger
        self.metrics = metrics
        self.roomWasMade = roomWasMade
        self.fellApart = fellApart
        self.report = report
        gathering.setHandler { [weak self] in
            self?.endGathering()
        }
        pausing.setHandler { [weak self] in
            self?.wakeApart()
        }
    }

    /// Takes an attempt over. Returns at once.
    package func add(_ settlement: Settlement) {
        update { $0.backlog.add(settlement) }
    }

    /// Lets ``run()`` return once everything is settled.
    package func finish() {
        let idle = state.withLock { state in
            state.backlog.finish()
            defer { state.idle = [] }
            return state.idle
        }
        for continuation in idle {
            continuation.resume()
        }
    }

    /// Settles until ``finish()`` was called and nothing is left, or until it is cancelled. The jobs that are left then keep their
    /// leases, and are rescued when those expire.
    package func run() async {
        await withTaskCancellationHandler {
            await withDiscardingTaskGroup { settlers in
                let tasks = max(1, configuration.settlers)
                state.withLock { $0.tasks = tasks }
                for _ in 0..<tasks {
                    settlers.addTask {
                        await self.settleBatches()
                        self.state.withLock { $0.tasks -= 1 }
                        self.wakeApart()
                    }
                }
                settlers.addTask { await self.settleApart() }
            }
        } onCancel: {
            finish()
            wakeApart()
        }
    }

    private func settleBatches() async {
        var failures = 0
        while !Task.isCancelled {
            switch next() {
            case .batch(let batch):
                await settle(SettlementBatch(batch), failures: &failures)
                roomWasMade()
            case .gather:
                gathering.schedule(at: .now + configuration.settlementDelay)
            case .wait:
                await waitForWork()
            case .end:
                return
            }
        }
    }

    private func next() -> SettlementBacklog.Step {
        // Settlements that don't fit into a batch needn't wait for its end: another task takes them.
        update { $0.backlog.next(limit: configuration.settlementBatch) }
    }

    private func endGathering() {
        update { $0.backlog.endGathering() }
    }

    /// Changes the state, and resumes an idle task if there is work for it then.
    private func update<Result>(_ change: (inout State) -> Result) -> Result {
        let (result, idle) = state.withLock { state in
            (change(&state), state.takeIdle(limit: configuration.settlementBatch))
        }
        idle?.resume()
        return result
    }

    private func waitForWork() async {
        await withCheckedContinuation { continuation in
            let hasWork = state.withLock { state in
                if state.backlog.hasWork(limit: configuration.settlementBatch) { return true }
                state.idle.append(continuation)
                return false
            }
            if hasWork {
                continuation.resume()
            }
        }
    }

    // MARK: Apart

    /// Settles one by one what is refused or waits for somebody else's lock, until no task is left that settles batches.
    private func settleApart() async {
        var failures = 0
        while !Task.isCancelled {
            let (part, isOver) = state.withLock { ($0.takeApart(at: .now), $0.isOverApart) }
            if let part {
                await settle(part, failures: &failures)
                roomWasMade()
            } else if isOver {
                return
            } else {
                await waitApart()
            }
        }
    }

    private func waitApart() async {
        await withCheckedContinuation { continuation in
            let (waits, until) = state.withLock { state -> (Bool, ContinuousClock.Instant?) in
                let next = state.apart.map(\.waitsUntil).min()
                if state.isOverApart || Task.isCancelled || next.map({ $0 <= .now }) == true { return (false, nil) }
                state.waitingApart = continuation
                return (true, next)
            }
            if !waits {
                continuation.resume()
            } else if let until {
                pausing.schedule(at: until)
            }
        }
    }

    private func wakeApart() {
        state.withLock { state in
            defer { state.waitingApart = nil }
            return state.waitingApart
        }?.resume()
    }

    private func putApart(_ parts: [SettlementBatch]) {
        state.withLock { $0.apart += parts }
        wakeApart()
    }

    // MARK: A batch

    /// - Parameter failures: how often in a row the server failed this task, which pauses the longer after each.
    private func settle(_ batch: SettlementBatch, failures: inout Int) async {
        var parts = [batch]
        while !parts.isEmpty {
            let part = parts.removeFirst()
            let start = ContinuousClock.now
            let step: SettlementBatch.Step
            do {
                let (results, locked) = try await store.settle(part.settlements, locksOrders: part.locksOrders)
                metrics?.settled(results, in: start.duration(to: .now))
                // A batch that was locked as a whole says nothing of the server.
                if !results.isEmpty { state.withLock { $0.settledBatches += 1 } }
                for result in results {
                    report(result)
                }
                failures = 0
                guard !locked.isEmpty else { continue }
                step = part.next(afterLockOf: locked, now: .now)
            } catch {
                let fault = SettlementFault(error)
                let settled = state.withLock(\.settledBatches)
                step = part.next(after: fault, settled: settled, now: .now)
                // Somebody else's lock is no failure.
                if case .lock = fault {
                    logger.debug("a row is locked", metadata: ["jobs": "\(part.settlements.count)", "error": "\(error)"])
                } else {
                    metrics?.settlementFailed()
                    logger.warning(
                        "could not settle", metadata: ["jobs": "\(part.settlements.count)", "error": "\(error)"])
                }
                if part.holdsUpOthers(after: fault, settled: settled) {
                    failures += 1
                    await pause(after: failures)
                }
            }
            switch step {
            case .sendAgain(var again):
                again.settlements = stillLeased(again.settlements)
                guard !again.settlements.isEmpty, !Task.isCancelled else { continue }
                if again.isApart {
                    again.waitsUntil = .now + delay(after: again.tries)
                }
                if again.isApart || again.waitsUntil > .now {
                    putApart([again])
                } else {
                    parts.append(again)
                }
            case .settleApart(let singles):
                fellApart(singles.count)
                putApart(singles)
            case .putOff(let refused, let why): parts.append(SettlementBatch([replacing.putOff(refused, why)]))
            case .release(let waiting): parts.append(SettlementBatch([replacing.release(waiting)]))
            case .discard(let refused, let why): parts.append(SettlementBatch([replacing.discard(refused, why)]))
            case .giveUp(let refused, let why):
                logger.error(
                    "an attempt can't be written at all; its lease will run out",
                    metadata: ["job.id": "\(refused.job.id.rawValue)", "error": "\(why)"])
                giveUp([refused])
            }
        }
    }

    private func pause(after failures: Int) async {
        try? await Task.sleep(for: delay(after: failures))
    }

    private func delay(after failures: Int) -> Duration {
        var generator = SystemRandomNumberGenerator()
        return Backoff(base: .milliseconds(20), cap: .milliseconds(500)).delay(afterAttempt: failures, using: &generator)
    }

    /// The settlements whose leases may still be held. The others are given up: their jobs are rescued and attempted again.
    private func stillLeased(_ settlements: [Settlement]) -> [Settlement] {
        let now = ContinuousClock.now
        let lost = settlements.filter { $0.job.leaseEnds <= now }
        guard !lost.isEmpty else { return settlements }
        logger.warning("gave up settling attempts whose leases ran out", metadata: ["jobs": "\(lost.count)"])
        giveUp(lost)
        return settlements.filter { $0.job.leaseEnds > now }
    }

    /// The jobs are rescued and attempted again; here they are over.
    private func giveUp(_ settlements: [Settlement]) {
        metrics?.leasesLost(settlements.count)
        for settlement in settlements {
            report(SettlementResult(settlement: settlement, result: .leaseLost))
        }
    }
}
