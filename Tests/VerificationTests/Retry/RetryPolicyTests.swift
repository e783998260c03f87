// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

@Suite struct RetryPolicyTests {
    private let policy = RetryPolicy()
    private static let minute: TimeInterval = 60
    private static let hour: TimeInterval = 3_600
    private static let day: TimeInterval = 86_400

    private func decide(
        _ kind: VerificationFailure.Kind, _ reason: Reason = .unknownAnswer, retryAfter: Duration? = nil,
        attempt: Int = 1, uncertainAttempts: Int? = nil, age: TimeInterval = 0, extreme: ExtremeGenerator = .lowest
    ) -> RetryDecision {
        var generator = extreme
        return policy.decide(
            VerificationFailure(kind, reason, message: "", retryAfter: retryAfter), attempt: attempt,
            uncertainAttempts: uncertainAttempts ?? attempt - 1, age: age,
            using: &generator)
    }

    // MARK: Transient

    @Test(arguments: [1, 10, 1_000])
    func transientFailureIsRetriedWhateverItsAttempt(_ attempt: Int) {
        let decision = decide(.transient, .appStoreUnavailable, attempt: attempt, age: 6.99 * Self.day)

        #expect(decision == .wait(.retry(after: .zero), .appStoreUnavailable))
    }

    @Test(arguments: [20, 1_000], [7 * day, 8 * day])
    func transientFailurePastTheHorizonIsLeftToAPerson(_ attempt: Int, _ age: TimeInterval) {
        let decision = decide(.transient, .unknownAnswer, attempt: attempt, age: age)

        #expect(decision == .discard(.appStoreUnavailable))
    }

    /// It may have been parked all the while.
    @Test(arguments: [1, 19])
    func aJobThatWasHardlyTriedIsRetriedPastTheHorizon(_ attempt: Int) {
        let decision = decide(.transient, .appStoreUnavailable, attempt: attempt, age: 30 * Self.day)

        #expect(decision == .wait(.retry(after: .zero), .appStoreUnavailable))
    }

    // MARK: Refused settlements

    @Test(arguments: [1, 19, 1_000])
    func aRefusedSettlementSpendsNoAttemptBeforeTheHorizon(_ attempt: Int) {
        #expect(
            policy.decideRefusedSettlement(attempt: attempt, age: 6.99 * Self.day)
                == .wait(.snooze(for: .seconds(60)), .settlementRefused))
    }

    /// A job that was parked for a week is refused for the first time.
    @Test(arguments: [1, 19])
    func aRefusedSettlementPastTheHorizonIsTriedAsOftenAsAny(_ attempt: Int) {
        #expect(
            policy.decideRefusedSettlement(attempt: attempt, age: 7 * Self.day)
                == .wait(.retry(after: .seconds(60)), .settlementRefused))
    }

    @Test func aSettlementThatStaysRefusedIsLeftToAPerson() {
        #expect(
            policy.decideRefusedSettlement(attempt: 20, age: 7 * Self.day)
                == .end(.review, .settlementRefused))
        #expect(policy.decideUnstorable() == .discard(.unstorable))
    }

    @Test func transientFailureKeepsItsReasonWhileRetried() {
        #expect(decide(.transient, .unknownAnswer).reason == .unknownAnswer)
    }

    @Test(arguments: zip([1, 2, 9, 10, 40], [2.0, 4.0, 512.0, 900.0, 900.0]))
    func transientDelayFollowsTheBackoff(_ attempt: Int, _ seconds: Double) throws {
        let decision = decide(.transient, attempt: attempt, extreme: .highest)

        guard case .wait(.retry(let delay), _) = decision else {
            Issue.record("not retried: \(decision)")
            return
        }
        #expect(delay > .seconds(seconds * 0.999) && delay <= .seconds(seconds))
    }

    @Test(arguments: zip([nil, -5, 90, 3_600, 86_400], [0, 0, 90, 3_600, 3_600]))
    func waitThatAppleAskedForIsKeptWithinAnHour(_ asked: Int?, _ kept: Int) {
        let retryAfter = asked.map { Duration.seconds($0) }

        #expect(decide(.transient, retryAfter: retryAfter) == .wait(.retry(after: .seconds(kept)), .unknownAnswer))
        // It has a least delay of its own.
        #expect(
            decide(.uncertain(.review), retryAfter: retryAfter)
                == .wait(.retry(after: .seconds(max(kept, 60))), .unknownAnswer))
    }

    @Test func longerBackoffOutweighsTheWaitThatAppleAskedFor() {
        let decision = decide(.transient, retryAfter: .seconds(5), attempt: 9, extreme: .highest)

        guard case .wait(.retry(let delay), _) = decision else {
            Issue.record("not retried: \(decision)")
            return
        }
        #expect(delay > .seconds(500))
    }

    // MARK: Uncertain

    @Test(arguments: [VerificationFailure.Ending.rejected, .review], 1...7)
    func uncertainAnswerIsRetriedBelowTheLimit(_ ending: VerificationFailure.Ending, _ attempt: Int) {
        let decision = decide(.uncertain(ending), .malformedProof, attempt: attempt, age: 30 * Self.day)

        let least = policy.uncertainBackoff.ceiling(afterAttempt: attempt) / 2
        #expect(decision == .wait(.retry(after: least), .malformedProof))
    }

    @Test
    func oneOddAnswerAfterALongOutageRejectsNobody() {
        let decision = decide(.uncertain(.rejected), .malformedProof, attempt: 100, uncertainAttempts: 0)

        guard case .wait = decision else {
            Issue.record("not kept: \(decision)")
            return
        }
    }

    @Test(arguments: [8, 9, 100])
    func uncertainAnswerRejectsAtTheLimit(_ attempt: Int) {
        let decision = decide(.uncertain(.rejected), .malformedProof, attempt: attempt)

        #expect(decision == .end(.rejected, .malformedProof))
    }

    @Test(arguments: [8, 9, 100])
    func uncertainAnswerIsLeftToAPersonAtTheLimit(_ attempt: Int) {
        let decision = decide(.uncertain(.review), .unknownAnswer, attempt: attempt)

        #expect(decision == .discard(.unknownAnswer))
    }

    @Test func uncertainAnswersSpanHours() {
        let ceilings = (1..<policy.uncertainAttempts).map { policy.uncertainBackoff.ceiling(afterAttempt: $0) }

        #expect(ceilings.reduce(.zero, +) == .seconds(182 * 60))
    }

    @Test func uncertainAnswersAreNeverTakenAtTheirWordWithinAnHour() {
        var span = Duration.zero
        for answers in 0..<(policy.uncertainAttempts - 1) {
            if case .wait(.retry(let delay), _) = decide(.uncertain(.review), uncertainAttempts: answers, extreme: .lowest) {
                span += delay
            }
        }

        #expect(span == .seconds(91 * 60))
    }

    @Test func uncertainDelayFollowsItsOwnBackoff() {
        guard case .wait(.retry(let delay), _) = decide(.uncertain(.review), extreme: .highest) else {
            Issue.record("not retried")
            return
        }
        #expect(delay > .seconds(119) && delay <= .seconds(120))
    }

    // MARK: Not there yet

    private func decideMissing(
        _ missingTimes: TimeInterval, lastCheck: TimeInterval = 0, isUnresolved: Bool = false, extreme: ExtremeGenerator = .lowest
    ) -> RetryDecision {
        var generator = extreme
        return policy.decideMissing(
            missingTimes: MissingTimes(sinceFirstCheck: missingTimes, sinceLastCheck: lastCheck), isUnresolved: isUnresolved, using: &generator)
    }

    private static let absences: [TimeInterval] = [-5, 0, 60, 120, 180, 270, 3_600, 21_600, 43_200, 64_800, 86_399]
    private static let delays: [TimeInterval] = [60, 60, 60, 60, 90, 135, 1_800, 10_800, 21_600, 21_600, 21_600]

    @Test(arguments: zip(absences, delays))
    func absentPurchaseIsLookedForAgainAfterHalfTheTime(_ missingTimes: TimeInterval, _ middle: TimeInterval) {
        for (generator, factor) in [(ExtremeGenerator.lowest, 0.9), (.highest, 1.1)] {
            let decision = decideMissing(missingTimes, extreme: generator)

            guard case .wait(.snooze(let delay), let reason) = decision else {
                Issue.record("not snoozed: \(decision)")
                return
            }
            #expect(delay >= .seconds(middle * factor * 0.999) && delay <= .seconds(middle * factor * 1.001))
            #expect(reason == .purchaseNotInReceipt)
            #expect(decision.isMissing)
        }
    }

    @Test(arguments: [day, 2 * day])
    func absentPurchaseIsGivenUpPastItsHorizon(_ missingTimes: TimeInterval) {
        #expect(
            decideMissing(missingTimes)
                == .end(.rejected, .purchaseNotInReceipt))
    }

    /// Apple was away, or no worker ran.
    @Test func aLookThatComesLateIsFollowedByAnother() {
        let twice: TimeInterval = 2 * 21_600

        #expect(policy.isFinalCheck(MissingTimes(sinceFirstCheck: Self.day, sinceLastCheck: twice)))
        #expect(!policy.isFinalCheck(MissingTimes(sinceFirstCheck: Self.day, sinceLastCheck: twice + 1)))
        #expect(!policy.isFinalCheck(MissingTimes(sinceFirstCheck: Self.day - 1, sinceLastCheck: 0)))
        guard case .wait(.snooze(let delay), _) = decideMissing(30 * Self.day, lastCheck: 29 * Self.day) else {
            Issue.record("not looked for again")
            return
        }
        #expect(delay >= .seconds(21_600 * 0.899) && delay <= .seconds(21_600 * 1.101))
    }

    @Test func whatAppleMayKnowIsRefusedByAPersonOnly() {
        #expect(
            decideMissing(Self.day, isUnresolved: true)
                == .discard(.transactionNotFound))
    }

    @Test func whatMayBeInAnEntryThatNobodyReadsIsRefusedByAPersonOnly() {
        var generator = ExtremeGenerator.lowest
        let decision = policy.decideMissing(
            missingTimes: MissingTimes(sinceFirstCheck: Self.day), isUnresolved: false, isPartlyRead: true, using: &generator)

        #expect(decision == .discard(.unknownAnswer))
    }

    // MARK: Half asked

    private func decideHalfAsked(_ uncertainAttempts: Int, extreme: ExtremeGenerator = .lowest) -> RetryDecision {
        var generator = extreme
        return policy.decideHalfAsked(uncertainAttempts: uncertainAttempts, using: &generator)
    }

    @Test(arguments: zip(0...2, [120.0, 240, 480]))
    func anIDThatProductionDoesNotKnowIsAskedForAgainLaterEachTime(_ before: Int, _ seconds: Double) {
        #expect(
            decideHalfAsked(before)
                == .wait(.retry(after: policy.uncertainBackoff.ceiling(afterAttempt: before + 1) / 2), .appStoreUnavailable))
        guard case .wait(.retry(let delay), _) = decideHalfAsked(before, extreme: .highest) else {
            Issue.record("not retried")
            return
        }
        #expect(delay > .seconds(seconds * 0.999) && delay <= .seconds(seconds))
    }

    @Test(arguments: [3, 4, 7, 1_000])
    func anIDThatProductionDoesNotKnowIsParkedAfterHalfOfTheAnswersThatWouldEndIt(_ before: Int) {
        #expect(decideHalfAsked(before) == .wait(.release, .appStoreUnavailable))
    }

    // MARK: Configuration, and what needs a person

    @Test(arguments: [1, 1_000], [0, 30 * day])
    func faultOfConfigurationIsHandedBackForEver(_ attempt: Int, _ age: TimeInterval) {
        let decision = decide(.configuration, .configuration, attempt: attempt, age: age)

        #expect(decision == .wait(.release, .configuration))
    }

    @Test func whatNeedsAPersonIsLeftToOneAtOnce() {
        let decision = decide(.needsAPerson, .unsupportedYet)

        #expect(decision == .end(.review, .unsupportedYet))
    }

    // MARK: An order that is held

    @Test(arguments: zip([-1, 0, 0.4, 0.5, 0.51, 1.2, 4.9, 5, 30 * day], [0.5, 0.5, 0.5, 0.5, 0.51, 1.2, 4.9, 5, 5]))
    func anOrderThatSomebodyHoldsIsTriedAgainAtTwiceTheAge(_ age: TimeInterval, _ delay: TimeInterval) {
        #expect(RetryPolicy.delayOfHeldOrder(age: age) == .seconds(delay))
    }
}
