// SPDX-License-Identifier: Apache-2.0

import Testing
import VerificationQueue

@Suite struct ClaimLeftoverTests {
    private func isWorthAClaim(_ leftover: ClaimLeftover, free: Int, slots: Int = 240, after delay: Duration) -> Bool {
        leftover.isWorthAClaim(free: free, slots: slots, batch: 100, at: leftover.began + delay)
    }

    @Test(arguments: [
        (free: 29, after: Duration.zero, isWorthIt: false), (30, .zero, true),
        (8, ClaimLeftover.pause - .nanoseconds(1), false), (8, ClaimLeftover.pause, true), (7, .seconds(1), false),
    ])
    func itTakesAnEighthOfTheSlotsAtOnceAndAThirtiethLater(free: Int, after delay: Duration, isWorthIt: Bool) {
        #expect(isWorthAClaim(ClaimLeftover(unusable: 0, began: .now), free: free, after: delay) == isWorthIt)
    }

    @Test func slotsThatNoLaneMayHaveDoNotCount() {
        let leftover = ClaimLeftover(unusable: 120, began: .now)

        #expect(!isWorthAClaim(leftover, free: 127, after: .seconds(1)))
        #expect(isWorthAClaim(leftover, free: 128, after: .seconds(1)))
    }

    @Test(arguments: [1, 2, 7]) func withFewSlotsEachThatComesFreeIsWorthIt(slots: Int) {
        #expect(isWorthAClaim(ClaimLeftover(unusable: 0, began: .now), free: 1, slots: slots, after: .zero))
        #expect(!isWorthAClaim(ClaimLeftover(unusable: 0, began: .now), free: 0, slots: slots, after: .seconds(1)))
    }

    @Test func aWholeBatchIsAlwaysWorthIt() {
        #expect(isWorthAClaim(ClaimLeftover(unusable: 0, began: .now), free: 100, slots: 6_000, after: .zero))
    }
}
