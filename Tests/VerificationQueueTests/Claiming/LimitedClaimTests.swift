// SPDX-License-Identifier: Apache-2.0

import Testing
import VerificationQueue

@Suite struct LimitedClaimTests {
    private static let began = ContinuousClock.now

    /// How long after the last claim's begin the next one is worth its cost; nil: not with so few.
    private func delay(free: Int, slots: Int = 240, blockedSlots: Int = 0) -> Duration? {
        LimitedClaim(blockedSlots: blockedSlots, began: Self.began).nextClaim(free: free, slots: slots, batch: 100)
            .map { Self.began.duration(to: $0) }
    }

    @Test(arguments: [(free: 60, delay: Duration.zero as Duration?), (59, LimitedClaim.pause), (8, LimitedClaim.pause), (7, nil)])
    func aQuarterOfTheSlotsIsFilledAtOnceAndAThirtiethLater(free: Int, after delay: Duration?) {
        #expect(self.delay(free: free) == delay)
    }

    @Test func slotsThatNoLaneMayHaveDoNotCount() {
        #expect(delay(free: 127, blockedSlots: 120) == nil)
        #expect(delay(free: 128, blockedSlots: 120) == LimitedClaim.pause)
        #expect(delay(free: 180, blockedSlots: 120) == .zero)
    }

    /// As of a lane whose budget is worth only so many calls.
    @Test func ofFewThatAreOfUseHalfIsWorthIt() {
        #expect(delay(free: 994, slots: 1000, blockedSlots: 990) == nil)
        #expect(delay(free: 995, slots: 1000, blockedSlots: 990) == LimitedClaim.pause)
        #expect(delay(free: 1000, slots: 1000, blockedSlots: 999) == LimitedClaim.pause)
    }

    @Test(arguments: [1, 2, 4, 7]) func withFewSlotsEachThatComesFreeIsWorthIt(slots: Int) {
        #expect(delay(free: 1, slots: slots) == .zero)
        #expect(delay(free: 0, slots: slots) == nil)
    }

    @Test func aWholeBatchIsAlwaysWorthIt() {
        #expect(delay(free: 100, slots: 6_000) == .zero)
    }
}
