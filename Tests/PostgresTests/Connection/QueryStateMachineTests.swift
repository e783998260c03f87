// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Postgres

@Suite struct QueryStateMachineTests {
    @Test func firstQueryIsSentAtOnce() {
        var machine = QueryStateMachine()

        #expect(machine.submit(1) == .send(1))
        #expect(machine.isAwaitingAnswer)
        #expect(!machine.isIdle)
    }

    @Test func furtherQueriesWaitTheirTurn() {
        var machine = QueryStateMachine()
        _ = machine.submit(1)

        #expect(machine.submit(2) == .none)
        #expect(machine.submit(3) == .none)

        #expect(machine.answered() == .finish(1, stop: nil, next: 2))
        #expect(machine.answered() == .finish(2, stop: nil, next: 3))
        #expect(machine.answered() == .finish(3, stop: nil, next: nil))
        #expect(machine.isIdle)
    }

    @Test func answerWithoutAQueryIsIgnored() {
        var machine = QueryStateMachine()

        #expect(machine.answered() == .none)
        #expect(machine.isIdle)
    }

    @Test(arguments: [QueryStateMachine.StopReason.deadline, .cancellation])
    func stoppedQueryIsCancelledOnTheServer(reason: QueryStateMachine.StopReason) {
        var machine = QueryStateMachine()
        _ = machine.submit(1)

        #expect(machine.stop(1, reason, mayCommit: false) == .cancelOnServer(1))

        #expect(machine.isAwaitingAnswer)
        #expect(machine.cancelRequestEnded() == .none)
        #expect(machine.answered() == .finish(1, stop: reason, next: nil))
        #expect(machine.isIdle)
    }

    @Test func nextQueryWaitsUntilTheCancelRequestIsThrough() {
        var machine = QueryStateMachine()
        _ = machine.submit(1)
        _ = machine.submit(2)
        _ = machine.stop(1, .deadline, mayCommit: false)

        #expect(machine.answered() == .none)

        #expect(!machine.isAwaitingAnswer)
        #expect(machine.submit(3) == .none)
        #expect(machine.cancelRequestEnded() == .finish(1, stop: .deadline, next: 2))
        #expect(machine.answered() == .finish(2, stop: nil, next: 3))
    }

    @Test func secondReasonToStopChangesNothing() {
        var machine = QueryStateMachine()
        _ = machine.submit(1)
        _ = machine.stop(1, .deadline, mayCommit: false)

        #expect(machine.stop(1, .cancellation, mayCommit: false) == .none)

        _ = machine.answered()
        #expect(machine.cancelRequestEnded() == .finish(1, stop: .deadline, next: nil))
    }

    @Test func secondAnswerOfAStoppedQueryIsIgnored() {
        var machine = QueryStateMachine()
        _ = machine.submit(1)
        _ = machine.stop(1, .deadline, mayCommit: false)
        _ = machine.answered()

        #expect(machine.answered() == .none)
        #expect(machine.cancelRequestEnded() == .finish(1, stop: .deadline, next: nil))
    }

    @Test func waitingQueryThatIsStoppedIsNeverSent() {
        var machine = QueryStateMachine()
        _ = machine.submit(1)
        _ = machine.submit(2)
        _ = machine.submit(3)

        #expect(machine.stop(2, .cancellation, mayCommit: false) == .refuse(2, .cancellation))

        #expect(machine.answered() == .finish(1, stop: nil, next: 3))
    }

    @Test func stoppingAQueryThatIsDoneChangesNothing() {
        var machine = QueryStateMachine()
        _ = machine.submit(1)
        _ = machine.answered()
        _ = machine.submit(2)

        #expect(machine.stop(1, .deadline, mayCommit: false) == .none)

        #expect(machine.answered() == .finish(2, stop: nil, next: nil))
    }

    @Test func lateEndOfACancelRequestChangesNothing() {
        var machine = QueryStateMachine()
        #expect(machine.cancelRequestEnded() == .none)

        _ = machine.submit(1)

        #expect(machine.cancelRequestEnded() == .none)
        #expect(machine.answered() == .finish(1, stop: nil, next: nil))
    }

    @Test func stoppedQueryWithoutAnAnswerEndsTheConnection() {
        var machine = QueryStateMachine()
        _ = machine.submit(1)
        _ = machine.submit(2)
        _ = machine.stop(1, .cancellation, mayCommit: false)
        _ = machine.cancelRequestEnded()

        #expect(machine.graceEnded() == .close(current: 1, stop: .cancellation, waiting: [2]))
        #expect(machine.isClosed)
    }

    /// What the server answered meanwhile is told.
    @Test func cancelRequestThatNeverEndsEndsTheConnection() {
        var machine = QueryStateMachine()
        _ = machine.submit(1)
        _ = machine.stop(1, .deadline, mayCommit: false)
        _ = machine.answered()

        #expect(machine.graceEnded() == .close(current: 1, stop: .deadline, isAnswered: true, waiting: []))
    }

    @Test func graceMeansNothingToARunningOrIdleConnection() {
        var machine = QueryStateMachine()
        #expect(machine.graceEnded() == .none)

        _ = machine.submit(1)

        #expect(machine.graceEnded() == .none)
        #expect(machine.isAwaitingAnswer)
    }

    @Test func lostConnectionFailsAllQueries() {
        var machine = QueryStateMachine()
        _ = machine.submit(1)
        _ = machine.submit(2)
        _ = machine.submit(3)

        #expect(machine.close() == .close(current: 1, stop: nil, waiting: [2, 3]))
        #expect(machine.isClosed)
        #expect(!machine.isAwaitingAnswer)
    }

    @Test func idleConnectionClosesWithoutVictims() {
        var machine = QueryStateMachine()

        #expect(machine.close() == .close(current: nil, stop: nil, waiting: []))
    }

    @Test func closedConnectionRefusesEverything() {
        var machine = QueryStateMachine()
        _ = machine.close()

        #expect(machine.submit(1) == .refuseClosed(1))
        #expect(machine.stop(1, .deadline, mayCommit: false) == .none)
        #expect(machine.answered() == .none)
        #expect(machine.cancelRequestEnded() == .none)
        #expect(machine.graceEnded() == .none)
        #expect(machine.close() == .none)
        #expect(machine.isClosed)
    }

    // MARK: Queries that may commit

    @Test func overdueCommitIsNotCancelledAndMayStillBeAnswered() {
        var machine = QueryStateMachine()
        _ = machine.submit(1)
        _ = machine.submit(2)

        #expect(machine.stop(1, .deadline, mayCommit: true) == .awaitGrace(1))
        #expect(machine.stop(1, .cancellation, mayCommit: true) == .none)
        #expect(machine.isAwaitingAnswer)

        #expect(machine.answered() == .finish(1, stop: .deadline, next: 2))
    }

    @Test func commitWithoutAnAnswerIsAbandonedAndTheConnectionStays() {
        var machine = QueryStateMachine()
        _ = machine.submit(1)
        _ = machine.stop(1, .deadline, mayCommit: true)

        #expect(machine.graceEnded() == .abandon(1))

        #expect(!machine.isClosed)
        #expect(!machine.isIdle)
        #expect(machine.isAwaitingAnswer)
        #expect(machine.graceEnded() == .none)
        #expect(machine.cancelRequestEnded() == .none)
    }

    @Test func nextQueryWaitsForTheAnswerToAnAbandonedCommit() {
        var machine = QueryStateMachine()
        _ = machine.submit(1)
        _ = machine.stop(1, .cancellation, mayCommit: true)
        _ = machine.graceEnded()

        #expect(machine.submit(2) == .none)
        #expect(machine.submit(3) == .none)
        #expect(machine.stop(2, .deadline, mayCommit: true) == .refuse(2, .deadline))

        #expect(machine.answered() == .proceed(next: 3))
        #expect(machine.answered() == .finish(3, stop: nil, next: nil))
    }

    @Test func answerToAnAbandonedCommitLeavesTheConnectionIdle() {
        var machine = QueryStateMachine()
        _ = machine.submit(1)
        _ = machine.stop(1, .deadline, mayCommit: true)
        _ = machine.graceEnded()

        #expect(machine.answered() == .proceed(next: nil))
        #expect(machine.isIdle)
    }

    @Test func overdueCommitOfABrokenConnectionIsResumedOnce() {
        var machine = QueryStateMachine()
        _ = machine.submit(1)
        _ = machine.stop(1, .deadline, mayCommit: true)
        var abandoned = machine
        _ = abandoned.submit(2)
        _ = abandoned.graceEnded()

        #expect(machine.close() == .close(current: 1, stop: .deadline, waiting: []))
        #expect(abandoned.close() == .close(current: nil, stop: nil, waiting: [2]))
    }

    static let begin = BoundStatement(.begin)
    static let write = BoundStatement(PostgresStatement(name: "write", sql: "insert into numbers values (1)"))
    static let read = BoundStatement(PostgresStatement(name: "read", sql: "select from numbers", isReading: true))
    static let commit = BoundStatement(.commit)

    /// Whether a query ends a database transaction that may have written.
    @Test(arguments: [
        (Query.statements([write]), false, true), (.statements([read]), false, false), (.statements([read, write]), false, true),
        (.statements([write]), true, false), (.statements([begin, write]), false, false),
        (.statements([write, commit]), true, true), (.statements([commit]), true, true), (.statements([begin, write, commit]), false, true),
        (.script("select 1"), false, true), (.script("select 1"), true, true),
        (.preparation(write.statement, .none), false, false), (.statements([BoundStatement(.rollback)]), true, false),
    ])
    func aQueryMayCommit(_ query: Query, isInTransaction: Bool, expected: Bool) {
        #expect(query.mayCommit(isInTransaction: isInTransaction) == expected)
    }
}
