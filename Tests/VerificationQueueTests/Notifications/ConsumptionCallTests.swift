// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification
import VerificationQueue

/// What follows from a call that sent an answer to Apple's question about a refund.
@Suite struct ConsumptionCallTests {
    private func call(
        _ kind: VerificationFailure.Kind, retryAfter: Duration? = nil, attempt: Int = 1, uncertainAttempts: Int = 0,
        remaining: Duration = .seconds(12 * 3600)
    ) -> ConsumptionCall {
        var generator = SystemRandomNumberGenerator()
        return ConsumptionCall(
            failed: VerificationFailure(kind, .unknownAnswer, message: "why", retryAfter: retryAfter), attempt: attempt,
            uncertainAttempts: uncertainAttempts, remaining: remaining, retry: RetryPolicy(), using: &generator)
    }

    @Test func whatAppleTookIsSentAndWhatItRefusesIsNot() {
        #expect(ConsumptionCall.sent.state == .sent && ConsumptionCall.sent.error == nil)
        #expect(ConsumptionCall.refused("4000036").state == .refused && ConsumptionCall.refused("4000036").error == "4000036")
    }

    /// However often: the deadline ends it.
    @Test(arguments: [1, 20, 10_000])
    func anOutageIsWaitedFor(attempt: Int) {
        let call = call(.transient, attempt: attempt)

        #expect(call.state == .waiting && call.delay <= .seconds(900) && call.error == "why" && !call.isUncertain)
    }

    @Test func appleIsGivenTheTimeThatItAsksFor() {
        #expect(call(.rateLimited, retryAfter: .seconds(1800)).delay >= .seconds(1800))
        #expect(call(.rateLimited, retryAfter: .seconds(1800), remaining: .seconds(600)).delay >= .seconds(1800))
    }

    /// An operator mends a key; nothing is known of the answer itself.
    @Test(arguments: [VerificationFailure.Kind.configuration, .credentialRefused])
    func aKeyThatIsMissingOrRefusedIsWaitedFor(kind: VerificationFailure.Kind) {
        let call = call(kind, attempt: 1_000)

        #expect(call.state == .waiting && call.delay == RetryPolicy().missingDelay && !call.isUncertain)
    }

    @Test func anAnswerThatMayBeAPassingFaultIsBelievedInTheEnd() {
        let early = call(.uncertain(.review), uncertainAttempts: 6)
        let last = call(.uncertain(.review), uncertainAttempts: 7)

        #expect(early.state == .waiting && early.isUncertain && early.delay > .zero)
        #expect(last.state == .refused && last.error == "why")
    }

    /// A delay of an hour would leave no time for another try.
    @Test(arguments: [(3600, 1800), (600, 300), (60, 60), (1, 60)])
    func aDelayLeavesTimeForAnotherTry(remaining: Int, longest: Int) {
        for _ in 1...100 {
            let call = call(.uncertain(.review), uncertainAttempts: 6, remaining: .seconds(remaining))

            #expect(call.delay <= .seconds(longest))
        }
    }
}
