// SPDX-License-Identifier: Apache-2.0

import EventSources
package import Logging
import Synchronization

/// Settles finished attempts by group commit: all that have finished make the next batch, as soon as one of its tasks is idle.
///
/// A settlement is sent again until the database answers or its lease is over. A row that can't be written, or is locked, doesn't
/// hold up the others: see ``SettlementBatch``. Settlements that were refused, or wait for somebody else's lock, are settled apart,
/// by a task of their own. One that can neither be put off nor leave its order to review ends as `unstorable`. If not even that
/// can be written, it is given up, and its job is rescued when the lease expires.
package final class Settler: Sendable {
    struct State {
        var backlog = SettlementBacklog()
        var settledBatches = 0
        var idle: [CheckedContinuation<Void, Never>] = []
        var apart = SettlementsApart()
        /// The task that settles apart, while it waits for work, or for the time of what there is.
        var waitingApart: CheckedContinuation<Void, Never>?

        /// An idle task to resume, if there is work for it.
        mutating func takeIdle(limit: Int) -> CheckedContinuation<Void, Never>? {
            backlog.hasWork(limit: limit) ? idle.popLast() : nil
        }
    }

    let store: SettlementStore
    let configuration: WorkerConfiguration
    let replacing: ReplacedSettlements
    let logger: Logger
    let metrics: WorkerMetrics?
    let roomWasMade: @Sendable () -> Void
    let fellApart: @Sendable (_ jobs: Int) -> Void
    let report: @Sendable (SettlementResult) -> Void
    let state = Mutex(State())
    /// Ends the wait for more. No task sleeps meanwhile: a batch that fills up is sent at once.
    private let gathering = DeadlineTimer(executor: SerialQueueExecutor(label: "counterfoil.settler"))
    /// Ends the pause of what is settled apart.
    let pausing = DeadlineTimer(executor: SerialQueueExecutor(label: "counterfoil.settler"))

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
                state.withLock { $0.apart.begin(tasks: tasks) }
                for _ in 0..<tasks {
                    settlers.addTask {
                        await self.settleBatches()
                        self.state.withLock { $0.apart.endTask() }
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
                await settle(SettlementBatch.batches(of: batch), failures: &failures)
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
}
