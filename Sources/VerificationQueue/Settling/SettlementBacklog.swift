// SPDX-License-Identifier: Apache-2.0

import Verification

/// Finished attempts that wait for their settlement: decides which of them make a batch, and when. A value without I/O.
///
/// A batch holds each order at most once, and at most one grant of each original transaction. Two transactions of one original may
/// be the same payment, and a statement doesn't see what itself writes. A second one waits for the next batch.
package struct SettlementBacklog: Sendable {
    /// The next step of one of the tasks that settle batches of a shared backlog.
    package enum Step: Sendable {
        case batch([Settlement])
        /// More may come: the task has ``endGathering()`` called after a while, and asks again.
        case gather
        /// The task waits until ``hasWork(limit:)``.
        case wait
        case end
    }

    /// A larger batch is a sign of load.
    private static let fewAttempts = 3

    /// The most payments of one batch, unless they are a single proof's: the batch holds the rows of all of them until its commit.
    package static let paymentsInABatch = 500

    private var waiting: [Settlement] = []
    private var isFinished = false
    /// Under load it pays to wait for more.
    private var isBusy = false
    /// The backlog waits for more: settlements that wouldn't fill a batch stay until then.
    private var isGathering = false

    package init() {}

    package var count: Int { waiting.count }

    package mutating func add(_ settlement: Settlement) {
        waiting.append(settlement)
    }

    /// No more settlements come.
    package mutating func finish() {
        isFinished = true
    }

    /// Whether there is work for an idle task.
    package func hasWork(limit: Int) -> Bool {
        isFinished || count >= limit || count > 0 && !isGathering
    }

    /// - Parameter limit: the most attempts of a batch. As many as that don't wait for more.
    package mutating func next(limit: Int) -> Step {
        if isFinished, count == 0 { return .end }
        guard hasWork(limit: limit) else { return .wait }
        if isBusy, count < limit, !isFinished {
            isGathering = true
            return .gather
        }
        let batch = takeBatch(limit: limit)
        isBusy = batch.count > Self.fewAttempts
        return .batch(batch)
    }

    /// The settlements that came meanwhile make a batch.
    package mutating func endGathering() {
        isGathering = false
        isBusy = false
    }

    /// Takes the oldest that fit together, at most `limit`.
    package mutating func takeBatch(limit: Int) -> [Settlement] {
        var batch: [Settlement] = []
        var left: [Settlement] = []
        var orders = Set<OrderID>(minimumCapacity: min(limit, waiting.count))
        // Without app and environment: equal ids of two apps are rare, and cost one of the two settlements a batch.
        var payments = Set<TransactionID>(minimumCapacity: min(limit, waiting.count))
        var touched = 0
        var seen = 0
        for settlement in waiting {
            touched += settlement.payments.count
            guard batch.count < limit, batch.isEmpty || touched <= Self.paymentsInABatch else { break }
            seen += 1
            let candidates = settlement.candidates
            // If a settlement is left out, later ones of its order are too: their order stays.
            guard
                settlement.job.orderID.map({ orders.insert($0).inserted }) ?? true,
                !candidates.contains(where: { payments.contains($0.transaction.originalID) })
            else {
                left.append(settlement)
                continue
            }
            for candidate in candidates {
                payments.insert(candidate.transaction.originalID)
            }
            batch.append(settlement)
        }
        waiting.replaceSubrange(..<seen, with: left)
        return batch
    }
}
