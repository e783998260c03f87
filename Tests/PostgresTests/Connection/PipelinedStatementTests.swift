// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Postgres

/// Statements that go out with the next one.
@Suite struct PipelinedStatementTests {
    private struct OwnError: Error {}

    private static let insert = PostgresStatement(
        name: "insert", sql: "insert into numbers select unnest($1::int8[])", isPrepared: true)

    /// A database with an empty table `numbers`.
    private func withNumbers(_ body: (_ url: String, PostgresConnection) async throws -> Void) async throws {
        try await withTestDatabase { url in
            try await PostgresConnection.withConnection(to: url) { connection in
                try await connection.executeScript(
                    "create table numbers (n int8 constraint n_is_positive check (n > 0))")
                try await body(url, connection)
            }
        }
    }

    private func expectNumbers(
        _ expected: [Int64], _ connection: PostgresConnection, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let rows = try await connection.execute("select n from numbers order by n")
        let numbers = try rows.map { try $0.int64(0) }
        #expect(numbers == expected, sourceLocation: sourceLocation)
    }

    @Test(arguments: [true, false])
    func theNextStatementSeesWhatTheyDid(isPrepared: Bool) async throws {
        try await withNumbers { _, connection in
            let insert = PostgresStatement(name: "insert", sql: Self.insert.sql, isPrepared: isPrepared)
            // The second time what is prepared is there already.
            for number in Int64(1)...2 {
                let count = try await connection.withTransaction { connection in
                    try await connection.enqueue(insert, [.int8Array([number])])
                    try await connection.enqueue(insert, [.int8Array([number + 10])])
                    return try await connection.execute("select count(*) from numbers")[0].int64(0)
                }

                #expect(count == 2 * number)
            }
            try await expectNumbers([1, 2, 11, 12], connection)
        }
    }

    @Test func theyGoOutWithTheCommit() async throws {
        try await withNumbers { _, connection in
            try await connection.withTransaction { connection in
                try await connection.enqueue(Self.insert, [.int8Array([1])])
            }

            try await expectNumbers([1], connection)
        }
    }

    @Test func theyComeBeforeAScript() async throws {
        try await withNumbers { _, connection in
            try await connection.withTransaction { connection in
                try await connection.enqueue(Self.insert, [.int8Array([1])])
                try await connection.executeScript("update numbers set n = n + 1; update numbers set n = n * 10")
            }

            try await expectNumbers([20], connection)
        }
    }

    @Test func nothingOfThemIsLeftWhenTheBodyThrows() async throws {
        try await withNumbers { _, connection in
            await #expect(throws: OwnError.self) {
                try await connection.withTransaction { connection in
                    try await connection.enqueue(Self.insert, [.int8Array([1])])
                    throw OwnError()
                }
            }

            try await expectNumbers([], connection)
        }
    }

    @Test func theErrorOfOneIsThrownByTheNextUnderItsName() async throws {
        try await withNumbers { _, connection in
            try await connection.withTransaction { connection in
                // What is prepared from here on needs no turn of its own.
                try await connection.enqueue(Self.insert, [.int8Array([1])])
            }

            let error = await #expect(throws: PostgresError.self) {
                try await connection.withTransaction { connection in
                    try await connection.enqueue(Self.insert, [.int8Array([-1])])
                    try await connection.enqueue(Self.insert, [.int8Array([2])])
                    _ = try await connection.execute("select count(*) from numbers")
                }
            }

            #expect(error?.kind == .server)
            #expect(error?.statementName == "insert")
            #expect(error?.constraint == "n_is_positive")
            try await expectNumbers([1], connection)
        }
    }

    @Test func anErrorAtTheCommitIsKnownToBeRolledBack() async throws {
        try await withNumbers { _, connection in
            let error = await #expect(throws: PostgresError.self) {
                try await connection.withTransaction { connection in
                    _ = try await connection.execute("insert into numbers values (1)")
                    try await connection.enqueue(Self.insert, [.int8Array([-1])])
                }
            }

            #expect(error?.kind == .server)
            #expect(error?.statementName == "insert")
            #expect(error?.constraint == "n_is_positive")
            // The connection has no database transaction open: this is committed at once.
            _ = try await connection.execute("insert into numbers values (2)")
            try await connection.withTransaction { _ in }
            try await expectNumbers([2], connection)
        }
    }

    /// The ledger depends on it: what a lock waited for is seen by the statement after it, although both went out together.
    @Test func theNextStatementSeesWhatALockWaitedFor() async throws {
        try await withNumbers { url, connection in
            try await PostgresConnection.withConnection(to: url) { other in
                let lock = PostgresStatement(name: "lock", sql: "select pg_advisory_xact_lock(1)")
                try await other.executeScript("begin; select pg_advisory_xact_lock(1); insert into numbers values (1)")

                let count = Task {
                    try await connection.withTransaction { connection in
                        try await connection.enqueue(lock)
                        return try await connection.execute("select count(*) from numbers")[0].int64(0)
                    }
                }
                try await other.waitUntilALockIsWaitedFor("advisory")
                try await other.executeScript("commit")

                #expect(try await count.value == 1)
            }
        }
    }

    @Test func aDeadlineStopsThemAll() async throws {
        try await withNumbers { _, connection in
            let error = await #expect(throws: PostgresError.self) {
                try await connection.withTransaction { connection in
                    try await connection.enqueue(PostgresStatement(name: "sleep", sql: "select pg_sleep(3600)"))
                    _ = try await connection.execute(
                        "insert into numbers values (1) returning n", timeout: .milliseconds(50))
                }
            }

            #expect(error?.kind == .timedOut)
            #expect(error?.sqlState == .queryCanceled)
            #expect(error?.statementName == "sleep")
            try await expectNumbers([], connection)
        }
    }

    /// The commit goes out with them, so that nobody may cancel them; the server's own time limit does.
    @Test func aDeadlineAmongThoseThatGoOutWithTheCommitCancelsNothing() async throws {
        try await withNumbers { url, observer in
            var configuration = try PostgresConfiguration(url: url)
            configuration.isPinned = false
            configuration.statementTimeout = .milliseconds(50)
            configuration.connectTimeout = .seconds(60)
            configuration.cancellationGrace = .milliseconds(50)
            let pool = PostgresPool(configuration: configuration, size: 1, logger: .test)
            let error = await #expect(throws: PostgresError.self) {
                try await pool.withTransaction(timeout: .seconds(60)) { connection in
                    _ = try await connection.execute("set local statement_timeout = '2s'", timeout: .seconds(60))
                    try await connection.enqueue(Self.insert, [.int8Array([1])])
                    try await connection.enqueue(PostgresStatement(name: "sleep", sql: "select pg_sleep(3600)"))
                }
            }

            #expect(error?.kind == .outcomeUnknown)
            // The connection comes back once the server has ended them.
            let rows = try await pool.execute(
                PostgresStatement(name: "numbers", sql: "select from numbers", isReading: true), timeout: .seconds(60))
            #expect(rows.isEmpty)
            try await expectNumbers([], observer)
            await pool.close()
        }
    }

    /// Somebody had the server forget it: the database transaction fails as a whole, and the connection is not used again.
    @Test func whatIsNoLongerPreparedFailsWithItsName() async throws {
        try await withNumbers { url, connection in
            try await connection.withTransaction { connection in
                try await connection.enqueue(Self.insert, [.int8Array([1])])
            }
            _ = try await connection.execute("deallocate all")

            let error = await #expect(throws: PostgresError.self) {
                try await connection.withTransaction { connection in
                    _ = try await connection.execute("insert into numbers values (2)")
                    try await connection.enqueue(Self.insert, [.int8Array([3])])
                    _ = try await connection.execute("insert into numbers values (4)")
                }
            }

            #expect(error?.sqlState == .invalidStatementName)
            #expect(error?.statementName == "insert")
            #expect(connection.condition == .retired)
            try await expectNumbers([1], connection)
        }
    }

    @Test func aConnectionLostWithTheCommitLeavesTheOutcomeUnknown() async throws {
        try await withNumbers { url, connection in
            let error = await #expect(throws: PostgresError.self) {
                try await connection.withTransaction { connection in
                    try await connection.enqueue(Self.insert, [.int8Array([1])])
                    try await connection.enqueue(
                        PostgresStatement(name: "end", sql: "select pg_terminate_backend(pg_backend_pid())"))
                }
            }

            #expect(error?.kind == .outcomeUnknown)
            try await PostgresConnection.withConnection(to: url) { other in
                try await expectNumbers([], other)
            }
        }
    }

    @Test func aConnectionLostBeforeTheCommitIsKnownToBeRolledBack() async throws {
        try await withNumbers { url, connection in
            let error = await #expect(throws: PostgresError.self) {
                try await connection.withTransaction { connection in
                    try await connection.enqueue(
                        PostgresStatement(name: "end", sql: "select pg_terminate_backend(pg_backend_pid())"))
                    _ = try await connection.execute("select 1")
                }
            }

            #expect(error?.kind == .connectionLost)
            #expect(error?.sqlState == .adminShutdown)
        }
    }

    /// Far more than the buffers of a socket take, in both directions at once.
    @Test func manyAndLargeOnesPass() async throws {
        try await withNumbers { _, connection in
            let numbers = Array(Int64(1)...300_000)
            let rows = try await connection.withTransaction { connection in
                for _ in 0..<5 {
                    try await connection.enqueue(Self.insert, [.int8Array(numbers)])
                    try await connection.enqueue(
                        PostgresStatement(name: "echo", sql: "select unnest($1::int8[])"), [.int8Array(numbers)])
                }
                return try await connection.execute("select n from numbers").count
            }

            #expect(rows == 5 * numbers.count)
        }
    }

    @Test func outsideOfADatabaseTransactionNothingIsHeldBack() async throws {
        try await withNumbers { _, connection in
            let error = await #expect(throws: PostgresError.self) {
                try await connection.enqueue(Self.insert, [.int8Array([1])])
            }

            #expect(error?.kind == .protocolViolation)
            try await expectNumbers([], connection)
        }
    }

    /// What it was to take along is missing: the database transaction must not go on without it.
    @Test func aStatementThatNeverWentOutEndsTheConnection() async throws {
        try await withNumbers { url, connection in
            let error = await #expect(throws: PostgresError.self) {
                try await connection.withTransaction { connection in
                    async let blocking = connection.execute("select pg_sleep(3600)", timeout: .seconds(5))
                    try await eventually("the call waits") { connection.waitingCount > 0 }
                    try await connection.enqueue(
                        PostgresStatement(name: "lost", sql: "insert into numbers values (1)"))
                    _ = try? await connection.execute("select 1", timeout: .milliseconds(20))
                    _ = try? await blocking
                }
            }

            #expect(error?.kind == .connectionLost)
            try await PostgresConnection.withConnection(to: url) { other in
                try await expectNumbers([], other)
            }
        }
    }

    /// Else it would be carried out by itself.
    @Test func nothingIsCarriedOutOnceTheDatabaseTransactionIsOver() async throws {
        try await withNumbers { url, connection in
            let error = await #expect(throws: PostgresError.self) {
                try await connection.withTransaction { connection in
                    try await connection.executeScript("rollback")
                    _ = try? await connection.execute("select 1 / 0")
                    _ = try? await connection.execute("insert into numbers values (1)")
                    try await connection.enqueue(Self.insert, [.int8Array([2])])
                }
            }

            #expect(error?.kind == .connectionLost)
            try await PostgresConnection.withConnection(to: url) { other in
                try await expectNumbers([], other)
            }
        }
    }
}
