// SPDX-License-Identifier: Apache-2.0

import Rehearsal
import TestSupport
import Testing
import Verification

@testable import counterfoil_bench

/// The judge's; the domain has a verdict too.
private typealias Verdict = counterfoil_bench.Verdict

@Suite struct VerdictTests {
    private static let plan = ChaosLoad.plan(ChaosSettings(), seed: 3)

    private static func verdict(
        checks: [CheckResult] = [], pendingJobs: [String] = [], _ change: (inout Observation) -> Void = { _ in }
    ) -> Verdict {
        var observation = Observation.asPlanned(plan)
        change(&observation)
        return Verdict(plan, observation, checks: checks, pendingJobs: pendingJobs)
    }

    private static var honest: Purchase {
        plan.purchases.first { $0.kind == .receipt } ?? plan.purchases[0]
    }

    @Test func whatCameAboutAsPlannedIsKept() {
        #expect(Self.verdict().isKept)
    }

    /// However well its order ended.
    @Test func aWrongAnswerIsNotKept() {
        var answers = AnswerVerdict()
        answers.wrong = [WrongAnswer(rule: .resendInVain, kind: .receipt, subject: "order 1-1", details: "open → resend_proof")]

        let verdict = Verdict(Self.plan, .asPlanned(Self.plan), checks: [], pendingJobs: [], answers: answers)

        #expect(!verdict.isKept)
        #expect(verdict.otherwise.count == 1 && verdict.otherwise[0].hasPrefix("wrong answer: "))
    }

    @Test func aPaymentGrantedTwiceIsADuplicate() throws {
        let key = Observation.TransactionKey(Self.honest.transactions[0])

        let verdict = Self.verdict { $0.grants[key] = $0.grants.values.flatMap { $0 }.suffix(2) }

        #expect(verdict.duplicates.contains("transaction \(key.id) was granted 2 times"))
        #expect(!verdict.isKept)
    }

    @Test func anOrderPaidTwiceIsADuplicate() throws {
        let order = Self.honest.orders[0].id
        let other = try #require(Self.plan.purchases.last { $0.kind == .receipt })
        let key = Observation.TransactionKey(other.transactions[0])

        let verdict = Self.verdict { $0.grants[key] = $0.grants[.init(Self.honest.transactions[0])] }

        #expect(verdict.duplicates == ["order \(order) was paid 2 times"])
    }

    @Test func aPaymentThatNobodyKnowsIsLost() {
        let key = Observation.TransactionKey(Self.honest.transactions[0])

        let verdict = Self.verdict { $0.grants[key] = nil }

        #expect(verdict.lost.count == 1)
    }

    @Test func anHonestOrderInReviewIsLost() {
        let order = Self.honest.orders[0].id

        let verdict = Self.verdict {
            $0.outcomes[order] = .review(.crashedRepeatedly)
        }

        #expect(verdict.lost.count == 1)
        #expect(verdict.lostOrders == [order])
    }

    @Test func aCheckThatFindsRowsAndAJobThatStaysAreDifferences() {
        #expect(Self.verdict(checks: [CheckResult(name: "check", rows: ["a row"])]).otherwise == ["check: a row"])
        #expect(Self.verdict(pendingJobs: ["job"]).otherwise == ["never came to rest: job"])
    }

    @Test func eachWayToBreakAPromiseIsTold() {
        let key = Observation.TransactionKey(Self.honest.transactions[0])
        let checks = [CheckResult(name: "check", rows: ["a row"]), CheckResult(name: "check_too", rows: ["another"])]

        let lost = Self.verdict { $0.grants[key] = nil }
        let otherwise = Self.verdict(checks: checks, pendingJobs: ["job"])

        #expect(lost.lines(of: .lost) == lost.lost)
        #expect(lost.lines(of: .grantedTwice) == [])
        #expect(otherwise.lines(of: .lost) == [])
        #expect(otherwise.lines(of: .neverAtRest) == ["never came to rest: job"])
        #expect(otherwise.lines(of: .check("check")) == ["check: a row"])
        #expect(otherwise.lines(of: .check("another_check")) == [])
    }
}
