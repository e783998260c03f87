// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization

/// Counts calls, and tells those who wait when the counts have become what they wait for.
final class CallCounters: Sendable {
    private struct Waiter {
        let condition: @Sendable (SimulatorStatistics) -> Bool
        let continuation: AsyncStream<SimulatorStatistics>.Continuation
    }

    private struct State {
        var statistics = SimulatorStatistics()
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
        var meters: [SimulatorStatistics.RateKey: RateMeter] = [:]
    }

    private let state = Mutex(State())

    var statistics: SimulatorStatistics {
        state.withLock { $0.statistics }
    }

    func arrived(at target: CallTarget, _ moment: Date) {
        change { statistics, meters in
            statistics.received[target, default: 0] += 1
            statistics.inFlight += 1
            statistics.inFlightMaximum = max(statistics.inFlightMaximum, statistics.inFlight)
            Self.count(.init(target: target, bundleID: nil), at: moment, &statistics, &meters)
        }
    }

    /// Notes whose app a call is about, as far as the call says.
    func called(_ target: CallTarget, bundleID: String, _ moment: Date) {
        change { statistics, meters in
            let key = SimulatorStatistics.RateKey(target: target, bundleID: bundleID)
            guard meters.count < SimulatorStatistics.maximumMeters || meters[key] != nil else { return }
            Self.count(key, at: moment, &statistics, &meters)
        }
    }

    /// Notes what a call is about.
    func asked(about receipt: ReceiptID?, transactions: some Sequence<String>) {
        change { statistics, _ in
            let limit = SimulatorStatistics.maximumSubjects
            if let receipt, statistics.receipts.count < limit || statistics.receipts[receipt] != nil {
                statistics.receipts[receipt, default: 0] += 1
            }
            for id in transactions where statistics.transactions.count < limit || statistics.transactions[id] != nil {
                statistics.transactions[id, default: 0] += 1
            }
        }
    }

    func ended(_ target: CallTarget, as outcome: CallOutcome) {
        change { statistics, _ in statistics.ended[.init(target: target, outcome: outcome), default: 0] += 1 }
    }

    func left() {
        change { statistics, _ in statistics.inFlight -= 1 }
    }

    /// The counts as soon as they meet `condition`, which is asked at once and after each change, under a lock: it must
    /// only look at what it is given.
    ///
    /// - Throws: `CancellationError` when the task is cancelled first.
    func statistics(
        when condition: @escaping @Sendable (SimulatorStatistics) -> Bool
    ) async throws -> SimulatorStatistics {
        let (stream, continuation) = AsyncStream<SimulatorStatistics>.makeStream(bufferingPolicy: .bufferingOldest(1))
        let id = state.withLock { state in
            if condition(state.statistics) { continuation.yield(state.statistics) }
            state.nextWaiter += 1
            state.waiters[state.nextWaiter] = Waiter(condition: condition, continuation: continuation)
            return state.nextWaiter
        }
        defer { state.withLock { _ = $0.waiters.removeValue(forKey: id) } }

        for await statistics in stream { return statistics }
        throw CancellationError()
    }

    private static func count(
        _ key: SimulatorStatistics.RateKey, at moment: Date, _ statistics: inout SimulatorStatistics,
        _ meters: inout [SimulatorStatistics.RateKey: RateMeter]
    ) {
        meters[key, default: RateMeter()].count(at: moment)
        statistics.rates[key] = meters[key]?.rate
    }

    private func change(
        _ body: (inout SimulatorStatistics, inout [SimulatorStatistics.RateKey: RateMeter]) -> Void
    ) {
        state.withLock { state in
            body(&state.statistics, &state.meters)
            for waiter in state.waiters.values where waiter.condition(state.statistics) {
                waiter.continuation.yield(state.statistics)
            }
        }
    }
}
