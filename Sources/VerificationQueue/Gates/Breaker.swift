// SPDX-License-Identifier: Apache-2.0

package import Verification

/// The breaker of one lane, as one worker sees its calls.
///
/// It only decides when to close the gate; the gate itself is a row that all workers share. A call failed if the service or the
/// way to it is at fault: 5xx, 408, redirects, time-outs, broken bodies, statuses that verifyReceipt returns for no request of
/// ours. A status about the proof, such as 21002, or about the request, such as 400, is an answer. If we call too often, or with
/// wrong credentials, the gate closes without the breaker.
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

    /// Calls that were recorded shortly after each other; they leave the window together.
    private struct Stretch {
        let start: ContinuousClock.Instant
        var answers = 0
        /// By account; no account has zero.
        var failures: [AccountID: Int] = [:]
    }

    private let configuration: BreakerConfiguration

    /// Length of a stretch: a busy lane's calls aren't kept one by one.
    private let stretch: Duration

    /// The stretches of the window, the oldest first.
    private var window: [Stretch] = []

    /// Calls in the window.
    private var calls = 0

    /// Failed calls in the window, by account; no account has zero.
    private var failures: [AccountID: Int] = [:]
    private var failedCalls = 0

    /// Failed calls since the last answer.
    private var failuresInARow = 0

    package init(_ configuration: BreakerConfiguration = BreakerConfiguration()) {
        self.configuration = configuration
        stretch = configuration.window / 100
    }

    /// Counts one call and returns whether to close the gate now.
    ///
    /// Only a failed call closes the gate. The breaker then starts from nothing: it closes the gate once, and earlier calls don't
    /// count against the service when the gate opens again. A call counts for the window's length, or up to a hundredth of it less;
    /// a call that is recorded late counts as long as those before it.
    package mutating func record(
        _ result: CallResult, account: AccountID, at instant: ContinuousClock.Instant
    ) -> Action {
        forgetCalls(before: instant - configuration.window)
        if window.last.map({ instant - $0.start >= stretch }) ?? true {
            window.append(Stretch(start: instant))
        }
        let last = window.count - 1
        calls += 1
        guard result == .failed else {
            window[last].answers += 1
            failuresInARow = 0
            return .none
        }
        window[last].failures[account, default: 0] += 1
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
            && (Double(failedCalls) >= configuration.failedShare * Double(calls)
                || failuresInARow >= configuration.failuresInARow)
    }

    private mutating func forgetCalls(before start: ContinuousClock.Instant) {
        while let oldest = window.first, oldest.start < start {
            window.removeFirst()
            calls -= oldest.answers
            for (account, count) in oldest.failures {
                calls -= count
                failedCalls -= count
                let left = failures[account, default: 0] - count
                failures[account] = left > 0 ? left : nil
            }
        }
    }
}
