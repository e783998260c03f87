// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

@Suite struct JobTests {
    /// Times in seconds of one minute of the clock, which sample orders are made at the beginning of.
    private func isFirstAttempt(at claim: TimeInterval, after last: TimeInterval?) -> Bool {
        var order = makeOrder()
        order.lastAttemptAt = last.map { orderTime.addingTimeInterval($0) }
        return Job(
            lease: Lease(jobID: JobID(rawValue: 1), token: 1), lane: LaneID(rawValue: 1), attempt: 1, createdAt: orderTime,
            claimedAt: orderTime.addingTimeInterval(claim), leaseEnds: .now,
            work: .verify(Upload(Ordered(order, AppPolicy(), number: OrderNumber(rawValue: 1)), proof: "eyJ"))
        ).isFirstAttempt(inPeriodOf: 60)
    }

    @Test func firstAttemptOfAnOrderIsTheFirstOfItsMinute() {
        #expect(isFirstAttempt(at: 30, after: nil))
    }

    @Test(
        arguments: [(60, 59.5, true), (0, -0.5, true), (59.5, 0, false), (30, 30, false), (3_600, 0, true)]
            as [(Double, Double, Bool)])
    func eachMinuteOfTheClockHasAFirstAttempt(claim: Double, last: Double, isFirst: Bool) {
        #expect(isFirstAttempt(at: claim, after: last) == isFirst)
    }

    /// The settlement's time, by which it counts, may be after the next claim's.
    @Test func attemptThatEndsLaterIsNoEarlierOne() {
        #expect(!isFirstAttempt(at: 59, after: 61))
    }
}
