// SPDX-License-Identifier: Apache-2.0

import CPostgres
import Testing

@testable import Postgres

@Suite struct PartialAnswerTests {
    /// What libpq hands over for one statement, without a connection.
    private func result(_ status: ExecStatusType) -> OpaquePointer {
        PQmakeEmptyPGresult(nil, status)
    }

    private func answer(to names: String...) -> PartialAnswer {
        PartialAnswer(to: .statements(names.map { BoundStatement(PostgresStatement(name: $0, sql: "")) }))
    }

    @Test func oneStatementIsAnsweredWithItsOnlyResult() throws {
        var answer = answer(to: "one")

        #expect(answer.add(result(PGRES_TUPLES_OK)) == .more)
        #expect(answer.statementEnded() == .complete)
        #expect(try answer.completed().get().isEmpty)
    }

    @Test func severalAreAnsweredOnceTheServerHasReportedOnEach() throws {
        var answer = answer(to: "one", "two")

        #expect(answer.add(result(PGRES_COMMAND_OK)) == .more)
        #expect(answer.statementEnded() == .more)
        #expect(answer.add(result(PGRES_PIPELINE_SYNC)) == .more)
        #expect(answer.add(result(PGRES_TUPLES_OK)) == .more)
        #expect(answer.statementEnded() == .more)
        #expect(answer.add(result(PGRES_PIPELINE_SYNC)) == .complete)
        #expect(try answer.completed().get().isEmpty)
    }

    /// Nothing of them counts before the database transaction has begun, so that one report is enough.
    @Test func thoseThatBeginADatabaseTransactionAreReportedOnTogether() {
        var answer = PartialAnswer(
            to: .statements([BoundStatement(.begin), BoundStatement(PostgresStatement(name: "two", sql: ""))]))

        for _ in 1...2 {
            #expect(answer.add(result(PGRES_COMMAND_OK)) == .more)
            #expect(answer.statementEnded() == .more)
        }
        #expect(answer.add(result(PGRES_PIPELINE_SYNC)) == .complete)
    }

    @Test func theFirstErrorIsTheAnswerAndBearsItsStatementsName() {
        var answer = answer(to: "one", "two", "three")

        #expect(answer.add(result(PGRES_COMMAND_OK)) == .more)
        #expect(answer.statementEnded() == .more)
        for status in [PGRES_FATAL_ERROR, PGRES_PIPELINE_ABORTED] {
            #expect(answer.add(result(status)) == .more)
            #expect(answer.statementEnded() == .more)
        }
        #expect(answer.error?.statementName == "two")
        #expect(answer.error?.kind != .protocolViolation)
    }

    @Test func moreAnswersThanStatementsAreNotBelieved() {
        var answer = answer(to: "one", "two")

        #expect(answer.statementEnded() == .more)
        #expect(answer.statementEnded() == .more)
        #expect(answer.statementEnded() == .incomplete)
    }

    @Test func aCopyIsNotGoneInto() {
        var answer = answer(to: "one")

        #expect(answer.add(result(PGRES_COPY_OUT)) == .incomplete)
        #expect(answer.error?.kind == .protocolViolation)
    }

    @Test func silenceIsNoAnswer() {
        var answer = answer(to: "one")

        #expect(answer.statementEnded() == .complete)
        #expect(throws: PostgresError.self) { try answer.completed().get() }
    }
}
