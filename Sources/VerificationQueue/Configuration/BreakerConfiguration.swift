// SPDX-License-Identifier: Apache-2.0

/// When a lane's breaker closes its gate: on enough failures of enough accounts, which are a large part of all calls or come in
/// a row.
package struct BreakerConfiguration: Hashable, Sendable {
    /// Length of the rolling window. Default 30 seconds. Too short, and a slow outage never fills it;
    /// too long, and a fault that passed still counts.
    package var window: Duration

    /// Failed calls in the window. Default 10. Too low, and a hiccup stops the lane; too high, and a quiet lane never
    /// stops.
    package var failures: Int

    /// Failed calls as a part of all calls in the window, 0 to 1. Default 0.5. Too low, and a lane that mostly works
    /// stops; too high, and half an outage burns attempts.
    package var failedShare: Double

    /// Failed calls without an answer between them that are enough, whatever their part of all calls. Default 20. Too high, and a
    /// busy lane burns attempts until failures fill half of the window; too low, and a hiccup stops the lane.
    package var failuresInARow: Int

    /// Accounts that the failed calls belong to. Default 3. Too low, and one customer's proofs, if Apple's service can't process
    /// them, stop everybody's.
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
