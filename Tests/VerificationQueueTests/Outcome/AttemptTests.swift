// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification
@testable import VerificationQueue

@Suite struct AttemptTests {
    private static let retry = Settlement.Action.wait(
        .retry(after: .seconds(8)), .appStoreUnavailable, lane: Sample.production)

    private static func attempt(
        _ action: Settlement.Action = retry, calls: [(LaneID, Attempt.Call.Result)]
    ) -> Attempt {
        Attempt(
            settlement: Settlement(Sample.job(), action, message: "503"),
            calls: calls.map { Attempt.Call(lane: $0, result: $1) })
    }

    @Test func aProbeThatFailsDoesNotCount() {
        let probe = Self.attempt(calls: [(Sample.production, .failed)]).probing(Sample.production)

        #expect(probe.settlement.wait == .snooze(for: .seconds(8)))
        #expect(!probe.settlement.counts)
        #expect(probe.settlement.reason == .appStoreUnavailable)
        #expect(probe.settlement.message == "503")
        #expect(probe.settlement.lane == Sample.production)
    }

    /// All but the action stays, whatever it is.
    @Test func aProbeThatFailsKeepsWhatItsAttemptFound() {
        let payment = Sample.candidate("1")
        let settlement = Settlement(
            Sample.job(), Self.retry, payments: .init(others: [payment], revoked: [.sample(id: "2", revoked: Date())]),
            message: "503", proofKind: .appReceipt, environment: .sandbox, crashed: true, uncertain: true, missing: true)

        let probe = Attempt(settlement: settlement, calls: [Attempt.Call(lane: Sample.production, result: .failed)])
            .probing(Sample.production).settlement

        #expect(probe.wait == .snooze(for: .seconds(8)))
        #expect((probe.message, probe.proofKind, probe.environment) == ("503", .appReceipt, .sandbox))
        #expect(probe.others == [payment])
        #expect(probe.revoked.map(\.id.rawValue) == ["2"])
        #expect((probe.crashed, probe.uncertain, probe.missing) == (true, true, true))
    }

    @Test func aFailureBehindAnotherGateCounts() {
        let probe = Self.attempt(calls: [(Sample.production, .answered), (Sample.sandbox, .failed)])
            .probing(Sample.production)

        #expect(probe.settlement.wait == .retry(after: .seconds(8)))
    }

    /// In an outage that lasts longer than the horizon each probe would end the job that it is made with.
    @Test func aProbeThatFailsEndsNoJob() {
        let probe = Self.attempt(
            .discard(.appStoreUnavailable, lane: nil), calls: [(Sample.production, .failed)]
        ).probing(Sample.production)

        #expect(probe.settlement.wait == .snooze(for: .seconds(60)))
        #expect(probe.settlement.outcome == .unchanged)
    }
}
