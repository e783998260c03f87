// SPDX-License-Identifier: Apache-2.0

import EventSources
package import Logging
import Postgres
import Synchronization
import Verification

/// Settles finished attempts by group commit: whatever has finished goes out together, as soon as a settlement is free.
///
/// A settlement is sent again until the database answers or its lease is over. One row that can't be written, or that somebody
/// has locked, doesn't hold up the others: see ``SettlementBatch``. What can't be written even as put off is given up, and rescued
/// when its lease runs out.
package final class Settler: Sendable {
    private struct State {
        var backlog = SettlementBacklog()
        var inFlight = 0
        var settledBatches = 0
        var idle: [CheckedContinuation<Void, Never>] = []

        /// One that does nothing, to be resumed, if there is something to do for it.
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
    /// Ends the wait for more. Nobody sleeps over it: what fills a batch meanwhile goes out at once.
    private let gathering = DeadlineTimer(executor: SerialQueueExecutor(label: "counterfoil.settler"))

    /// - Parameters:
    ///   - roomWasMade: called after each batch, when ``unsettled`` no longer counts it.
    ///   - report: called once for each settlement that was carried out or found its lease lost.
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

    /// Attempts that have finished and aren't settled yet.
    package var unsettled: Int {
        state.withLock { $0.backlog.count + $0.inFlight }
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

    /// Settles until ``finish()`` was called and nothing is left, or until it is cancelled: what is left then keeps its
    /// lease and is rescued when that runs out.
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
                state.withLock { $0.inFlight -= batch.count }
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
        // What doesn't fit into a batch needn't wait for its end: another settler takes it.
        update { state in
            let step = state.backlog.next(limit: configuration.settlementBatch)
            if case .batch(let batch) = step { state.inFlight += batch.count }
            return step
        }
    }

    private func endGathering() {
        update { $0.backlog.endGathering() }
    }

    /// Changes what waits, and lets an idle settler see to what there is to do then.
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
        // In turn: what has to be sent again waits behind the others.
        var parts = [SettlementBatch(batch)]
        var failures = 0
        while !parts.isEmpty {
            let part = parts.removeFirst()
            let start = ContinuousClock.now
            do {
                let batch = try await store.settle(part.settlements)
                metrics?.settled(batch, in: start.duration(to: .now))
                state.withLock { $0.settledBatches += 1 }
                for settled in batch {
                    report(settled)
                }
                failures = 0
            } catch {
                let fault = SettlementFault(error)
                switch part.next(after: fault, settled: state.withLock(\.settledBatches), now: .now) {
                case .sendAgain(var again):
                    metrics?.settlementFailed()
                    failures += 1
                    again.settlements = stillLeased(again.settlements)
                    guard !again.settlements.isEmpty, !Task.isCancelled else { continue }
                    logger.warning(
                        "could not settle; trying again",
                        metadata: ["jobs": "\(again.settlements.count)", "error": "\(error)"])
                    parts.append(again)
                    await pause(after: failures)
                case .split(let halves):
                    parts += halves
                    // It may be the server that ails.
                    if case .ofTheMoment = fault {
                        failures += 1
                        await pause(after: failures)
                    }
                case .putOff(let refused, let why):
                    parts.append(SettlementBatch([putOff(refused, why)]))
                case .giveUp(let refused, let why):
                    logger.error(
                        "an attempt can't be written at all; its lease will run out",
                        metadata: ["job.id": "\(refused.job.id.rawValue)", "error": "\(why)"])
                    giveUp([refused])
                }
            }
        }
    }

    private func pause(after failures: Int) async {
        var generator = SystemRandomNumberGenerator()
        let backoff = Backoff(base: .milliseconds(20), cap: .milliseconds(500))
        try? await Task.sleep(for: backoff.delay(afterAttempt: failures, using: &generator))
    }

    /// Those whose leases may still be held; the others are given up, since whoever rescues them does them again.
    private func stillLeased(_ settlements: [Settlement]) -> [Settlement] {
        let now = ContinuousClock.now
        let lost = settlements.filter { $0.job.leaseEnds <= now }
        guard !lost.isEmpty else { return settlements }
        logger.warning("gave up settling attempts whose leases ran out", metadata: ["jobs": "\(lost.count)"])
        giveUp(lost)
        return settlements.filter { $0.job.leaseEnds > now }
    }

    /// Whoever rescues these does them again; here they are over.
    private func giveUp(_ settlements: [Settlement]) {
        metrics?.leasesLost(settlements.count)
        for settlement in settlements {
            report(SettlementResult(settlement: settlement, result: .leaseLost))
        }
    }

    /// A job whose settlement is refused waits for a person to mend what refuses it; in the end its order is left to one, its
    /// payment unclaimed. See ``RetryPolicy/decideRefusedSettlement(attempt:age:)``.
    private func putOff(_ settlement: Settlement, _ message: String) -> Settlement {
        logger.error(
            "the database refused a settlement; is a trigger of the shop failing?",
            metadata: [
                "job.id": "\(settlement.job.id.rawValue)", "order.id": "\(settlement.job.order.id.rawValue)",
                "error": "\(message)",
            ])
        let decision = configuration.retry.decideRefusedSettlement(
            attempt: settlement.job.attempt, age: settlement.job.age)
        let reason = decision.reason
        guard decision.disposition == .complete else {
            return Settlement(
                settlement.job, .keep(decision.disposition, decision.outcome, lane: nil), reason: reason,
                message: message, proofKind: settlement.proofKind, environment: settlement.environment)
        }
        let payments = settlement.candidates.map(\.transaction).filter { $0.revocationDate == nil }
            .map { UnclaimedTransaction($0, reason: reason) }
        return Settlement(
            settlement.job, .end(.review(reason, settlement.candidates.first?.transaction.id)), reason: reason,
            message: message, proofKind: settlement.proofKind, environment: settlement.environment,
            // What was taken back is left out: a trigger on revocations may be what fails. The proof is kept, and shows it again.
            unclaimed: settlement.unclaimed + payments)
    }
}
