// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification

@testable import VerificationQueue

/// Which of the settlements that are settled apart comes next, and when no more can come.
@Suite struct SettlementsApartTests {
    private static let start = ContinuousClock.now

    /// - Parameters:
    ///   - refusals: how often the database refused it.
    ///   - pause: how long after the start it is due.
    private static func part(_ id: Int64, refusals: Int = 0, pause: Duration = .zero) throws -> SettlementBatch {
        var part = SettlementBatch([Settlement(Sample.job(id), .end(.unchanged))])
        for _ in 0..<refusals {
            guard case .sendAgain(let again) = part.next(after: .ofTheMoment(""), settled: 0, now: start) else {
                throw NotSentAgain()
            }
            part = again
        }
        part.waitsUntil = start + pause
        return part
    }

    private struct NotSentAgain: Error {}

    private static func id(_ part: SettlementBatch?) -> Int64? {
        part?.settlements.first?.job.id.rawValue
    }

    @Test func aPartIsTakenOnceItIsDue() throws {
        var apart = SettlementsApart()
        apart.add([try Self.part(1, pause: .seconds(2)), try Self.part(2, pause: .seconds(1))])

        #expect(apart.waitsUntil == Self.start + .seconds(1))
        #expect(!apart.hasWork(at: Self.start))
        #expect(apart.hasWork(at: Self.start + .seconds(1)))

        let taken = [0, 1, 1, 2].map { Self.id(apart.take(at: Self.start + .seconds($0))) }

        #expect(taken == [nil, 2, nil, 1])
        #expect(apart.waitsUntil == nil)
    }

    @Test func aPartThatWasRefusedOftenerComesAfterTheOthers() throws {
        var apart = SettlementsApart()
        apart.add([
            try Self.part(1, refusals: 2), try Self.part(2, refusals: 1, pause: .seconds(1)), try Self.part(3, pause: .seconds(3)),
            try Self.part(4, pause: .seconds(2)),
        ])

        let order = (0..<4).map { _ in Self.id(apart.take(at: Self.start + .seconds(3))) }

        #expect(order == [4, 3, 2, 1])
    }

    @Test func itIsOverWhenNoTaskAndNoPartIsLeft() throws {
        var apart = SettlementsApart()
        apart.begin(tasks: 2)
        apart.endTask()
        #expect(!apart.isOver)

        apart.add([try Self.part(1)])
        apart.endTask()
        #expect(!apart.isOver)

        _ = apart.take(at: Self.start)
        #expect(apart.isOver)
        // The task is to end: it waits no more.
        #expect(apart.hasWork(at: Self.start))
    }

    @Test func aTaskThatStillSettlesIsWaitedFor() {
        var apart = SettlementsApart()
        apart.begin(tasks: 1)

        #expect(!apart.isOver)
        #expect(!apart.hasWork(at: Self.start))
        #expect(apart.waitsUntil == nil)
    }
}
