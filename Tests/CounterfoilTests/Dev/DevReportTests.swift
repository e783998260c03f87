// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Rehearsal
@testable import counterfoil_dev

@Suite struct DevReportTests {
    /// One honest purchase, and its replay for two orders at once.
    private static let plan: PurchasePlan = {
        var honest = PurchaseDraft(number: 1, kind: .signedTransaction, generator: PlanGenerator(seed: 1))
        honest.signedTransaction()
        var replay = PurchaseDraft(number: 2, kind: .replayAtOnce, generator: PlanGenerator(seed: 2))
        replay.replayAtOnce()
        return PurchasePlan(seed: 1, purchases: [honest.purchase, replay.purchase], kills: [])
    }()

    private static func report(
        _ change: (inout Observation) -> Void = { _ in }, checks: [CheckResult] = [],
        measurements: Measurements = Measurements(), pendingJobs: [String] = []
    ) -> DevReport {
        var observation = Observation.asPlanned(plan)
        observation.records[1]?.uploads = 1
        observation.records[2]?.uploads = 2
        change(&observation)
        return DevReport(plan, observation, checks: checks, measurements: measurements, pendingJobs: pendingJobs)
    }

    @Test func theTableCountsWhatWasExpectedAndWhatCame() {
        let lines = Self.report().text.split(separator: "\n").prefix(6)

        #expect(
            lines == [
                "kind of purchase                        purchases  uploads",
                "signed transaction                              1        1  ok",
                "    1 × fulfilled → finish",
                "one payment for two orders at once              1        2  ok",
                "    1 × fulfilled → finish",
                "    1 × rejected(already_granted) → finish",
            ])
    }

    @Test func aRunWithoutAnyDifferenceIsClean() {
        let report = Self.report(checks: [CheckResult(name: "a_rule", rows: [])])

        #expect(report.isClean)
        #expect(report.text.contains("  ok    a_rule"))
        #expect(report.text.hasSuffix("no difference"))
    }

    @Test func aWrongAnswerIsShownThoughAllEndedAsPlanned() {
        var answers = AnswerVerdict()
        answers.judged = 7
        answers.wrong = [
            WrongAnswer(rule: .supportInVain, kind: .receipt, subject: "order 1-1", details: "open → contact_support")
        ]
        answers.waits = [WaitFigure(wait: "outage", count: 2, longest: 12.25, longestAfterCause: 3, bound: 90)]

        let report = DevReport(
            Self.plan, .asPlanned(Self.plan), checks: [], measurements: Measurements(), answers: answers)

        #expect(!report.isClean)
        #expect(report.text.contains("7 answers were judged, 1 of them wrong"))
        #expect(report.text.contains("waits by outage: 2, the longest 12.25 s;"))
        #expect(report.text.contains("order 1-1: sent to support"))
        #expect(report.text.contains("\nwrong answers\n"))
        #expect(report.text.hasSuffix("0 differences, 1 wrong answers, 0 failed invariants, 0 pending jobs"))
    }

    @Test func aDifferenceIsShownInTheTableAndByName() throws {
        let order = Self.plan.purchases[0].orders[0].id
        let report = Self.report({ $0.outcomes[order]?.state = "review" })

        #expect(!report.isClean)
        #expect(report.text.contains("1 DIFFERENT"))
        #expect(report.text.contains("\n    1 × fulfilled → finish, got 0\n    0 × review → finish, got 1\n"))
        let words = report.text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        #expect(words.contains("signed transaction: order \(order): expected fulfilled → finish"))
        #expect(report.text.hasSuffix("1 differences, 0 wrong answers, 0 failed invariants, 0 pending jobs"))
    }

    /// Of every kind of purchase, also where all differ.
    @Test(arguments: [false, true])
    func aReportFitsATerminal(differs: Bool) {
        let plan = PurchasePlan(purchases: 2000, seed: 5, workers: 2, kills: 0)
        var observation = Observation.asPlanned(plan)
        if differs { for order in observation.outcomes.keys { observation.outcomes[order]?.clientAction = "contact_support" } }
        var measurements = Measurements(jobs: 123_456, followUps: 12_345, retries: 12_345, snoozes: 12_345, releases: 12_345)
        measurements.calls = [
            .init(endpoint: "getTestNotificationStatus", environment: "production", outcome: "200 status 21007", count: 12_345)
        ]
        let rows = [String(repeating: "transaction_id=1 ", count: 10)]
        let report = DevReport(
            plan, observation, checks: [CheckResult(name: "a_rule", rows: rows)], measurements: measurements, pendingJobs: rows)

        #expect(report.text.split(separator: "\n").filter { $0.count > 80 } == [])
        #expect(report.differences.isEmpty == !differs)
    }

    @Test func theBarGoesOnUntilTheReport() {
        #expect(Progress.bar(20, of: 20, .settling(jobs: 7), width: 10) == "[##########] 20/20 purchases, 7 jobs left")
        #expect(Progress.bar(20, of: 20, .judging, width: 10) == "[##########] 20/20 purchases, comparing")
    }

    @Test func aCheckThatFindsRowsIsAFailure() {
        let report = Self.report(checks: [CheckResult(name: "a_rule", rows: ["order_id=7"])])

        #expect(!report.isClean)
        #expect(report.text.contains("  FAIL  a_rule\n          order_id=7"))
    }

    @Test func aJobThatStaysIsAFailure() {
        let report = Self.report(pendingJobs: ["order_id=7 state=running"])

        #expect(!report.isClean)
        #expect(report.text.contains("  order_id=7 state=running"))
    }

    @Test func speedAndCallsAreTold() {
        var measurements = Measurements(jobs: 30, rescues: 2, duplicates: 4, seconds: 2)
        measurements.latencies = [.init(proofKind: nil, orders: 20, percentiles: [12.4, 30, 99.6])]
        measurements.calls = [.init(endpoint: "verifyReceipt", environment: "sandbox", outcome: "200 status 0", count: 9)]
        let text = Self.report(measurements: measurements).text

        #expect(text.contains("30 jobs in 2.0 s: 15.0 a second"))
        #expect(text.contains("4 duplicates prevented, 2 rescues after 0 kills"))
        #expect(text.contains("all                      20      12      30     100"))
        #expect(text.contains("verifyReceipt  sandbox      200 status 0      9"))
    }

    @Test func aGrantThatAppleWasNotToldOfIsAFailure() throws {
        let plan = PurchasePlan(purchases: 200, seed: 3, workers: 2, kills: 0)
        var observation = Observation.asPlanned(plan)
        let told = try #require(observation.finished.min())

        #expect(CheckResult.followUps(observation).rows == [])
        observation.finished.remove(told)
        #expect(CheckResult.followUps(observation).rows == ["transaction_id=\(told) granted, and not finished"])
    }

    @Test func somethingFinishedThatWasNotGrantedIsAFailure() {
        var observation = Observation.asPlanned(Self.plan)
        observation.finished.insert("4000")

        #expect(CheckResult.followUps(observation).rows == ["transaction_id=4000 finished, and not granted"])
    }

    @Test(arguments: [(0, "[..........] 0/20 purchases"), (5, "[##........] 5/20 purchases"), (20, "[##########] 20/20 purchases")])
    func theBarFills(count: Int, bar: String) {
        #expect(Progress.bar(count, of: 20, width: 10) == bar)
    }
}
