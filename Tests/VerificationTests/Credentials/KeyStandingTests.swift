// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification

@Suite struct KeyStandingTests {
    @Test(arguments: [
        (false, 0, CredentialStanding.Fault.unknown), (false, 1, .unknown), (false, 2, .unknown), (false, 3, .credential),
        (false, 1_000, .credential), (true, 0, .proof), (true, 1, .proof), (true, 3, .proof), (true, 1_000, .proof),
    ])
    func onlyAKeyThatFoundNothingForSeveralAccountsIsAtFault(
        hasFound: Bool, unfoundAccounts: Int, fault: CredentialStanding.Fault
    ) {
        #expect(KeyStanding(hasFound: hasFound, unfoundAccounts: unfoundAccounts).fault == fault)
    }

    @Test func theMessageNamesTheLikelyCause() {
        let message = KeyStanding(hasFound: false, unfoundAccounts: 3).message

        #expect(message.contains("not those of 3 accounts"))
        #expect(message.contains("another Apple account or app"))
    }

    /// The gate closes with the second answer about the third account's payment, not a check later.
    @Test func theTimeBetweenAnswersIsShorterThanThatBetweenChecks() {
        #expect(.seconds(KeyStanding.secondsBetweenAnswers) < RetryPolicy().missingDelay * 0.9)
    }

    @Test func itsJobsCostNoAttemptAndMakeRoomForOthers() {
        #expect(RetryPolicy().decideForeignKey() == .wait(.snooze(for: .seconds(60)), .configuration))
    }

    /// No newer proof helps who has a whole one.
    @Test(arguments: [(true, Reason.transactionNotFound), (false, .purchaseNotInReceipt)])
    func aPaymentThatItsProofShowsIsWaitedFor(isShown: Bool, reason: Reason) {
        var generator = ExtremeGenerator.lowest

        let decision = RetryPolicy().decideMissing(
            missingTimes: MissingTimes(sinceFirstCheck: 0, sinceLastCheck: 0), isUnresolved: true, isShown: isShown,
            using: &generator)

        #expect(decision == .wait(.snooze(for: .seconds(54)), reason))
        #expect(decision.isMissing)
    }
}
