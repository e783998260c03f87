// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing
import Verification

@testable import VerificationQueue

/// What follows when the database refuses settlements.
@Suite struct SettlementBatchTests {
    /// What is asked for in place of a conclusion that was refused.
    enum Request: Sendable { case conclusion, wait, review, discard }

    private static func settlement(_ request: Request = .conclusion) -> Settlement {
        let retry = RetryPolicy()
        return switch request {
        case .conclusion: Settlement(Sample.job(), .end(.unchanged))
        case .wait: Settlement(Sample.job(), .init(retry.decideRefusedSettlement(attempt: 1, age: 0), lane: nil))
        case .review: Settlement(Sample.job(), .init(retry.decideRefusedSettlement(attempt: 20, age: 1e9), lane: nil))
        case .discard: Settlement(Sample.job(), .init(retry.decideUnstorable(), lane: nil))
        }
    }

    private static func name(_ step: SettlementBatch.Step) -> String {
        switch step {
        case .sendAgain(let part): "send \(part.settlements.count) again"
        case .settleApart(let parts): "settle \(parts.count) apart"
        case .putOff: "put off"
        case .release: "release"
        case .discard: "discard"
        case .giveUp: "give up"
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let fault: SettlementFault
        var count = 1
        var request = Request.conclusion
        /// Others are settled meanwhile.
        var othersPass = false
        /// How long before its lease ends.
        var timeLeft = Duration.seconds(30)
        /// One for each time that it is refused, until it is not sent again as it was.
        let steps: [String]
    }

    @Test(arguments: [
        Case(testDescription: "the connection", fault: .passing, count: 5, steps: Array(repeating: "send 5 again", count: 9)),
        Case(
            testDescription: "the server, or one of several", fault: .ofTheMoment(""), count: 5,
            steps: ["send 5 again", "send 5 again", "settle 5 apart"]),
        Case(
            testDescription: "the server", fault: .ofTheMoment(""), steps: Array(repeating: "send 1 again", count: 9)),
        Case(
            testDescription: "a row without room", fault: .ofTheMoment(""), othersPass: true,
            // From the second on it is known that this one is well.
            steps: ["send 1 again", "send 1 again", "send 1 again", "put off"]),
        Case(
            testDescription: "the same, alone until its lease ends", fault: .ofTheMoment(""), timeLeft: .seconds(2),
            steps: ["send 1 again", "send 1 again", "put off"]),
        Case(
            testDescription: "the same, put off", fault: .ofTheMoment(""), request: .wait, othersPass: true,
            steps: Array(repeating: "send 1 again", count: 9)),
        Case(
            testDescription: "the same, in the end", fault: .ofTheMoment(""), request: .review, othersPass: true,
            steps: ["send 1 again", "send 1 again", "send 1 again", "discard"]),
        Case(
            testDescription: "the server, in the end", fault: .ofTheMoment(""), request: .review,
            steps: Array(repeating: "send 1 again", count: 9)),
        Case(
            testDescription: "a row without room, without the payment", fault: .ofTheMoment(""), request: .discard,
            othersPass: true, timeLeft: .zero, steps: Array(repeating: "send 1 again", count: 9)),
        Case(testDescription: "one of several", fault: .ofARow(""), count: 5, steps: ["settle 5 apart"]),
        Case(testDescription: "perhaps one of several", fault: .perhapsOfARow(""), count: 2, steps: ["settle 2 apart"]),
        Case(
            testDescription: "somebody else's lock, among several", fault: .lock(""), count: 5,
            // With the orders locked first.
            steps: ["send 5 again", "settle 5 apart"]),
        Case(testDescription: "somebody else's lock", fault: .lock(""), steps: ["send 1 again", "settle 1 apart"]),
        Case(testDescription: "a row", fault: .ofARow(""), steps: ["put off"]),
        Case(
            testDescription: "perhaps a row", fault: .perhapsOfARow(""), steps: ["send 1 again", "send 1 again", "put off"]),
        Case(testDescription: "not even a wait", fault: .ofARow(""), request: .wait, steps: ["discard"]),
        Case(testDescription: "not even a review", fault: .ofARow(""), request: .review, steps: ["discard"]),
        Case(testDescription: "not even without the payment", fault: .ofARow(""), request: .discard, steps: ["give up"]),
        Case(
            testDescription: "a lock that stays", fault: .perhapsOfARow(""), request: .wait,
            steps: Array(repeating: "send 1 again", count: 9)),
        Case(
            testDescription: "perhaps a row, in the end", fault: .perhapsOfARow(""), request: .review,
            steps: ["send 1 again", "send 1 again", "discard"]),
        Case(
            testDescription: "a lock that stays, without the payment", fault: .perhapsOfARow(""), request: .discard,
            steps: Array(repeating: "send 1 again", count: 9)),
        Case(
            testDescription: "the connection, in the end", fault: .passing, request: .review, timeLeft: .zero,
            steps: Array(repeating: "send 1 again", count: 9)),
    ])
    func aRefusalIsFollowedBy(_ example: Case) {
        var part = SettlementBatch(Array(repeating: Self.settlement(example.request), count: example.count))
        let now = part.settlements[0].job.leaseEnds - example.timeLeft
        var steps: [String] = []

        for number in example.steps.indices {
            let step = part.next(after: example.fault, settled: example.othersPass ? number : 7, now: now)
            steps.append(Self.name(step))
            guard case .sendAgain(let again) = step else { break }
            part = again
        }

        #expect(steps == example.steps)
    }

    /// A batch that was held as often as it is sent again.
    private static func resent(_ settlements: [Settlement], now: ContinuousClock.Instant) -> SettlementBatch {
        (0..<SettlementBatch.mostResends).reduce(SettlementBatch(settlements)) { batch, _ in
            guard case .sendAgain(let again) = batch.next(afterLeaving: settlements, now: now) else { return batch }
            return again
        }
    }

    @Test func whatIsHeldComesBackAsOneBatchBeforeItIsSettledApart() {
        let held = [Self.settlement(), Self.settlement()]
        let now = ContinuousClock.now
        var batch = SettlementBatch(held + [Self.settlement()])

        for _ in 1...SettlementBatch.mostResends {
            guard case .sendAgain(let again) = batch.next(afterLeaving: held, now: now) else {
                Issue.record("it isn't sent again")
                return
            }
            #expect(again.settlements.count == 2)
            #expect(!again.isApart)
            #expect(!again.locksOrders)
            #expect(again.waitsUntil == now + .milliseconds(5))
            batch = again
        }

        #expect(Self.name(batch.next(afterLeaving: held, now: now)) == "settle 2 apart")
    }

    /// What waits for somebody else's lock, settled apart: how long before the end of its lease, and what follows.
    @Test(arguments: [
        (Request.conclusion, Duration.seconds(30), "send 1 again", "send 1 again"),
        (.conclusion, .seconds(2), "release", "release"), (.wait, .seconds(2), "send 1 again", "send 1 again"),
        (.review, .seconds(2), "send 1 again", "release"), (.discard, .seconds(2), "send 1 again", "release"),
    ])
    func aLockIsWaitedForUntilTheLeaseEnds(request: Request, timeLeft: Duration, ofARow: String, ofTheOrder: String) throws {
        let settlement = Self.settlement(request)
        let now = settlement.job.leaseEnds - timeLeft
        guard case .settleApart(let parts) = Self.resent([settlement], now: now).next(afterLeaving: [settlement], now: now) else {
            Issue.record("It is settled apart.")
            return
        }

        #expect(parts.map(\.isApart) == [true])
        #expect(parts.map(\.locksOrders) == [true])
        #expect(Self.name(parts[0].next(after: .lock(""), settled: 0, now: now)) == ofARow)
        #expect(Self.name(parts[0].next(afterLeaving: [settlement], now: now)) == ofTheOrder)
    }

    /// It writes nothing of the order: only its job can be locked.
    @Test func whatIsReleasedIsSentUntilItsLeaseIsOver() throws {
        let released = Settlement(Sample.job(), .wait(.snooze(for: .seconds(5)), nil, lane: nil))
        guard case .settleApart(let parts) = Self.resent([released], now: .now).next(afterLeaving: [released], now: .now) else {
            Issue.record("It is settled apart.")
            return
        }

        #expect(Self.name(parts[0].next(afterLeaving: [released], now: released.job.leaseEnds)) == "send 1 again")
    }

    /// A hundred rows at fault would otherwise wait for each other until their leases end.
    @Test(arguments: [
        (SettlementFault.passing, false, true), (.passing, true, true), (.ofTheMoment(""), false, true),
        (.ofTheMoment(""), true, false), (.perhapsOfARow(""), false, false), (.ofARow(""), false, false),
    ])
    func onlyAServerThatMayBeAtFaultHoldsUpOthers(fault: SettlementFault, othersPass: Bool, holdsUp: Bool) throws {
        guard case .sendAgain(let part) = SettlementBatch([Self.settlement()]).next(after: .ofTheMoment(""), settled: 7, now: .now)
        else {
            Issue.record("It is sent again after its first refusal.")
            return
        }

        #expect(part.holdsUpOthers(after: fault, settled: othersPass ? 8 : 7) == holdsUp)
    }

    /// What was tried three times as a whole isn't tried three times in each of its parts.
    @Test func partsRememberWhatTheWholeWasRefusedFor() throws {
        var part = SettlementBatch(Array(repeating: Self.settlement(), count: 4))
        for _ in 0..<2 {
            guard case .sendAgain(let again) = part.next(after: .ofTheMoment(""), settled: 0, now: .now) else { break }
            part = again
        }
        guard case .settleApart(let singles) = part.next(after: .ofTheMoment(""), settled: 0, now: .now) else {
            Issue.record("It falls apart at its third refusal.")
            return
        }

        #expect(Self.name(singles[0].next(after: .perhapsOfARow(""), settled: 0, now: .now)) == "put off")
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        var kind = PostgresError.Kind.server
        var state: SQLState?
        var constraint: String?
        let fault: String

        var testDescription: String { "\(kind) \(state?.rawValue ?? "-") \(constraint ?? ""): \(fault)" }
    }

    @Test(arguments: [
        Refusal(kind: .connectionLost, fault: "passing"), Refusal(kind: .unavailable, fault: "passing"),
        Refusal(kind: .outcomeUnknown, fault: "passing"), Refusal(kind: .timedOut, fault: "perhaps"),
        Refusal(state: .queryCanceled, fault: "perhaps"), Refusal(state: .adminShutdown, fault: "moment"),
        Refusal(state: .lockNotAvailable, fault: "lock"), Refusal(state: .undefinedColumn, fault: "perhaps"),
        Refusal(state: .insufficientPrivilege, fault: "perhaps"), Refusal(state: .featureNotSupported, fault: "perhaps"),
        Refusal(state: .serializationFailure, fault: "moment"), Refusal(state: SQLState(rawValue: "53100"), fault: "moment"),
        Refusal(state: .deadlockDetected, fault: "lock"),
        Refusal(state: .readOnlyTransaction, fault: "moment"), Refusal(state: .raiseException, fault: "row"),
        Refusal(state: .checkViolation, fault: "row"), Refusal(state: .uniqueViolation, constraint: "shop_key", fault: "row"),
        Refusal(state: .uniqueViolation, constraint: "one_grant_a_payment", fault: "lock"),
        Refusal(state: .uniqueViolation, constraint: "one_grant_a_month", fault: "row"),
    ])
    func anErrorIsReadBy(_ refusal: Refusal) {
        let error = PostgresError(refusal.kind, message: "refused", sqlState: refusal.state, constraint: refusal.constraint)

        switch SettlementFault(error) {
        case .passing: #expect(refusal.fault == "passing")
        case .lock: #expect(refusal.fault == "lock")
        case .ofTheMoment: #expect(refusal.fault == "moment")
        case .perhapsOfARow: #expect(refusal.fault == "perhaps")
        case .ofARow: #expect(refusal.fault == "row")
        }
    }
}
