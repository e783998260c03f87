// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MetricsTestKit
import Testing
import Verification

@testable import VerificationQueue

@Suite struct WorkerMetricsTests {
    private let factory = TestMetrics()

    private func makeMetrics() -> WorkerMetrics {
        WorkerMetrics(factory: factory, version: "1.2.3", leaseDuration: .seconds(60))
    }

    private func total(_ metric: Metric, _ labels: [(String, String)] = []) throws -> Int64 {
        try factory.expectCounter(metric.name, labels).totalValue
    }

    @Test func aBatchIsCountedByWhatBecameOfIt() throws {
        let metrics = makeMetrics()
        let candidate = Sample.candidate("7")
        let batch = [
            SettlementResult(
                settlement: Settlement(Sample.job(1), .grantOne, payments: .init(candidates: [candidate])),
                result: .settled(.fulfilled(PaymentFacts(candidate)))),
            SettlementResult(
                settlement: Settlement(Sample.job(2), .grantOne, payments: .init(candidates: [candidate])),
                result: .settled(.rejected(.alreadyGranted, nil))),
            SettlementResult(
                settlement: Settlement(Sample.job(3), .grantOne, payments: .init(candidates: [candidate])),
                result: .settled(.unchanged)),
            SettlementResult(
                settlement: Settlement(
                    Sample.job(4), .wait(.retry(after: .seconds(1)), .appStoreUnavailable, lane: nil)),
                result: .settled(.unchanged)),
            SettlementResult(
                settlement: Settlement(Sample.job(5), .grantOne, payments: .init(candidates: [candidate])), result: .leaseLost),
        ]

        metrics.settled(batch, by: .careful, in: .milliseconds(3))

        #expect(try total(.settlements, [("result", "settled")]) == 1)
        #expect(try total(.attempts, [("disposition", "complete"), ("reason", "none")]) == 2)
        #expect(try total(.attempts, [("disposition", "complete"), ("reason", "already_granted")]) == 1)
        #expect(try total(.attempts, [("disposition", "retry"), ("reason", "app_store_unavailable")]) == 1)
        #expect(try total(.orders, [("outcome", "fulfilled")]) == 1)
        #expect(try total(.orders, [("outcome", "rejected")]) == 1)
        #expect(try total(.orders, [("outcome", "unchanged")]) == 2)
        #expect(try total(.grants, [("environment", "production")]) == 1)
        #expect(try total(.duplicatesPrevented, [("reason", "already_granted")]) == 1)
        #expect(try total(.duplicatesPrevented, [("reason", "order_already_paid")]) == 1)
        #expect(try total(.staleSettlements) == 1)
        #expect(try total(.settlementPaths, [("path", "careful")]) == 4)
        #expect(try total(.settlementPaths, [("path", "short")]) == 0)
        #expect(try factory.expectTimer(Metric.settlementDuration.name).values == [3_000_000])
    }

    @Test func aPartThatWasRefundedAfterTheGrantIsCounted() throws {
        let metrics = makeMetrics()
        let settlement = Settlement(Sample.job(), .grantOne, payments: .init(candidates: [Sample.candidate("1")]))
        #expect(try total(.partlyRefundedGrants) == 0)

        metrics.settled(
            [true, false].map {
                SettlementResult(settlement: settlement, result: .settled(.unchanged), recordsRefundOfPart: $0)
            }, by: .careful, in: .zero)

        #expect(try total(.partlyRefundedGrants) == 1)
    }

    @Test func whoPaysForACancelledOrderHasPaidOnce() throws {
        let metrics = makeMetrics()
        let settlement = Settlement(Sample.job(state: .cancelled), .grantOne, payments: .init(candidates: [Sample.candidate("1")]))

        metrics.settled(
            [SettlementResult(settlement: settlement, result: .settled(.unchanged))], by: .careful, in: .milliseconds(1))

        #expect(try total(.duplicatesPrevented, [("reason", "order_already_paid")]) == 0)
    }

    /// Whichever order it is, one was fulfilled.
    @Test func aPaymentThatPaidAnotherOrderIsAGrant() throws {
        let metrics = makeMetrics()
        let candidate = Sample.candidate("1")
        let settlement = Settlement(Sample.job(), .grantOne, payments: .init(candidates: [candidate]))
        let outcome = OrderOutcome.paidAnother(OrderID(rawValue: "own"), by: PaymentFacts(candidate))

        metrics.settled(
            [SettlementResult(settlement: settlement, result: .settled(outcome))], by: .careful, in: .milliseconds(1))

        #expect(try total(.orders, [("outcome", "fulfilled")]) == 1)
        #expect(try total(.grants, [("environment", "production")]) == 1)
        #expect(try total(.attempts, [("disposition", "complete"), ("reason", "another_payment")]) == 1)
    }

    @Test func aPaymentForAnotherProductThatAPaidOrderShowsIsNoDuplicate() throws {
        let metrics = makeMetrics()
        let other = ShownPayment(.sample(id: "1", product: "gems"))
        let settlement = Settlement(Sample.job(state: .fulfilled), .grantOne, payments: .init(candidates: [other]))

        metrics.settled(
            [SettlementResult(settlement: settlement, result: .settled(.unchanged))], by: .careful, in: .milliseconds(1))

        #expect(try total(.duplicatesPrevented, [("reason", "order_already_paid")]) == 0)
    }

    @Test func anUploadForAnOrderInReviewIsNoFurtherReview() throws {
        let metrics = makeMetrics()
        let batch = [OrderState.open, .review, .fulfilled].enumerated().map { number, state in
            SettlementResult(
                settlement: Settlement(Sample.job(Int64(number), state: state), .end(.review(.ownerMismatch, nil))),
                result: .settled(.review(.ownerMismatch, nil)))
        }

        metrics.settled(batch, by: .careful, in: .milliseconds(3))

        #expect(try total(.orders, [("outcome", "review")]) == 1)
        #expect(try total(.orders, [("outcome", "unchanged")]) == 2)
    }

    /// A second until the claim by the database's clock, and what passed since, which is next to nothing.
    @Test func theLatencyOfAGrantIsCountedFromTheInsert() throws {
        let metrics = makeMetrics()
        let candidate = Sample.candidate("7")
        let settlement = Settlement(Sample.job(age: 5), .grantOne, payments: .init(candidates: [candidate]))

        let outcome = OrderOutcome.fulfilled(PaymentFacts(candidate))
        metrics.settled(
            [SettlementResult(settlement: settlement, result: .settled(outcome))], by: .careful, in: .zero)

        let latency = try #require(try factory.expectTimer(Metric.fulfilmentLatency.name).values.first)
        #expect((5_000_000_000..<15_000_000_000).contains(latency))
    }

    @Test func claimsAreCountedByResultAndReason() throws {
        let metrics = makeMetrics()

        metrics.claimed(3, for: .signalled, in: .milliseconds(2))
        metrics.claimed(0, for: .polled, in: .milliseconds(1))
        metrics.claimFailed(for: .roomMade)

        #expect(try total(.claims, [("result", "jobs"), ("reason", "signalled")]) == 1)
        #expect(try total(.claims, [("result", "empty"), ("reason", "polled")]) == 1)
        #expect(try total(.claims, [("result", "failed"), ("reason", "room_made")]) == 1)
        #expect(factory.counters.filter { $0.label == Metric.claims.name }.map(\.totalValue).reduce(0, +) == 3)
        #expect(try total(.claimedJobs) == 3)
        #expect(try factory.expectTimer(Metric.claimDuration.name).values == [2_000_000, 1_000_000])
    }

    /// A counter that begins at 1 has not risen, for whoever reads it.
    @Test(arguments: WakeUp.allCases) func claimsOfEachReasonAreThereFromTheStart(reason: WakeUp) throws {
        _ = makeMetrics()

        for result in ["jobs", "empty", "failed"] {
            #expect(try total(.claims, [("result", result), ("reason", reason.rawValue)]) == 0)
        }
    }
}
