// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import Rehearsal

/// Each wait has a cause, and ends within its bound.
@Suite struct WaitJudgeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let cause: String
        /// Seconds, within the bound, after which the answer comes, and beyond it.
        let meant: Double
        let tooLong: Double
        var lastReason: String?
        let change: @Sendable (inout AnswerWorld) -> Void
    }

    static let cases = [
        Case(testDescription: "nothing is broken", cause: "claim", meant: 58, tooLong: 62) { _ in },
        Case(testDescription: "Apple failed", cause: "outage", meant: 108, tooLong: 112) {
            $0.attempts = [$0.attempt(1, 0.35, 19, 20, "retry", reason: "app_store_unavailable")]
        },
        Case(testDescription: "the gate was closed", cause: "outage", meant: 188, tooLong: 192) {
            $0.disturb(.closedGate(bundleID: $0.app), 2, 100)
        },
        Case(testDescription: "another app's gate was closed", cause: "claim", meant: 58, tooLong: 62) {
            $0.disturb(.closedGate(bundleID: "com.example.another"), 2, 100)
        },
        Case(testDescription: "its worker was killed", cause: "lease", meant: 90, tooLong: 93) {
            $0.attempts = [$0.attempt(1, 0.35, 20, 31, "rescue")]
        },
        Case(testDescription: "its worker was killed, and its job rescued too late", cause: "lease", meant: 104, tooLong: 107) {
            // A lease of ten seconds, and fifteen that a rescue may take.
            $0.attempts = [$0.attempt(1, 0.35, 20, 80, "rescue")]
        },
        Case(testDescription: "the database was away", cause: "database", meant: 138, tooLong: 142) {
            $0.disturb(.databaseAway, 3, 50)
        },
        Case(testDescription: "Apple takes no more calls", cause: "rate_limited", meant: 4_385, tooLong: 4_395) {
            $0.attempts = [$0.attempt(1, 0.35, 9, 10, "snooze", reason: "rate_limited")]
        },
        Case(testDescription: "its order was held", cause: "held", meant: 73, tooLong: 77) {
            $0.attempts = [$0.attempt(1, 0.35, 9, 10, "snooze")]
        },
        Case(testDescription: "a reason that no row has", cause: "claim", meant: 58, tooLong: 62) {
            $0.attempts = [$0.attempt(1, 0.35, 9, 10, "snooze", reason: "bad_signature")]
        },
    ]

    private func world(_ wait: Case, until end: Double) -> AnswerWorld {
        var world = AnswerWorld()
        world.answers = []
        world.attempts = []
        wait.change(&world)
        world.attempts.append(world.attempt(1, 0.35, end - 1, end - 0.5))
        world.grantedAt = end - 0.5
        world.tell("wait", at: 0.5, until: end - 1)
        world.tell("finish", state: "fulfilled", at: end, naming: world.transaction.id)
        return world
    }

    @Test(arguments: cases)
    func aWaitEndsWithinTheBoundOfItsCause(_ wait: Case) {
        let meant = world(wait, until: wait.meant).verdict
        let tooLong = world(wait, until: wait.tooLong).verdict

        #expect(meant.wrong.map(\.line) == [])
        #expect(meant.waits.map(\.wait) == [wait.cause])
        #expect(tooLong.wrong.map(\.rule) == [.waitTooLong], "\(tooLong.wrong.map(\.line))")
    }

    @Test func theLongestWaitOfEachCauseIsReported() {
        let verdict = world(Self.cases[1], until: 60).verdict

        #expect(verdict.waits.count == 1)
        #expect(verdict.waits[0].count == 1 && abs(verdict.waits[0].longest - 59.6) < 0.11)
        #expect(abs(verdict.waits[0].longestAfterCause - 40) < 0.11)
        #expect(verdict.lines.count == 2)
        #expect(verdict.lines[1].hasPrefix("waits by outage: 1, the longest ") && verdict.lines[1].hasSuffix(" of 90.0 s"))
    }

    @Test func answersThatAreTheSameAreOneFromTheFirstToTheLast() {
        var log = AnswerLog()
        let start = Date(timeIntervalSince1970: 1_000)
        func told(_ action: String, _ second: Double) -> Answer {
            Answer(.order(0), state: "open", action: action, during: start + second...start + second + 0.1)
        }

        let areNew = [("wait", 0.0), ("wait", 1), ("finish", 2), ("wait", 3)].map { log.note(told($0.0, $0.1)) }

        #expect(areNew == [true, false, true, true])
        #expect(log.answers.map(\.action) == ["wait", "finish", "wait"])
        #expect(log.answers[0].first.lowerBound == start && log.answers[0].last.upperBound == start + 1.1)
    }
}
