// SPDX-License-Identifier: Apache-2.0

package import Postgres

/// A worker at one moment.
package struct WorkerSnapshot: Sendable {
    package let progress: WorkerProgress
    package let slots: Int
    package let running: Int
    /// Attempts that have finished and are not settled yet.
    package let unsettled: Int
    package let proofBytes: Int
    package let connections: PostgresPool.Connections
    package let gates: [Gate]
    /// When the queue was last counted for metrics.
    package let queueReadAt: ContinuousClock.Instant?
    /// Whether the worker is alive and ready at this moment.
    package let health: WorkerHealth

    package var isReady: Bool { health.isReady }

    /// One line for an operator: how busy the worker is, and whether it gets on.
    package var summary: String {
        let now = health.judgedAt
        func ago(_ instant: ContinuousClock.Instant) -> String { "\(instant.duration(to: now).components.seconds) s" }
        let work = "\(running) of \(slots) slots busy, \(unsettled) to settle"
        switch progress.phase {
        case .waitingForDatabase:
            return "waiting for the database for \(ago(progress.phaseBegan))"
        case .draining:
            return "draining for \(ago(progress.phaseBegan)): \(running) jobs run, \(unsettled) to settle"
        case .working:
            if let since = progress.claimsFailSince {
                return "the database hasn't answered a claim for \(ago(since)); \(work)"
            }
            let closed = gates.filter { !$0.isOpen }.count
            let gates = closed == 0 ? "all gates open" : "\(closed) of \(self.gates.count) gates closed"
            let claim = progress.lastClaim.map { "last claim \(ago($0)) ago" } ?? "no claim yet"
            return "\(work), \(claim), \(gates)"
        }
    }
}
