// SPDX-License-Identifier: Apache-2.0

import Verification

/// Finished attempts that wait for their settlement, and which of them go together. A value without I/O.
///
/// A batch holds each order and each payment at most once, so that no statement of it meets a row twice; what would be the
/// second waits for the next batch.
package struct SettlementBacklog: Sendable {
    /// Payments that one batch may touch at most, unless it is a single proof's: each takes a place in the server's table
    /// of locks until the commit.
    package static let paymentsInABatch = 500

    private var waiting: [Settlement] = []

    package init() {}

    package var count: Int { waiting.count }

    package mutating func add(_ settlement: Settlement) {
        waiting.append(settlement)
    }

    /// Takes the oldest that fit together, at most `limit`.
    package mutating func takeBatch(limit: Int) -> [Settlement] {
        var batch: [Settlement] = []
        var left: [Settlement] = []
        var orders = Set<OrderID>(minimumCapacity: min(limit, waiting.count))
        // Without app and environment: that two of them have the same key is rare, and costs one of them a batch.
        var payments = Set<GrantKey>(minimumCapacity: min(limit, waiting.count))
        var touched = 0
        var seen = 0
        for settlement in waiting {
            touched += settlement.payments
            guard batch.count < limit, batch.isEmpty || touched <= Self.paymentsInABatch else { break }
            seen += 1
            let candidates = settlement.candidates
            if orders.contains(settlement.job.order.id) || candidates.contains(where: { payments.contains($0.key) }) {
                left.append(settlement)
                continue
            }
            orders.insert(settlement.job.order.id)
            for candidate in candidates {
                payments.insert(candidate.key)
            }
            batch.append(settlement)
        }
        waiting.replaceSubrange(..<seen, with: left)
        return batch
    }
}
