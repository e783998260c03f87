// SPDX-License-Identifier: Apache-2.0

import EventSources
package import Logging
import Postgres
import Synchronization
import Verification

/// Settles finished attempts by group commit: all that have finished make the next batch, as soon as one of its tasks is idle.
///
/// A settlement is sent again until the database answers or its lease is over. A row that can't be written, or is locked, doesn't
/// hold up the others: see ``SettlementBatch``. A settlement that can neither be put off nor leave its order to review ends as
/// `unstorable`. If not even that can be written, it is given up, and its job is rescued when the lease expires.
package final class Settler: Sendable {
    private struct State {
        var backlog = SettlementBacklog()
        var settledBatches = 0
        var idle: [CheckedContinuation<Void, Never>] = []

        /// An idle task to resume, if there is work for it.
        mutating func takeIdle(limit: Int) -> CheckedContinuation<Void, Never>? {
            backlog.hasWork(limit: limit) ? idle.popLast() : nil
        }
    }

    private let store: SettlementStore
    private let configuration: WorkerConfiguration
    private let logger: Logger
    private let metrics: WorkerMetrics?
    private let roomWasMade: @Sendable () -> Void
    private let report: @Sendable (SettlementResult) -> Void
    private let state = Mutex(State())
    /// Ends the wait for more. No task sleeps meanwhile: a batch that fills up is sent at once.
    private let gathering = DeadlineTimer(executor: SerialQueueExecutor(label: "counterfoil.settler"))

    /// - Parameters:
    ///   - roomWasMade: called after each batch, when all of it was reported.
    ///   - report: called once for each settlement that was written or whose lease was lost.
    package init(
        store: SettlementStore, configuration: WorkerConfiguration, logger: Logger, metrics: WorkerMetrics? = nil,
        roomWasMade: @escaping @Sendable () -> Void = {}, report: @escaping @Sendable (SettlementResult) -> Void
    ) {
        self.store = store
        self.configuration = configuration
        self.logger = logger
        self.metrics = metrics
        self.roomWasMade = roomWasMade
        self.report = report
        gathering.setHandler { [weak self] in
            self?.endGathering()
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
                for _ in 0..<max(1, configuration.settlers) {
                    settlers.addTask { await self.settleBatches() }
                }
            }
        } onCancel: {
            finish()
        }
    }

    private func settleBatches() async {
        while !Task.isCancelled {
            switch next() {
            case .batch(let batch):
                await settle(batch)
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

    private func settle(_ batch: [Settlement]) async {
        var parts = [SettlementBatch(batch)]
        var failures = 0
        while let part = await takeNext(of: &parts) {
            let start = ContinuousClock.now
            do {
                let results = try await store.settle(part.settlements)
                metrics?.settled(results, in: start.duration(to: .now))
                state.withLock { $0.settledBatches += 1 }
                for result in results {
                    report(result)
                }
                failures = 0
            } catch {
                let fault = SettlementFault(error)
                let settled = state.withLock(\.settledBatches)
                let holdsUpOthers = part.holdsUpOthers(after: fault, settled: settled)
                switch part.next(after: fault, settled: settled, now: .now) {
                case .sendAgain(var again):
                    metrics?.settlementFailed()
                    again.settlements = stillLeased(again.settlements)
                    guard !again.settlements.isEmpty, !Task.isCancelled else { continue }
                    logger.warning(
                        "could not settle; trying again",
                        metadata: ["jobs": "\(again.settlements.count)", "error": "\(error)"])
                    if holdsUpOthers {
                        failures += 1
                        await pause(after: failures)
                        again.waitsUntil = .now
                    } else {
                        again.waitsUntil = .now + delay(after: again.refusals)
                    }
                    parts.append(again)
                case .split(let halves):
                    parts += halves
                    if holdsUpOthers {
                        failures += 1
                        await pause(after: failures)
                    }
                case .putOff(let refused, let why):
                    parts.append(SettlementBatch([putOff(refused, why)]))
                case .discard(let refused, let why):
                    parts.append(SettlementBatch([discard(refused, why)]))
                case .giveUp(let refused, let why):
                    logger.error(
                        "an attempt can't be written at all; its lease will run out",
                        metadata: ["job.id": "\(refused.job.id.rawValue)", "error": "\(why)"])
                    giveUp([refused])
                }
            }
        }
    }

    /// Takes the part that may be sent first, and waits for its time. In turn: one that has to be sent again comes after the others.
    private func takeNext(of parts: inout [SettlementBatch]) async -> SettlementBatch? {
        guard let next = parts.indices.min(by: { parts[$0].waitsUntil < parts[$1].waitsUntil }) else { return nil }
        let part = parts.remove(at: next)
        if part.waitsUntil > .now { try? await Task.sleep(until: part.waitsUntil) }
        return part
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

    /// The settlement in place of one that the database refuses. Its job waits until an operator mends the cause; in the end its
    /// order goes to review, its payments unclaimed. See ``RetryPolicy/decideRefusedSettlement(attempt:age:)``.
    private func putOff(_ settlement: Settlement, _ message: String) -> Settlement {
        let job = settlement.job
        logger.error(
            "the database refused a settlement; is a trigger of the shop failing?",
            metadata: [
                "job.id": "\(job.id.rawValue)", "order.id": "\(job.order.id.rawValue)", "error": "\(message)",
            ])
        let decision = configuration.retry.decideRefusedSettlement(attempt: job.attempt, age: job.age)
        guard case .end(_, let reason) = decision else {
            return Settlement(
                job, Settlement.Action(decision, lane: nil), message: message, proofKind: settlement.proofKind,
                environment: settlement.environment)
        }
        let payments = settlement.candidates.map(\.transaction).filter { !$0.isRefunded }
            .map { UnclaimedTransaction($0, reason: reason) }
        return Settlement(
            job, .end(.review(reason, settlement.candidates.first?.transaction.id)), message: message,
            proofKind: settlement.proofKind, environment: settlement.environment,
            // Revocations are left out: a trigger on them may be what fails. The proof is kept, and shows them again.
            unclaimed: settlement.unclaimed + payments)
    }

    /// The settlement in place of one that the database refuses although its job was put off, or its order left to review.
    private func discard(_ settlement: Settlement, _ message: String) -> Settlement {
        let job = settlement.job
        logger.error(
            "the database refused even a review; the job is discarded, and only its proof keeps the payment",
            metadata: [
                "job.id": "\(job.id.rawValue)", "order.id": "\(job.order.id.rawValue)", "error": "\(message)",
            ])
        return Settlement(
            job, Settlement.Action(configuration.retry.decideUnstorable(), lane: nil), message: message,
            proofKind: settlement.proofKind, environment: settlement.environment)
    }
}
