// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification

@Suite struct DelayCapTests {
    @Test func theLongestDelayIsThatBeforeAMissingPurchaseIsLookedForAgain() {
        #expect(RetryPolicy().delayCap == .seconds(6 * 3600))
    }

    @Test func itsDefaultChangesNothing() {
        var policy = RetryPolicy()

        policy.delayCap = RetryPolicy().delayCap

        #expect(policy == RetryPolicy())
    }

    @Test func aLowerOneShortensLongerDelaysOnly() {
        var policy = RetryPolicy()

        policy.delayCap = .seconds(300)

        #expect(policy.delayCap == .seconds(300))
        #expect(policy.backoff == Backoff(base: .seconds(2), cap: .seconds(300)))
        #expect(policy.uncertainBackoff == Backoff(base: .seconds(120), cap: .seconds(300)))
        #expect(policy.refusedProofBackoff == Backoff(base: .seconds(300), cap: .seconds(300)))
        #expect(policy.missingDelay == .seconds(60))
        #expect(policy.missingCap == .seconds(300))
        #expect(policy.refusedSettlementDelay == .seconds(60))
    }

    @Test func firstDelaysAreShortenedToo() {
        var policy = RetryPolicy()

        policy.delayCap = .seconds(1)

        #expect(policy.backoff == Backoff(base: .seconds(1), cap: .seconds(1)))
        #expect(policy.uncertainBackoff == Backoff(base: .seconds(1), cap: .seconds(1)))
        #expect(policy.missingDelay == .seconds(1))
        #expect(policy.refusedSettlementDelay == .seconds(1))
    }

    @Test func numbersOfAttemptsAndHorizonsStay() {
        var policy = RetryPolicy()

        policy.delayCap = .milliseconds(10)

        #expect(policy.horizon == RetryPolicy().horizon)
        #expect(policy.missingHorizon == RetryPolicy().missingHorizon)
        #expect(policy.leastAttempts == RetryPolicy().leastAttempts)
        #expect(policy.uncertainAttempts == RetryPolicy().uncertainAttempts)
        #expect(policy.longestRetryAfter == RetryPolicy().longestRetryAfter)
    }
}
