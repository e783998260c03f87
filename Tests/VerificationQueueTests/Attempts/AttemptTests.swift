// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification
@testable import VerificationQueue

@Suite struct AttemptTests {
    private static let retry = Settlement.Action.keep(.retry(after: .seconds(8)), .unchanged, lane: Sample.production)

    private static func attempt(
        _ action: Settlement.Action = retry, calls: [(LaneID, Attempt.Call.Result)]
    ) -> Attempt {
        Attempt(
            settlement: Settlement(Sample.job(), action, reason: .appStoreUnavailable, message: "503"),
            calls: calls.map { Attempt.Call(lane: $0, result: $1) })
    }

    @Test func aProbeThatFailsDoesNotCount() {
        let probe = Self.attempt(calls: [(Sample.production, .failed)]).probing(Sample.production)

        #expect(probe.settlement.disposition == .snooze(for: .seconds(8)))
        #expect(!probe.settlement.counts)
        #expect(probe.settlement.reason == .appStoreUnavailable)
        #expect(probe.settlement.message == "503")
        #expect(probe.settlement.lane == Sample.production)
    }

    @Test func aFailureBehindAnotherGateCounts() {
        let probe = Self.attempt(calls: [(Sample.production, .answered), (Sample.sandbox, .failed)])
            .probing(Sample.production)

        #expect(probe.settlement.disposition == .retry(after: .seconds(8)))
    }

    /// In an outage that lasts longer than the horizon each probe would end the job that it is made with.
    @Test func aProbeThatFailsEndsNoJob() {
        let probe = Self.attempt(
            .keep(.discard, .review(.appStoreUnavailable, nil), lane: nil), calls: [(Sample.production, .failed)]
        ).probing(Sample.production)

        #expect(probe.settlement.disposition == .snooze(for: .seconds(60)))
        guard case .keep(_, .unchanged, _) = probe.settlement.action else {
            Issue.record("the order was moved")
            return
        }
    }
}
