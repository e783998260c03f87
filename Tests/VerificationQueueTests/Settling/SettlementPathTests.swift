// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Testing
import Verification

@testable import VerificationQueue

/// Which settlements take the short path first, and what follows when it writes nothing.
@Suite struct SettlementPathTests {
    private static let plain = Settlement(Sample.job(), .grantOne, payments: .init(candidates: [Sample.candidate("1")]))

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let settlement: Settlement
        let path: SettlementPath
    }

    @Test(arguments: [
        Case(testDescription: "one payment that nothing stands against", settlement: plain, path: .short),
        Case(
            testDescription: "two that may pay",
            settlement: Settlement(
                Sample.job(), .grantOne, payments: .init(candidates: [Sample.candidate("1"), Sample.candidate("2")])),
            path: .careful),
        Case(
            testDescription: "one beside another payment",
            settlement: Settlement(
                Sample.job(), .grantOne, payments: .init(candidates: [Sample.candidate("1")], others: [Sample.candidate("2")])),
            path: .careful),
        Case(
            testDescription: "an objection: a token of nobody's",
            settlement: Settlement(
                Sample.job(token: UUID()), .grantOne,
                payments: .init(candidates: [ShownPayment(.sample(id: "1", token: UUID()))])),
            path: .careful),
        Case(
            testDescription: "a line about the attempt",
            settlement: Settlement(
                Sample.job(), .grantOne, payments: .init(candidates: [Sample.candidate("1")]), message: "unwrapped"),
            path: .careful),
        Case(testDescription: "no grant", settlement: Settlement(Sample.job(), .end(.unchanged)), path: .careful),
        Case(
            testDescription: "a job that waits",
            settlement: Settlement(Sample.job(), .wait(.retry(after: .zero), .unknownAnswer, lane: nil)), path: .careful),
    ])
    func onlyAPlainGrantTakesTheShortPath(_ example: Case) {
        #expect(SettlementPath(example.settlement) == example.path)
    }

    @Test func aBatchIsDividedByPath() {
        let careful = Settlement(Sample.job(2), .end(.unchanged))

        let batches = SettlementBatch.batches(of: [Self.plain, careful, Self.plain])

        #expect(batches.map(\.path) == [.short, .careful])
        #expect(batches.map(\.settlements.count) == [2, 1])
        #expect(batches.allSatisfy { !$0.locksOrders && !$0.isApart })
        #expect(SettlementBatch.batches(of: [careful]).map(\.path) == [.careful])
        #expect(SettlementBatch.batches(of: []).isEmpty)
    }

    @Test func refundsAreWrittenBeforeGrants() {
        let refund = Settlement(
            Sample.job(2), .end(.unchanged), payments: .init(revoked: [.sample(id: "1", revoked: Date())]))

        #expect(SettlementBatch.batches(of: [Self.plain, refund]).map(\.path) == [.careful, .short])
        #expect(SettlementBatch.batches(of: [refund]).map(\.path) == [.careful])
    }

    /// What the database says about a row, or somebody else's lock, is for the careful path to decide, and counts as no failure.
    @Test(arguments: [
        (SettlementFault.lock("55P03"), true), (.ofARow("23505"), true), (.perhapsOfARow("57014"), true),
        (.passing, false), (.ofTheMoment("53100"), false),
    ])
    func whatFallsOutIsSettledCarefully(fault: SettlementFault, fallsOut: Bool) throws {
        let short = try #require(SettlementBatch.batches(of: [Self.plain, Self.plain]).first)

        let step = short.next(after: fault, settled: 0, now: .now)

        #expect(short.fallsOut(after: fault) == fallsOut)
        guard case .sendAgain(let again) = step else {
            Issue.record("\(step)")
            return
        }
        #expect(again.path == (fallsOut ? .careful : .short))
        #expect(again.settlements.count == 2)
        #expect(!again.locksOrders)
        if fallsOut { #expect(again.tries == 0) }
    }

    @Test func whatIsLeftOutIsSettledCarefullyAtOnce() throws {
        let short = try #require(SettlementBatch.batches(of: [Self.plain, Self.plain]).first)

        guard case .sendAgain(let again) = short.next(afterLeaving: [Self.plain], now: .now) else {
            Issue.record("it isn't sent again")
            return
        }

        #expect(again.path == .careful)
        #expect(again.settlements.count == 1)
        #expect(again.waitsUntil <= .now)
        #expect(again.tries == 0)
    }

    @Test func onlyTheServersWordForMovedGrantsIsALock() {
        let moved = PostgresError(.server, message: "moved", sqlState: .movedGrants)
        guard case .lock = SettlementFault(moved) else {
            Issue.record("\(SettlementFault(moved))")
            return
        }
    }
}
