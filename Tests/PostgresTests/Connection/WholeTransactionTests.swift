// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Postgres

/// A database transaction that goes out whole, its commit included.
@Suite struct WholeTransactionTests {
    private static func statement(_ sql: String, isPrepared: Bool = false) -> PostgresStatement {
        PostgresStatement(name: isPrepared ? "prepared \(sql.count)" : "plain", sql: sql, isPrepared: isPrepared)
    }

    private func withNumbers(grace: Duration? = nil, _ body: (_ url: String, PostgresConnection) async throws -> Void) async throws {
        try await withTestDatabase { url in
            var configuration = try PostgresConfiguration(url: url)
            configuration.isPinned = false
            configuration.connectTimeout = .seconds(60)
            configuration.cancellationGrace = grace ?? .seconds(60)
            let connection = try await PostgresConnection.connect(configuration, logger: .test)
            do {
                try await connection.executeScript("create table numbers (n int constraint n_is_positive check (n > 0))")
                try await body(url, connection)
            } catch {
                await connection.close()
                throw error
            }
            await connection.close()
        }
    }

    private func count(_ connection: PostgresConnection) async throws -> Int64 {
        try await connection.execute("select count(*) from numbers")[0].int64(0)
    }

    private func expectCount(
        _ expected: Int64, _ connection: PostgresConnection, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let found = try await count(connection)
        #expect(found == expected, sourceLocation: sourceLocation)
    }

    @Test(arguments: [0, 1, 2], [false, true])
    func theRowsOfTheNamedStatementAreTheAnswer(place: Int, isPrepared: Bool) async throws {
        try await withNumbers { url, connection in
            let statements = [1, 20, 300].map { n in
                (
                    statement: Self.statement(
                        "insert into numbers select $1 from generate_series(1, \(n)) returning n", isPrepared: isPrepared),
                    parameters: [PostgresParameter.int4(Int32(n))]
                )
            }

            let rows = try await connection.executeTransaction(statements, answeredBy: place)

            #expect(rows.count == [1, 20, 300][place])
            #expect(try rows[0].int32(0) == Int32([1, 20, 300][place]))
            try await PostgresConnection.withConnection(to: url) { other in try await expectCount(321, other) }
            #expect(connection.condition == .idle)
        }
    }

    @Test func itsLevelIsReadCommitted() async throws {
        try await withNumbers { _, connection in
            try await connection.executeScript("set default_transaction_isolation = 'serializable'")

            let rows = try await connection.executeTransaction(
                [(Self.statement("select current_setting('transaction_isolation')"), [])], answeredBy: 0)

            #expect(try rows[0].string(0) == "read committed")
        }
    }

    /// The error bears the name of the statement that failed, nothing was written, and the connection is whole.
    @Test(arguments: [0, 1, 2])
    func nothingIsWrittenIfOneFails(place: Int) async throws {
        try await withNumbers { _, connection in
            let statements = (0..<3).map { n in
                (
                    statement: PostgresStatement(
                        name: "statement \(n)", sql: "insert into numbers values (\(n == place ? -1 : 1))"),
                    parameters: [PostgresParameter]()
                )
            }

            let error = await #expect(throws: PostgresError.self) {
                _ = try await connection.executeTransaction(statements, answeredBy: 0)
            }

            #expect(error?.kind == .server)
            #expect(error?.constraint == "n_is_positive")
            #expect(error?.statementName == "statement \(place)")
            try await expectCount(0, connection)
            #expect(connection.condition == .idle)
        }
    }

    /// Preparing a statement locks its tables: within the database transaction, whose settings bound the wait.
    @Test(.timeLimit(.minutes(1))) func aPreparationWaitsForNoLockForLong() async throws {
        try await withNumbers { url, connection in
            let statements = [
                (statement: Self.statement("set local lock_timeout = '50ms'"), parameters: [PostgresParameter]()),
                (statement: Self.statement("insert into numbers values ($1)", isPrepared: true), parameters: [.int4(7)]),
            ]
            try await PostgresConnection.withConnection(to: url) { other in
                try await other.executeScript("begin; lock table numbers in share mode")

                let error = await #expect(throws: PostgresError.self) {
                    _ = try await connection.executeTransaction(statements, answeredBy: 1)
                }

                #expect(error?.sqlState == .lockNotAvailable)
                try await other.executeScript("commit")
            }
            for _ in 1...2 { _ = try await connection.executeTransaction(statements, answeredBy: 1) }
            try await expectCount(2, connection)
        }
    }

    /// A deferred constraint is looked at by the commit.
    @Test func aCommitThatIsRefusedWritesNothing() async throws {
        try await withNumbers { _, connection in
            try await connection.executeScript(
                "alter table numbers add constraint each_n_is_once unique (n) deferrable initially deferred")

            let error = await #expect(throws: PostgresError.self) {
                _ = try await connection.executeTransaction(
                    [(Self.statement("insert into numbers values (1), (1)"), [])], answeredBy: 0)
            }

            #expect(error?.kind == .server)
            #expect(error?.sqlState == .uniqueViolation)
            try await expectCount(0, connection)
        }
    }

    /// The commit may be on its way: the client doesn't cancel, and says that it doesn't know.
    @Test func aDeadlineCancelsNothing() async throws {
        try await withNumbers(grace: .milliseconds(100)) { url, connection in
            let error = await #expect(throws: PostgresError.self) {
                _ = try await connection.executeTransaction(
                    [(Self.statement("insert into numbers select 1 from pg_sleep(2)"), [])], answeredBy: 0,
                    timeout: .milliseconds(100))
            }

            #expect(error?.kind == .outcomeUnknown)
            try await PostgresConnection.withConnection(to: url) { other in
                try await eventually("it is committed all the same") { try await count(other) == 1 }
            }
        }
    }

    @Test func aCancelledTaskStopsNothingThatWasSent() async throws {
        try await withNumbers { url, connection in
            let task = Task {
                try await connection.executeTransaction(
                    [(Self.statement("insert into numbers select 1 from pg_sleep(1)"), [])], answeredBy: 0)
            }
            try await PostgresConnection.withConnection(to: url) { other in
                try await eventually("it runs") {
                    try await other.execute(
                        "select from pg_stat_activity where query ~ 'pg_sleep.1' and pid <> pg_backend_pid()"
                    ).count == 1
                }
                task.cancel()

                _ = try await task.value

                try await expectCount(1, other)
            }
        }
    }

    @Test func aCancelledTaskSendsNothing() async throws {
        try await withNumbers { _, connection in
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await connection.executeTransaction(
                    [(Self.statement("insert into numbers values (1)"), [])], answeredBy: 0)
            }

            let error = await #expect(throws: PostgresError.self) { _ = try await task.value }

            #expect(error?.kind == .cancelled)
            try await expectCount(0, connection)
        }
    }

    @Test func aLostConnectionLeavesItsOutcomeUnknown() async throws {
        try await withNumbers { url, connection in
            let error = await #expect(throws: PostgresError.self) {
                _ = try await connection.executeTransaction(
                    [(Self.statement("select pg_terminate_backend(pg_backend_pid())"), [])], answeredBy: 0)
            }

            #expect(error?.kind == .outcomeUnknown)
        }
    }

    @Test func aPlaceThatNoStatementHasIsRefused() async throws {
        try await withNumbers { _, connection in
            for place in [-1, 1] {
                let error = await #expect(throws: PostgresError.self) {
                    _ = try await connection.executeTransaction([(Self.statement("select 1"), [])], answeredBy: place)
                }
                #expect(error?.kind == .protocolViolation)
            }
        }
    }
}
