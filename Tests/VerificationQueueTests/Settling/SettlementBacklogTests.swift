// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification
import VerificationQueue

@Suite struct SettlementBacklogTests {
    @Test func aBatchHoldsEachOrderOnce() {
        var backlog = SettlementBacklog()
        backlog.add(Settlement(Sample.job(1, order: "a"), .end(.unchanged)))
        backlog.add(Settlement(Sample.job(2, order: "a"), .end(.unchanged)))
        backlog.add(Settlement(Sample.job(3, order: "b"), .end(.unchanged)))

        let first = backlog.takeBatch(limit: 10).map(\.job.id.rawValue)
        let second = backlog.takeBatch(limit: 10).map(\.job.id.rawValue)

        #expect(first == [1, 3])
        #expect(second == [2])
    }

    @Test func aBatchHoldsEachPaymentOnce() {
        var backlog = SettlementBacklog()
        backlog.add(Settlement(Sample.job(1), .grantOne, payments: .init(candidates: [Sample.candidate("7")])))
        backlog.add(Settlement(
            Sample.job(2), .grantOne, payments: .init(candidates: [Sample.candidate("8"), Sample.candidate("7")])))
        backlog.add(Settlement(Sample.job(3), .grantOne, payments: .init(candidates: [Sample.candidate("9")])))

        let first = backlog.takeBatch(limit: 10).map(\.job.id.rawValue)

        #expect(first == [1, 3])
        #expect(backlog.count == 1)
    }

    /// They may be one payment, told by two proofs as of two kinds, and so under two keys.
    @Test func aBatchGrantsOneOfAnOriginalTransaction() {
        var backlog = SettlementBacklog()
        backlog.add(Settlement(Sample.job(1), .grantOne, payments: .init(candidates: [Sample.candidate("7")])))
        let restored = Transaction.sample(id: "8", original: "7", kind: .nonConsumable)
        backlog.add(Settlement(Sample.job(2), .grantOne, payments: .init(candidates: [ShownPayment(restored)])))

        #expect(backlog.takeBatch(limit: 10).map(\.job.id.rawValue) == [1])
        #expect(backlog.takeBatch(limit: 10).map(\.job.id.rawValue) == [2])
    }

    @Test func theOldestGoFirstUpToTheLimit() {
        var backlog = SettlementBacklog()
        for id in 1...5 {
            backlog.add(Settlement(Sample.job(Int64(id)), .end(.unchanged)))
        }

        #expect(backlog.takeBatch(limit: 2).map(\.job.id.rawValue) == [1, 2])
        #expect(backlog.takeBatch(limit: 9).map(\.job.id.rawValue) == [3, 4, 5])
        #expect(backlog.takeBatch(limit: 9).isEmpty)
    }

    @Test func aBatchTouchesNoMorePaymentsThanTheServerHasLocksFor() {
        var backlog = SettlementBacklog()
        let half = SettlementBacklog.paymentsInABatch / 2
        for job in 0..<3 {
            let payments = (0..<half).map { Sample.candidate("\(job)-\($0)") }
            backlog.add(Settlement(Sample.job(Int64(job)), .end(.unchanged), payments: .init(others: payments)))
        }
        let large = (0..<(4 * half)).map { Sample.candidate("large-\($0)") }
        backlog.add(Settlement(Sample.job(9), .end(.unchanged), payments: .init(others: large)))

        let batches = (0..<3).map { _ in backlog.takeBatch(limit: 100).map(\.job.id.rawValue) }

        #expect(batches == [[0, 1], [2], [9]])
    }

    // MARK: When

    /// A backlog with so many attempts that have nothing to do with each other.
    private func backlog(_ count: Int) -> SettlementBacklog {
        var backlog = SettlementBacklog()
        add(1...count, to: &backlog)
        return backlog
    }

    private func add(_ ids: ClosedRange<Int>, to backlog: inout SettlementBacklog) {
        for id in ids {
            backlog.add(Settlement(Sample.job(Int64(id), order: "order \(id)"), .end(.unchanged)))
        }
    }

    /// What is done next: how many go out, or the name of the step.
    private func step(_ backlog: inout SettlementBacklog) -> String {
        switch backlog.next(limit: 10) {
        case .batch(let batch): "\(batch.count)"
        case .gather: "gather"
        case .wait: "wait"
        case .end: "end"
        }
    }

    @Test func aFewGoOutAtOnce() {
        var backlog = backlog(1)
        #expect(backlog.hasWork(limit: 10))
        #expect(step(&backlog) == "1")
        add(2...4, to: &backlog)
        #expect(step(&backlog) == "3")
        add(5...5, to: &backlog)
        #expect(step(&backlog) == "1")
        #expect(!backlog.hasWork(limit: 10))
        #expect(step(&backlog) == "wait")
    }

    @Test func underLoadOneGathersForAllOfThem() {
        var backlog = backlog(4)
        #expect(step(&backlog) == "4")
        add(5...5, to: &backlog)

        #expect(step(&backlog) == "gather")
        #expect(!backlog.hasWork(limit: 10))
        #expect(step(&backlog) == "wait")
        add(6...8, to: &backlog)
        #expect(!backlog.hasWork(limit: 10))
        backlog.endGathering()

        #expect(backlog.hasWork(limit: 10))
        #expect(step(&backlog) == "4")
        #expect(step(&backlog) == "wait")
    }

    @Test func aFullBatchWaitsForNobody() {
        var backlog = backlog(4)
        #expect(step(&backlog) == "4")
        add(5...5, to: &backlog)
        #expect(step(&backlog) == "gather")
        add(6...15, to: &backlog)

        #expect(backlog.hasWork(limit: 10))
        #expect(step(&backlog) == "10")
        #expect(step(&backlog) == "wait")
        backlog.endGathering()
        #expect(step(&backlog) == "1")
    }

    @Test func whatIsLeftAtTheEndWaitsForNothing() {
        var backlog = backlog(4)
        #expect(step(&backlog) == "4")
        add(5...6, to: &backlog)
        #expect(step(&backlog) == "gather")

        backlog.finish()

        #expect(backlog.hasWork(limit: 10))
        #expect(step(&backlog) == "2")
        #expect(backlog.hasWork(limit: 10))
        #expect(step(&backlog) == "end")
    }
}
