// SPDX-License-Identifier: Apache-2.0

import Postgres
import PrivatePostgres
import Synchronization
import TestSupport
import Testing

@Suite struct PostgresPoolTests {
    private struct OwnError: Error {}

    /// How many callers hold each connection.
    private final class Lendings: Sendable {
        private let counts = Mutex<[ObjectIdentifier: Int]>([:])

        var connectionCount: Int { counts.withLock { $0.count } }

        func begin(_ connection: PostgresConnection) -> Int {
            counts.withLock { counts in
                let count = counts[ObjectIdentifier(connection), default: 0] + 1
                counts[ObjectIdentifier(connection)] = count
                return count
            }
        }

        func end(_ connection: PostgresConnection) {
            counts.withLock { $0[ObjectIdentifier(connection), default: 0] -= 1 }
        }
    }

    private func withPool(
        size: Int,
        _ body: (PostgresPool, PostgresConnection) async throws -> Void
    ) async throws {
        try await withTestDatabase { url in
            var configuration = try PostgresConfiguration(url: url)
            configuration.isPinned = false
            configuration.connectTimeout = .seconds(60)
            configuration.cancellationGrace = .seconds(60)
            let pool = PostgresPool(configuration: configuration, size: size, logger: .test)
            try await PostgresConnection.withConnection(to: url) { observer in
                try await observer.executeScript("create table numbers (n int)")
                try await body(pool, observer)
            }
            await pool.close()
        }
    }

    /// The pool's connections, seen from another.
    private static let poolConnections =
        """
        (select count(*) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend')
        """

    @Test func nothingIsOpenedBeforeItIsNeeded() async throws {
        try await withPool(size: 3) { pool, observer in
            let before = try await observer.execute("select \(Self.poolConnections)")[0].int64(0)
            _ = try await pool.execute(PostgresStatement(name: "one", sql: "select 1"))
            let after = try await observer.execute("select \(Self.poolConnections)")[0].int64(0)

            #expect(before == 0)
            #expect(after == 1)
        }
    }

    @Test func manyCallersShareFewConnections() async throws {
        try await withPool(size: 3) { pool, observer in
            let sum = try await withThrowingTaskGroup(of: Int64.self) { group in
                for number in Int64(1)...200 {
                    group.addTask {
                        let result = try await pool.execute(
                            PostgresStatement(name: "number", sql: "select $1"),
                            [.int8(number)],
                            timeout: .seconds(60)
                        )
                        return try result[0].int64(0)
                    }
                }
                return try await group.reduce(0, +)
            }

            #expect(sum == 20_100)
            let count = try await observer.execute("select \(Self.poolConnections)")[0].int64(0)
            #expect((1...3).contains(count))
        }
    }

    @Test func connectionBelongsToOneCallerAtATime() async throws {
        try await withPool(size: 2) { pool, _ in
            let lendings = Lendings()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...50 {
                    group.addTask {
                        try await pool.withConnection { connection in
                            #expect(lendings.begin(connection) == 1)
                            _ = try await connection.execute("select pg_sleep(0.001)")
                            lendings.end(connection)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(lendings.connectionCount <= 2)
        }
    }

    @Test func errorOfTheBodyReturnsTheConnection() async throws {
        try await withPool(size: 1) { pool, _ in
            for _ in 1...3 {
                await #expect(throws: OwnError.self) {
                    try await pool.withConnection { _ in throw OwnError() }
                }
            }

            let result = try await pool.execute(PostgresStatement(name: "one", sql: "select 1"), timeout: .seconds(10))
            #expect(result.count == 1)
        }
    }

    @Test func transactionIsCommittedOrRolledBack() async throws {
        try await withPool(size: 1) { pool, observer in
            let insert = PostgresStatement(name: "insert", sql: "insert into numbers values (1)")
            try await pool.withTransaction { connection in
                _ = try await connection.execute(insert)
            }
            await #expect(throws: OwnError.self) {
                try await pool.withTransaction { connection in
                    _ = try await connection.execute(insert)
                    throw OwnError()
                }
            }

            let count = try await observer.execute("select count(*) from numbers")[0].int64(0)
            #expect(count == 1)
        }
    }

    @Test func connectionLeftInATransactionIsNotLentAgain() async throws {
        try await withPool(size: 1) { pool, observer in
            let first = try await pool.withConnection { connection in
                _ = try await connection.execute("begin")
                return try await connection.execute("select pg_backend_pid()")[0].int32(0)
            }

            let second = try await pool.execute(PostgresStatement(name: "pid", sql: "select pg_backend_pid()"))[0]
                .int32(0)

            #expect(first != second)
            try await observer.waitUntil("not exists (select from pg_stat_activity where pid = $1)", [.int4(first)])
        }
    }

    @Test func connectionOfAReadOnlyServerIsNotLentAgain() async throws {
        try await withPool(size: 1) { pool, _ in
            let first = try await pool.withConnection { connection in
                let pid = try await connection.execute("select pg_backend_pid()")[0].int32(0)
                _ = try await connection.execute("begin read only")
                _ = try? await connection.execute("create table t ()")
                _ = try await connection.execute("rollback")
                return pid
            }

            let second = try await pool.execute(PostgresStatement(name: "pid", sql: "select pg_backend_pid()"))[0]
                .int32(0)

            #expect(first != second)
        }
    }

    @Test func connectionThatBrokeWhileIdleIsReplaced() async throws {
        try await withPool(size: 1) { pool, observer in
            let pid = PostgresStatement(name: "pid", sql: "select pg_backend_pid()")
            let (connection, first) = try await pool.withConnection { connection in
                (connection, try await connection.execute(pid)[0].int32(0))
            }
            _ = try await observer.execute("select pg_terminate_backend($1)", [.int4(first)])
            while await connection.isUsable {
                try await observer.waitUntil("true")
            }

            let second = try await pool.execute(pid)[0].int32(0)

            #expect(first != second)
        }
    }

    @Test func cancelledCallerLeavesAUsableConnection() async throws {
        try await withPool(size: 1) { pool, observer in
            let task = Task {
                try await pool.execute(PostgresStatement(name: "sleep", sql: "select pg_sleep(3600)", isReading: true))
            }
            try await observer.waitUntil(
                """
                exists (select from pg_stat_activity where query = 'select pg_sleep(3600)'
                and datname = current_database() and wait_event = 'PgSleep')
                """
            )

            task.cancel()

            let error = await #expect(throws: PostgresError.self) { try await task.value }
            #expect(error?.kind == .cancelled)
            let result = try await pool.execute(PostgresStatement(name: "one", sql: "select 1"))
            #expect(result.count == 1)
            let count = try await observer.execute("select \(Self.poolConnections)")[0].int64(0)
            #expect(count == 1)
        }
    }

    @Test func callerIsToldWhenNoConnectionBecomesFree() async throws {
        try await withPool(size: 1) { pool, _ in
            try await pool.withConnection { _ in
                let statement = PostgresStatement(name: "busy", sql: "select 1")
                let error = await #expect(throws: PostgresError.self) {
                    try await pool.execute(statement, timeout: .milliseconds(30))
                }

                #expect(error?.kind == .connectTimedOut)
                #expect(error?.statementName == "busy")
            }
        }
    }

    @Test func cancelledCallerStopsWaitingForAConnection() async throws {
        try await withPool(size: 1) { pool, _ in
            try await pool.withConnection { _ in
                let task = Task { try await pool.withConnection { _ in } }
                task.cancel()

                let error = await #expect(throws: PostgresError.self) { try await task.value }
                #expect(error?.kind == .cancelled)
            }
            // The connection has come back and is there for the next.
            try await pool.withConnection { _ in }
        }
    }

    @Test func closedPoolRefusesCallersAndLeavesNoConnections() async throws {
        try await withPool(size: 2) { pool, observer in
            try await pool.withConnection { lent in
                try await pool.withConnection { _ in }
                await pool.close()

                let error = await #expect(throws: PostgresError.self) { try await pool.withConnection { _ in } }
                #expect(error?.kind == .closed)
                // What is lent works to its end.
                let result = try await lent.execute("select 1")
                #expect(result.count == 1)
            }

            try await observer.waitUntil("\(Self.poolConnections) = 0")
        }
    }

    @Test func closingFailsThoseWhoWait() async throws {
        try await withPool(size: 1) { pool, _ in
            let (lent, signal) = AsyncStream.makeStream(of: Void.self)
            let (end, release) = AsyncStream.makeStream(of: Void.self)
            let holder = Task {
                try await pool.withConnection { _ in
                    signal.yield()
                    _ = await end.first { true }
                }
            }
            _ = await lent.first { true }
            let waiter = Task { try await pool.withConnection { _ in } }

            await pool.close()

            let error = await #expect(throws: PostgresError.self) { try await waiter.value }
            #expect(error?.kind == .closed)
            release.yield()
            try await holder.value
        }
    }

    @Test func databaseThatIsNotThereIsUnavailableAtTheDeadline() async throws {
        let pool = PostgresPool(
            configuration: try PostgresConfiguration(url: "host=127.0.0.1 port=1"),
            size: 2,
            logger: .test
        )
        let start = ContinuousClock.now

        let error = await #expect(throws: PostgresError.self) {
            try await pool.withConnection(timeout: .seconds(20)) { _ in }
        }

        #expect(error?.kind == .unavailable)
        #expect(error?.message.contains("127.0.0.1") == true)
        #expect(error?.isConnectionLoss == true)
        #expect(start.duration(to: .now) >= .seconds(20))
        await pool.close()
    }

    @Test func wrongPasswordIsToldAtOnce() async throws {
        try await PasswordServer.with { server in
            let url = server.loopbackURL(database: "shop", user: "app", password: "wrong")
            let pool = PostgresPool(configuration: try PostgresConfiguration(url: url), size: 1, logger: .test)

            let error = await #expect(throws: PostgresError.self) {
                try await pool.withConnection(timeout: .seconds(3600)) { _ in }
            }

            #expect(error?.kind == .authentication)
            await pool.close()
        }
    }

    @Test func unknownDatabaseIsToldAtOnce() async throws {
        let url = try await TestServer.url(database: "nowhere")
        let pool = PostgresPool(configuration: try PostgresConfiguration(url: url), size: 1, logger: .test)

        let error = await #expect(throws: PostgresError.self) {
            try await pool.withConnection(timeout: .seconds(3600)) { _ in }
        }

        #expect(error?.sqlState == .invalidCatalogName)
        await pool.close()
    }
}
