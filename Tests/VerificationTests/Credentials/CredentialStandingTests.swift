// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

@Suite struct CredentialStandingTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let standing: CredentialStanding
        let fault: CredentialStanding.Fault

        init(_ name: String, accepted: Bool = true, since: Bool = false, orders: Int = 1, for seconds: TimeInterval = 2, _ fault: CredentialStanding.Fault) {
            testDescription = name
            standing = CredentialStanding(isAccepted: accepted, isAcceptedSince: since, refusedOrders: orders, refusedFor: seconds)
            self.fault = fault
        }
    }

    @Test(arguments: [
        Case("one refusal, and the credential was never accepted", accepted: false, .credential),
        Case("many, and it was never accepted", accepted: false, orders: 10, .credential),
        Case("one order", .unknown),
        Case("two orders", orders: 2, .unknown),
        Case("three orders", orders: 3, .credential),
        Case("three orders within two seconds", orders: 3, for: 1.9, .unknown),
        Case("many orders", orders: 100, .credential),
        Case("many orders at once", orders: 100, for: 0, .unknown),
        Case("one, and it was never accepted", accepted: false, for: 0, .credential),
        Case("accepted for another since", since: true, .proof),
        Case("accepted for another since, and refused for two others after that", since: true, orders: 3, .proof),
    ])
    func onlyOthersShowWhatIsAtFault(_ one: Case) {
        #expect(one.standing.fault == one.fault)
    }

    // MARK: What the job does

    private let policy = RetryPolicy()

    private func decide(
        _ standing: CredentialStanding, uncertain: Int = 0, extreme: ExtremeGenerator = .lowest
    ) -> RetryDecision {
        var generator = extreme
        return policy.decideRefusedCredential(standing, uncertainAttempts: uncertain, using: &generator)
    }

    /// The next probe takes another proof: this one may be the only one that Apple refuses.
    @Test(arguments: [CredentialStanding(isAccepted: false), CredentialStanding(isAccepted: true, refusedOrders: 3, refusedFor: 2)])
    func aCredentialAtFaultCostsNoAttemptAndTheJobMakesRoomForOthers(_ standing: CredentialStanding) {
        #expect(decide(standing, uncertain: 100) == .wait(.snooze(for: .seconds(60)), .configuration))
    }

    /// Half of the time since the first refusal, from a minute to six hours; but for jitter of a tenth.
    @Test(arguments: [(0, 54), (60, 54), (600, 270), (3_600, 1_620), (100 * 3_600, 19_440)] as [(TimeInterval, Int)])
    func whileNobodyKnowsTheJobWaitsUncounted(_ sinceFirst: TimeInterval, _ delay: Int) {
        let standing = CredentialStanding(isAccepted: true, sinceFirstRefusal: sinceFirst)

        let decision = decide(standing, uncertain: 100)

        guard case .wait(.snooze(let found), .credentialRefused) = decision else {
            Issue.record("not snoozed: \(decision)")
            return
        }
        #expect((found - .seconds(delay)) < .seconds(1) && (found - .seconds(delay)) > .seconds(-1))
    }

    @Test(arguments: [(0, 1_800), (1, 3_600), (2, 7_200), (3, 10_800), (6, 10_800)])
    func aProofAtFaultIsTriedOnAScheduleOfItsOwn(_ uncertain: Int, _ delay: Int) {
        let standing = CredentialStanding(isAccepted: true, isAcceptedSince: true)

        #expect(decide(standing, uncertain: uncertain) == .wait(.retry(after: .seconds(delay)), .credentialRefused))
    }

    @Test(arguments: [7, 8, 100])
    func thenItIsLeftToAnOperatorWithItsProof(_ uncertain: Int) {
        let standing = CredentialStanding(isAccepted: true, isAcceptedSince: true)

        #expect(decide(standing, uncertain: uncertain) == .discard(.credentialRefused))
    }
}
