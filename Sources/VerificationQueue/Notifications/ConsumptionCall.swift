// SPDX-License-Identifier: Apache-2.0

package import Verification

/// The new state of an answer about a refund, after one call to Apple. It is a pure value: no clock, no input or output.
///
/// | Call | Answer |
/// |---|---|
/// | Apple took it | sent |
/// | Apple refuses this answer for good | refused |
/// | the answer may be a passing fault | waits, as ``RetryPolicy`` has it; at its last such attempt refused |
/// | Apple fails, or asks to wait | waits, as ``RetryPolicy`` has it |
/// | the app's key is missing or refused | waits for ``RetryPolicy/missingDelay`` |
///
/// The deadline ends what waits. A delay takes half of the time that is left at most, so that a try comes near the end; only the
/// time that Apple names is kept.
package struct ConsumptionCall: Hashable, Sendable {
    package enum State: String, Sendable {
        case waiting, sent, refused
    }

    /// Shortest delay that the deadline shortens a longer one to. One minute.
    package static let shortestDelay = Duration.seconds(60)

    package let state: State
    /// Until the next call.
    package let delay: Duration
    /// Why it failed, in a line.
    package let error: String?
    /// Whether the answer may be a passing fault.
    package let isUncertain: Bool

    private init(_ state: State, delay: Duration = .zero, error: String? = nil, isUncertain: Bool = false) {
        self.state = state
        self.delay = delay
        self.error = error
        self.isUncertain = isUncertain
    }

    package static let sent = ConsumptionCall(.sent)

    /// - Parameter error: Apple's words.
    package static func refused(_ error: String) -> ConsumptionCall { ConsumptionCall(.refused, error: error) }

    /// - Parameters:
    ///   - attempt: number of the call that failed, from 1.
    ///   - uncertainAttempts: earlier calls whose answer was uncertain.
    ///   - remaining: until the deadline.
    package init(
        failed failure: VerificationFailure, attempt: Int, uncertainAttempts: Int, remaining: Duration, retry: RetryPolicy,
        using generator: inout some RandomNumberGenerator
    ) {
        let isUncertain = if case .uncertain = failure.kind { true } else { false }
        switch retry.decide(
            failure, attempt: attempt, uncertainAttempts: uncertainAttempts, age: 0, using: &generator)
        {
        case .end, .discard:
            self.init(.refused, error: failure.message, isUncertain: isUncertain)
        case .wait(let wait, _):
            let delay =
                switch wait {
                case .retry(let delay), .snooze(let delay): delay
                case .release: retry.missingDelay
                }
            let latest = max(Self.shortestDelay, remaining / 2, failure.retryAfter ?? .zero)
            self.init(.waiting, delay: min(delay, latest), error: failure.message, isUncertain: isUncertain)
        }
    }
}
