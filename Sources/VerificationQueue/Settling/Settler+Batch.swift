// SPDX-License-Identifier: Apache-2.0

import Logging
import Synchronization
import Verification

/// Batches until the database has answered for each of its settlements, or their leases are over.
extension Settler {
    /// - Parameter failures: how often in a row the server failed this task, which pauses the longer after each.
    func settle(_ batches: [SettlementBatch], failures: inout Int) async {
        var parts = batches
        while !parts.isEmpty {
            let part = parts.removeFirst()
            let start = ContinuousClock.now
            let step: SettlementBatch.Step
            do {
                let (results, left) =
                    switch part.path {
                    case .short: try await store.grantFirst(part.settlements)
                    case .careful: try await store.settle(part.settlements, locksOrders: part.locksOrders)
                    }
                metrics?.settled(results, by: part.path, in: start.duration(to: .now))
                // A batch that was locked as a whole says nothing of the server.
                if !results.isEmpty { state.withLock { $0.settledBatches += 1 } }
                for result in results {
                    report(result)
                }
                failures = 0
                guard !left.isEmpty else { continue }
                step = part.next(afterLeaving: left, now: .now)
            } catch {
                let fault = SettlementFault(error)
                let settled = state.withLock(\.settledBatches)
                step = part.next(after: fault, settled: settled, now: .now)
                // Somebody else's lock is no failure.
                if part.fallsOut(after: fault) {
                    logger.debug(
                        "settling by the careful path", metadata: ["jobs": "\(part.settlements.count)", "error": "\(error)"])
                } else if case .lock = fault {
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
