// SPDX-License-Identifier: Apache-2.0

package import CoreMetrics
import Synchronization
import Verification

/// What a worker counts and measures. Handles are made once; a batch is counted as one, so that a job costs next to
/// nothing.
package final class WorkerMetrics: Sendable {
    private struct AttemptKey: Hashable {
        let disposition: String
        let reason: Reason?
    }

    private struct Claims {
        let withJobs: Counter
        let empty: Counter
        let failed: Counter
    }

    let gauges: WorkerGauges
    let calls: CallMetrics

    private let factory: any MetricsFactory
    private let leaseDuration: Duration
    private let claims: [WakeUp: Claims]
    private let claimedJobs: Counter
    private let claimDuration: Timer
    private let rescuedLeases: Counter
    private let isolatedAttempts: [String: Counter]
    private let settlements: Counter
    private let failedSettlements: Counter
    private let settlementDuration: Timer
    private let settlementPaths: [SettlementPath: Counter]
    private let orders: [String: Counter]
    private let grants: [AppStoreEnvironment: Counter]
    private let duplicates: [Reason: Counter]
    private let partlyRefundedGrants: Counter
    private let notifications: [String: Counter]
    private let staleSettlements: Counter
    private let fulfilmentLatency: Timer
    /// Most reasons never come up: their counters are made when they do, but for those that alerts ask for. A counter
    /// that begins at 1 has not risen, for whoever reads it.
    private let attempts = Mutex<[AttemptKey: Counter]>([:])

    /// - Parameters:
    ///   - factory: makes the handles for ``Metric/all``.
    ///   - version: of the program.
    ///   - leaseDuration: of the worker's claims.
    package init(factory: any MetricsFactory, version: String, leaseDuration: Duration) {
        self.factory = factory
        self.leaseDuration = leaseDuration
        gauges = WorkerGauges(factory: factory)
        calls = CallMetrics(factory: factory)
        claims = WakeUp.allCases.reduce(into: [:]) {
            $0[$1] = Claims(
                withJobs: Metric.claims.counter(factory, "jobs", $1.rawValue),
                empty: Metric.claims.counter(factory, "empty", $1.rawValue),
                failed: Metric.claims.counter(factory, "failed", $1.rawValue))
        }
        claimedJobs = Metric.claimedJobs.counter(factory)
        claimDuration = Metric.claimDuration.timer(factory)
        rescuedLeases = Metric.rescuedLeases.counter(factory)
        isolatedAttempts = ["settled", "handed_back", "crashed"].reduce(into: [:]) {
            $0[$1] = Metric.isolatedAttempts.counter(factory, $1)
        }
        settlements = Metric.settlements.counter(factory, "settled")
        failedSettlements = Metric.settlements.counter(factory, "failed")
        settlementDuration = Metric.settlementDuration.timer(factory)
        settlementPaths = SettlementPath.allCases.reduce(into: [:]) {
            $0[$1] = Metric.settlementPaths.counter(factory, $1.rawValue)
        }
        orders = ["unchanged", "fulfilled", "rejected", "review", "refunded"].reduce(into: [:]) {
            $0[$1] = Metric.orders.counter(factory, $1)
        }
        grants = [AppStoreEnvironment.production, .sandbox].reduce(into: [:]) {
            $0[$1] = Metric.grants.counter(factory, $1.rawValue)
        }
        duplicates = Self.duplicateReasons.reduce(into: [:]) {
            $0[$1] = Metric.duplicatesPrevented.counter(factory, $1.rawValue)
        }
        notifications = ["recorded", "stored", "odd", "denied", "refused"].reduce(into: [:]) {
            $0[$1] = Metric.notifications.counter(factory, $1)
        }
        partlyRefundedGrants = Metric.partlyRefundedGrants.counter(factory)
        staleSettlements = Metric.staleSettlements.counter(factory)
        fulfilmentLatency = Metric.fulfilmentLatency.timer(factory)
        Metric.buildInfo.gauge(factory, version).set(1)
        count(
            Reason.allCases.reduce(
                into: [
                    AttemptKey(disposition: "snooze", reason: .settlementRefused): 0,
                    AttemptKey(disposition: "snooze", reason: .credentialRefused): 0,
                    AttemptKey(disposition: "retry", reason: .credentialRefused): 0,
                ]
            ) {
                $0[AttemptKey(disposition: "discard", reason: $1)] = 0
            })
    }

    // MARK: Claims

    func claimed(_ jobs: Int, for reason: WakeUp, in duration: Duration) {
        (jobs > 0 ? claims[reason]?.withJobs : claims[reason]?.empty)?.increment()
        if jobs > 0 {
            claimedJobs.increment(by: jobs)
        }
        claimDuration.recordNanoseconds(duration.nanoseconds)
    }

    func claimFailed(for reason: WakeUp) {
        claims[reason]?.failed.increment()
    }

    func rescued(_ leases: Int) {
        rescuedLeases.increment(by: leases)
    }

    func isolated(_ attempt: IsolatedAttempt) {
        isolatedAttempts[attempt.name]?.increment()
    }

    // MARK: Settlements

    /// A batch was settled, just now.
    func settled(_ batch: [SettlementResult], by path: SettlementPath, in duration: Duration) {
        settlements.increment()
        settlementDuration.recordNanoseconds(duration.nanoseconds)
        let now = ContinuousClock.now
        var attempts: [AttemptKey: Int] = [:]
        var outcomes: [String: Int] = [:]
        var granted: [AppStoreEnvironment: Int] = [:]
        var stale = 0
        for settled in batch {
            guard case .settled(let outcome) = settled.result else {
                stale += 1
                continue
            }
            if settled.recordsRefundOfPart { partlyRefundedGrants.increment() }
            let settlement = settled.settlement
            let key = AttemptKey(disposition: settlement.disposition, reason: outcome.reason ?? settlement.reason)
            attempts[key, default: 0] += 1
            if let effects = settlement.notification { count(effects) }
            guard let order = settlement.job.work.ordered?.order else { continue }
            // An upload for an order that is in review already leaves none more to a person.
            let moved = outcome.moves(order.state) ? outcome : .unchanged
            let name = if case .paidAnother = outcome { "fulfilled" } else { moved.name }
            outcomes[name, default: 0] += 1
            if let candidate = outcome.granted {
                granted[candidate.transaction.environment, default: 0] += 1
                fulfilmentLatency.recordNanoseconds(waited(settlement.job, until: now).nanoseconds)
            } else if let reason = settled.preventedDuplicate {
                duplicates[reason]?.increment()
            }
        }
        settlementPaths[path]?.increment(by: batch.count - stale)
        count(attempts)
        for (name, number) in outcomes { orders[name]?.increment(by: number) }
        for (environment, number) in granted { grants[environment]?.increment(by: number) }
        leasesLost(stale)
    }

    private func count(_ effects: NotificationEffects) {
        notifications[effects.outcome?.rawValue ?? "refused"]?.increment()
    }

    func settlementFailed() {
        failedSettlements.increment()
    }

    func leasesLost(_ attempts: Int) {
        guard attempts > 0 else { return }
        staleSettlements.increment(by: attempts)
    }

    private func count(_ numbers: [AttemptKey: Int]) {
        attempts.withLock { counters in
            for (key, number) in numbers {
                let counter =
                    counters[key]
                    ?? Metric.attempts.counter(factory, key.disposition, key.reason?.rawValue ?? "none")
                counters[key] = counter
                counter.increment(by: number)
            }
        }
    }

    /// Time since the insert: to the claim by the database's clock, since then by this machine's.
    private func waited(_ job: Job, until now: ContinuousClock.Instant) -> Duration {
        .seconds(max(0, job.age)) + max(.zero, job.timeSinceClaim(lease: leaseDuration, at: now))
    }

    static let duplicateReasons: [Reason] = [
        .alreadyGranted, .alreadyOwned, .grantedToAnotherAccount, .orderAlreadyPaid,
    ]
}

extension SettlementResult {
    /// What kept a genuine payment from being granted a second time, or an order from being paid twice; nil where
    /// nothing had to.
    var preventedDuplicate: Reason? {
        guard case .settled(let outcome) = result else { return nil }
        switch (outcome, settlement.action) {
        // Who pays for a cancelled order has paid once, and so has who pays for something else.
        case (.unchanged, .grantOne):
            guard let order = settlement.job.work.ordered?.order else { return nil }
            let isOrders = settlement.candidates.contains { $0.transaction.productID == order.productID }
            return order.state == .cancelled || !isOrders ? nil : .orderAlreadyPaid
        default: return outcome.reason.flatMap { WorkerMetrics.duplicateReasons.contains($0) ? $0 : nil }
        }
    }
}
