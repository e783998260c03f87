// SPDX-License-Identifier: Apache-2.0

import Verification

/// Finished attempts that wait for their settlement, which of them go together, and when. A value without I/O.
///
/// A batch holds each order at most once, and grants of each original transaction one at most: two transactions of it may be one
/// payment, and a statement sees what another one wrote. What would be the second waits for the next batch.
package struct SettlementBacklog: Sendable {
    /// What one of the settlements that share a backlog does next.
    package enum Step: Sendable {
        case batch([Settlement])
        /// More may come: it sees to it that ``endGathering()`` is called after a while, and asks again.
        case gather
        /// It waits until ``hasWork(limit:)``.
        case wait
        case end
    }

    /// A batch of more is a sign of load.
    private static let fewAttempts = 3

    /// Payments that one batch may touch at most, unless it is a single proof's: each takes a place in the server's table
    /// of locks until the commit.
    package static let paymentsInABatch = 500

    private var waiting: [Settlement] = []
    private var isFinished = false
    /// Under load it pays to wait for more.
    private var isBusy = false
    /// More is waited for; what wouldn't fill a batch is left until then.
    private var isGathering = false

    package init() {}

    package var count: Int { waiting.count }

    package mutating func add(_ settlement: Settlement) {
        waiting.append(settlement)
    }

    /// Nothing is waited for any more.
    package mutating func finish() {
        isFinished = true
    }

    /// Whether there is something to do for one that does nothing.
    package func hasWork(limit: Int) -> Bool {
        isFinished || count >= limit || count > 0 && !isGathering
    }

    /// - Parameter limit: the most attempts of a batch. So many don't wait for more.
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

    /// What came meanwhile goes out.
    package mutating func endGathering() {
        isGathering = false
        isBusy = false
    }

    /// Takes the oldest that fit together, at most `limit`.
    package mutating func takeBatch(limit: Int) -> [Settlement] {
        var batch: [Settlement] = []
        var left: [Settlement] = []
        var orders = Set<OrderID>(minimumCapacity: min(limit, waiting.count))
        // Without app and environment: that two of them have the same id is rare, and costs one of them a batch.
        var payments = Set<TransactionID>(minimumCapacity: min(limit, waiting.count))
        var touched = 0
        var seen = 0
        for settlement in waiting {
            touched += settlement.payments
            guard batch.count < limit, batch.isEmpty || touched <= Self.paymentsInABatch else { break }
            seen += 1
            let candidates = settlement.candidates
            // What comes later of an order that is left out is left out as well: its turn stays.
            guard
                orders.insert(settlement.job.order.id).inserted,
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
