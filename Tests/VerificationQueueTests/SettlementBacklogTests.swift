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
        backlog.add(Settlement(Sample.job(1), .grantOne(of: [Sample.candidate("7")])))
        backlog.add(Settlement(Sample.job(2), .grantOne(of: [Sample.candidate("8"), Sample.candidate("7")])))
        backlog.add(Settlement(Sample.job(3), .grantOne(of: [Sample.candidate("9")])))

        let first = backlog.takeBatch(limit: 10).map(\.job.id.rawValue)

        #expect(first == [1, 3])
        #expect(backlog.count == 1)
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
            let payments = (0..<half).map { UnclaimedTransaction(.sample(id: "\(job)-\($0)"), reason: .noOrder) }
            backlog.add(Settlement(Sample.job(Int64(job)), .end(.unchanged), unclaimed: payments))
        }
        let large = (0..<(4 * half)).map { UnclaimedTransaction(.sample(id: "large-\($0)"), reason: .noOrder) }
        backlog.add(Settlement(Sample.job(9), .end(.unchanged), unclaimed: large))

        let batches = (0..<3).map { _ in backlog.takeBatch(limit: 100).map(\.job.id.rawValue) }

        #expect(batches == [[0, 1], [2], [9]])
    }
}
