// SPDX-License-Identifier: Apache-2.0

package import Verification

/// When a lane's breaker closes its gate: enough failures of enough accounts, which are a large part of all calls or come in a
/// row.
package struct BreakerConfiguration: Hashable, Sendable {
    /// Length of the rolling window that is looked at. Default 30 seconds. Too short, and a slow outage never fills it;
    /// too long, and a fault that passed still counts.
    package var window: Duration

    /// Failed calls in the window. Default 10. Too low, and a hiccup stops the lane; too high, and a quiet lane never
    /// stops.
    package var failures: Int

    /// Failed calls as a part of all calls in the window, 0 to 1. Default 0.5. Too low, and a lane that mostly works
    /// stops; too high, and half an outage burns attempts.
    package var failedShare: Double

    /// Failed calls without an answer between them that are enough whatever their part of all calls. Default 20. A busy
    /// lane that was well until now would otherwise burn attempts until failures fill half of the window; too low, and a
    /// hiccup stops it.
    package var failuresInARow: Int

    /// Accounts that the failed calls belong to. Default 3. Too low, and one customer's proofs, of which Apple's
    /// service chokes, stop everybody's.
    package var accounts: Int

    package init(
        window: Duration = .seconds(30), failures: Int = 10, failedShare: Double = 0.5, failuresInARow: Int = 20,
        accounts: Int = 3
    ) {
        self.window = window
        self.failures = failures
        self.failedShare = failedShare
        self.failuresInARow = failuresInARow
        self.accounts = accounts
    }
}

/// The breaker of one lane, as one worker sees its calls.
///
/// It only says when to close the gate; the gate itself is a row that all workers share. What counts as failed is a
/// fault of the service or of the way to it (5xx, time-outs, broken bodies): an answer about the proof, such as 21002,
/// or about the request, such as a 4xx, is an answer.
package struct Breaker: Sendable {
    /// How one call to the service ended.
    package enum CallResult: Hashable, Sendable, CaseIterable {
        case answered
        case failed
    }

    package enum Action: Hashable, Sendable {
        case none
        case closeGate
    }

    private struct Call {
        let instant: ContinuousClock.Instant
        let account: AccountID
        let result: CallResult
    }

    private let configuration: BreakerConfiguration

    /// The calls of the window, as recorded, from ``first`` on; those before it have left the window.
    private var calls: [Call] = []
    private var first = 0

    /// Failed calls in the window, by account; no account has zero.
    private var failures: [AccountID: Int] = [:]
    private var failedCalls = 0

    /// Failed calls since the last answer.
    private var failuresInARow = 0

    package init(_ configuration: BreakerConfiguration = BreakerConfiguration()) {
        self.configuration = configuration
    }

    /// Counts one call and answers whether to close the gate now.
    ///
    /// Only a failed call closes it. After that the breaker starts from nothing, so that it asks once, and the calls of
    /// before don't count against the service when the gate opens again. A call that is recorded late counts for as
    /// long as those recorded before it.
    package mutating func record(
        _ result: CallResult, account: AccountID, at instant: ContinuousClock.Instant
    ) -> Action {
        forgetCalls(before: instant - configuration.window)
        calls.append(Call(instant: instant, account: account, result: result))
        guard result == .failed else {
            failuresInARow = 0
            return .none
        }
        failuresInARow += 1
        failures[account, default: 0] += 1
        failedCalls += 1
        guard isTripped else { return .none }
        self = Breaker(configuration)
        return .closeGate
    }

    private var isTripped: Bool {
        failedCalls >= configuration.failures
            && failures.count >= configuration.accounts
            && (Double(failedCalls) >= configuration.failedShare * Double(calls.count - first)
                || failuresInARow >= configuration.failuresInARow)
    }

    private mutating func forgetCalls(before start: ContinuousClock.Instant) {
        while first < calls.count && calls[first].instant < start {
            if calls[first].result == .failed {
                forgetFailure(of: calls[first].account)
            }
            first += 1
        }
        // Moving the rest to the front only now and then keeps the cost of a call constant.
        if first > calls.count / 2 {
            calls.removeFirst(first)
            first = 0
        }
    }

    private mutating func forgetFailure(of account: AccountID) {
        failedCalls -= 1
        let left = failures[account, default: 0] - 1
        failures[account] = left > 0 ? left : nil
    }
}
