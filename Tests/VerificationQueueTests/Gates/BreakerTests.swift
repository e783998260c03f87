// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification
import VerificationQueue

@Suite struct BreakerTests {
    private static let start = ContinuousClock.now

    private var breaker = Breaker()

    /// Records `count` calls at one moment, by accounts in turn, and returns the actions.
    private mutating func record(
        _ count: Int, _ result: Breaker.CallResult, accounts: Int = 3, at second: Double = 0
    ) -> [Breaker.Action] {
        (0..<count).map { number in
            breaker.record(
                result, account: AccountID(rawValue: "account \(number % accounts)"),
                at: Self.start + .seconds(second))
        }
    }

    @Test mutating func tenthFailureClosesTheGateOnce() {
        let actions = record(10, .failed)

        #expect(actions.dropLast().allSatisfy { $0 == .none })
        #expect(actions.last == .closeGate)
    }

    @Test mutating func nineFailuresDoNotCloseTheGate() {
        #expect(!record(9, .failed).contains(.closeGate))
    }

    @Test mutating func answersNeverCloseTheGate() {
        #expect(!record(1_000, .answered).contains(.closeGate))
    }

    @Test mutating func failuresOfTwoAccountsDoNotCloseTheGate() {
        #expect(!record(100, .failed, accounts: 2).contains(.closeGate))

        #expect(breaker.record(.failed, account: AccountID(rawValue: "third"), at: Self.start) == .closeGate)
    }

    @Test mutating func answersOfOtherAccountsDoNotMakeUpForTheirFailures() {
        _ = record(9, .answered, accounts: 9)

        #expect(!record(100, .failed, accounts: 2).contains(.closeGate))
    }

    @Test mutating func halfOfTheCallsMustFail() {
        _ = record(11, .answered)

        #expect(!record(10, .failed).contains(.closeGate))
        #expect(record(1, .failed) == [.closeGate])
    }

    @Test mutating func twentyFailuresInARowCloseTheGateOfABusyLane() {
        _ = record(1_000, .answered)

        let actions = record(20, .failed)

        #expect(actions.firstIndex(of: .closeGate) == 19)
    }

    @Test mutating func anAnswerBetweenThemEndsARowOfFailures() {
        _ = record(1_000, .answered)
        _ = record(19, .failed)
        _ = record(1, .answered)

        #expect(!record(19, .failed).contains(.closeGate))
    }

    @Test mutating func failuresInARowOfTwoAccountsDoNotCloseTheGate() {
        _ = record(1_000, .answered)

        #expect(!record(100, .failed, accounts: 2).contains(.closeGate))
    }

    @Test mutating func exactlyHalfIsEnough() {
        _ = record(10, .answered)

        #expect(record(10, .failed).last == .closeGate)
    }

    @Test mutating func answerDoesNotCloseTheGateThoughOldAnswersLeave() {
        _ = record(20, .answered, at: 0)
        _ = record(10, .failed, at: 20)

        #expect(record(1, .answered, at: 31) == [.none])
        #expect(record(1, .failed, at: 31) == [.closeGate])
    }

    @Test mutating func failuresOutsideTheWindowAreForgotten() {
        _ = record(9, .failed, at: 0)

        #expect(!record(9, .failed, at: 30.1).contains(.closeGate))
        #expect(record(1, .failed, at: 60.1) == [.closeGate])
    }

    @Test mutating func failureAtTheEdgeOfTheWindowCounts() {
        _ = record(9, .failed, at: 0)

        #expect(record(1, .failed, at: 30) == [.closeGate])
    }

    /// With the first of a hundredth of the window.
    @Test(arguments: [(0.29, false), (0.3, true)])
    mutating func failureLeavesTheWindowWithThoseShortlyBeforeIt(_ second: Double, _ stays: Bool) {
        _ = record(5, .failed, at: 0)
        _ = record(4, .failed, at: second)

        _ = record(5, .failed, at: 30.1)

        #expect(record(1, .failed, at: 30.1) == [stays ? .closeGate : .none])
    }

    @Test mutating func accountsOutsideTheWindowAreForgotten() {
        _ = record(2, .failed, accounts: 3, at: 0)
        _ = record(4, .failed, accounts: 1, at: 20)

        #expect(!record(6, .failed, accounts: 1, at: 40).contains(.closeGate))
        #expect(breaker.record(.failed, account: AccountID(rawValue: "second"), at: Self.start + .seconds(41)) == .none)
        #expect(
            breaker.record(.failed, account: AccountID(rawValue: "third"), at: Self.start + .seconds(41)) == .closeGate)
    }

    @Test mutating func accountWithAFailureLeftInTheWindowStillCounts() {
        _ = record(3, .failed, accounts: 3, at: 0)
        _ = record(3, .failed, accounts: 3, at: 20)

        #expect(record(7, .failed, accounts: 1, at: 40).last == .closeGate)
    }

    @Test mutating func closedBreakerBeginsAnew() {
        _ = record(10, .failed)

        let actions = record(10, .failed)

        #expect(actions.dropLast().allSatisfy { $0 == .none })
        #expect(actions.last == .closeGate)
    }

    @Test mutating func lateCallCountsWithTheLatest() {
        _ = record(9, .failed, at: 100)

        #expect(record(1, .failed, at: 0) == [.closeGate])
    }

    @Test mutating func windowThatRollsForLongKeepsCounting() {
        breaker = Breaker(BreakerConfiguration(failuresInARow: 1_000))
        for second in 0..<10_000 {
            _ = record(3, .answered, at: Double(second))
        }

        // The window then holds 31 moments of three answers each.
        #expect(!record(92, .failed, at: 9_999).contains(.closeGate))
        #expect(record(1, .failed, at: 9_999) == [.closeGate])
    }

    @Test mutating func windowThatRollsForLongForgetsItsFailures() {
        breaker = Breaker(BreakerConfiguration(failuresInARow: 1_000))
        for second in 0..<10_000 {
            _ = record(1, .failed, at: Double(second))
            _ = record(3, .answered, at: Double(second))
        }

        #expect(!record(9, .failed, at: 10_030).contains(.closeGate))
        #expect(record(1, .failed, at: 10_030) == [.closeGate])
    }

    @Test(arguments: [
        (BreakerConfiguration(failures: 2), 6, 2),
        (BreakerConfiguration(accounts: 1), 1, 10),
        (BreakerConfiguration(failures: 1, accounts: 1), 1, 1),
        (BreakerConfiguration(failures: 3, failedShare: 1), 3, 3),
    ])
    mutating func configurationIsKept(_ configuration: BreakerConfiguration, _ accounts: Int, _ closing: Int) {
        breaker = Breaker(configuration)

        let needed = max(closing, configuration.accounts)
        let actions = record(needed, .failed, accounts: accounts)

        #expect(actions.firstIndex(of: .closeGate) == needed - 1)
    }

    @Test mutating func shareOfTheConfigurationIsKept() {
        breaker = Breaker(BreakerConfiguration(failures: 3, failedShare: 1, failuresInARow: 1000))
        _ = record(1, .answered)

        #expect(!record(20, .failed).contains(.closeGate))
    }

    @Test mutating func windowOfTheConfigurationIsKept() {
        breaker = Breaker(BreakerConfiguration(window: .seconds(1)))
        _ = record(9, .failed, at: 0)

        #expect(record(1, .failed, at: 1.1) == [.none])
    }
}

@Suite struct ProbeBackoffTests {
    @Test(arguments: zip([-1, 0, 1, 2, 3, 4, 5, 6, 7, 1_000], [1, 1, 2, 4, 8, 16, 32, 60, 60, 60]))
    func probesAreOneSecondToAMinuteApart(_ failures: Int, _ seconds: Int) {
        #expect(ProbeBackoff.delay(afterFailedProbes: failures) == .seconds(seconds))
    }
}
