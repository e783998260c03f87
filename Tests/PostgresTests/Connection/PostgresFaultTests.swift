// SPDX-License-Identifier: Apache-2.0

import PrivatePostgres
import Synchronization
import TestSupport
import Testing

@testable import Postgres

/// Servers that crash, networks that go away. Each test has a server of its own.
@Suite struct PostgresFaultTests {
    /// Tells callers in a loop to end.
    private final class Recovery: Sendable {
        private let state = Mutex(false)

        var isComplete: Bool { state.withLock { $0 } }

        func complete() {
            state.withLock { $0 = true }
        }
    }

    private func configuration(_ url: String) throws -> PostgresConfiguration {
        var configuration = try PostgresConfiguration(url: url)
        configuration.isPinned = false
        configuration.connectTimeout = .seconds(60)
        return configuration
    }

    private static let clients =
        "(select count(*) from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid())"

    @Test func poolSurvivesACrashOfTheServerUnderLoad() async throws {
        try await PrivatePostgresServer.withServer(settings: ["fsync=off"], logger: .test) { server in
            let pool = PostgresPool(configuration: try configuration(server.url()), size: 3, logger: .test)
            let recovery = Recovery()
            let (events, continuation) = AsyncStream.makeStream(of: Bool.self)

            // Twenty callers that never give up; each tells its successes and failures.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 1...20 {
                    group.addTask {
                        while !recovery.isComplete {
                            do throws(PostgresError) {
                                _ = try await pool.execute(
                                    PostgresStatement(name: "tick", sql: "select pg_sleep(0.002)"),
                                    timeout: .seconds(60)
                                )
                                continuation.yield(true)
                            } catch {
                                #expect(error.isConnectionLoss || error.kind == .timedOut, "\(error)")
                                continuation.yield(false)
                            }
                        }
                    }
                }
                var iterator = events.makeAsyncIterator()
                for _ in 1...40 {
                    #expect(await iterator.next() == true)
                }

                try await server.kill()
                try await server.start()

                // Whatever was in flight has failed or will succeed; then come 200 successes in a row.
                var successes = 0
                while successes < 200, let isSuccess = await iterator.next() {
                    successes = isSuccess ? successes + 1 : 0
                }
                recovery.complete()
                try await group.waitForAll()
                #expect(successes == 200)
            }

            try await PostgresConnection.withConnection(to: server.url()) { observer in
                let count = try await observer.execute("select \(Self.clients)")[0].int64(0)
                #expect((1...3).contains(count))
                await pool.close()
                try await observer.waitUntil("\(Self.clients) = 0")
            }
        }
    }

    @Test func callersWaitWhileTheServerIsAway() async throws {
        try await PrivatePostgresServer.withServer(settings: ["fsync=off"], logger: .test) { server in
            let pool = PostgresPool(configuration: try configuration(server.url()), size: 2, logger: .test)
            let one = PostgresStatement(name: "one", sql: "select 1", isReading: true)
            _ = try await pool.execute(one)
            try await server.stop()

            let refused = await #expect(throws: PostgresError.self) {
                // The first may still meet the connection that broke; the second finds no server.
                _ = try? await pool.execute(one, timeout: .milliseconds(200))
                _ = try await pool.execute(one, timeout: .milliseconds(200))
            }
            let patient = Task { try await pool.execute(one, timeout: .seconds(60)) }
            try await server.start()

            #expect(refused?.isConnectionLoss == true)
            let result = try await patient.value
            #expect(result.count == 1)
            await pool.close()
        }
    }

    /// PgBouncer's own last word lacks the severity that isn't translated; PostgreSQL may have committed all the same.
    @Test(arguments: ["", "SFATAL\0C08P01\0Mserver conn crashed?\0\0"])
    func commitWhoseAnswerIsCutOffIsOfUnknownOutcome(errorFields: String) async throws {
        let length = UInt32(4 + errorFields.utf8.count)
        let error = Array("E".utf8) + withUnsafeBytes(of: length.bigEndian, Array.init) + Array(errorFields.utf8)
        let lastWord = errorFields.isEmpty ? [] : error
        // Both cases run at once, in one database.
        let table = "cut_off_after_\(lastWord.count)_bytes"
        try await PasswordServer.with { server in
            let proxy = try DatabaseProxy(to: server.port, behaviour: .cutAnswer(to: "commit\0", after: lastWord))
            let url = server.loopbackURL(database: "shop", user: "app", password: "hunter2")
            let proxied = "postgresql://app:hunter2@127.0.0.1:\(proxy.port)/shop"
            try await PostgresConnection.withConnection(to: url) { observer in
                _ = try await observer.execute("create table \(table) (n int)")
                let connection = try await PostgresConnection.connect(configuration(proxied), logger: .test)

                let error = await #expect(throws: PostgresError.self) {
                    try await connection.withTransaction { connection in
                        _ = try await connection.execute("insert into \(table) values (1)")
                    }
                }

                #expect(error?.kind == .outcomeUnknown)
                #expect(error?.isConnectionLoss == false)
                #expect(await !connection.isUsable)
                // This time it did happen.
                try await observer.waitUntil("(select count(*) from \(table)) = 1")
                _ = try await observer.execute("drop table \(table)")
            }
            proxy.end()
        }
    }

    /// Locks are held for a client that falls silent halfway only as long as for one that is idle.
    @Test func silenceAmongStatementsThatGoOutTogetherEndsAsIdleness() async throws {
        try await PasswordServer.with { server in
            let proxy = try DatabaseProxy(to: server.port)
            let url = server.loopbackURL(database: "shop", user: "app", password: "hunter2")
            let proxied = "postgresql://app:hunter2@127.0.0.1:\(proxy.port)/shop"
            try await PostgresConnection.withConnection(to: url) { observer in
                _ = try await observer.execute("create table half_sent (n int)")
                let connection = try await PostgresConnection.connect(configuration(proxied), logger: .test)

                let error = await #expect(throws: PostgresError.self) {
                    try await connection.withTransaction { connection in
                        _ = try await connection.execute("set local idle_in_transaction_session_timeout = '200ms'")
                        try await connection.enqueue(
                            PostgresStatement(name: "insert", sql: "insert into half_sent values (1)"))
                        proxy.behave(.holdBack(from: "commit\0"))
                    }
                }

                #expect(error?.kind == .outcomeUnknown)
                #expect(error?.sqlState == .idleInTransactionTimeout)
                let rows = try await observer.execute("select from half_sent")
                #expect(rows.count == 0)
                _ = try await observer.execute("drop table half_sent")
            }
            proxy.end()
        }
    }

    @Test func commitWithoutAnAnswerIsOfUnknownOutcomeAtItsDeadline() async throws {
        try await PasswordServer.with { server in
            let proxy = try DatabaseProxy(to: server.port, behaviour: .silenceAnswer(to: "commit\0"))
            var configuration = try configuration("postgresql://app:hunter2@127.0.0.1:\(proxy.port)/shop")
            configuration.statementTimeout = .seconds(2)
            configuration.cancellationGrace = .milliseconds(100)
            let connection = try await PostgresConnection.connect(configuration, logger: .test)

            let error = await #expect(throws: PostgresError.self) {
                try await connection.withTransaction { connection in
                    _ = try await connection.execute("select 1")
                    proxy.behave(.silenceAnswer(to: "commit\0"))
                }
            }

            #expect(error?.kind == .outcomeUnknown)
            #expect(connection.condition == .unanswered)
            await connection.close()
            proxy.end()
        }
    }

    /// The server ends it all the same, and says so before the cancel request is through.
    @Test func anAnswerIsToldAlthoughItsCancelRequestNeverEnds() async throws {
        try await PasswordServer.with { server in
            let proxy = try DatabaseProxy(to: server.port)
            var configuration = try configuration("postgresql://app:hunter2@127.0.0.1:\(proxy.port)/shop")
            configuration.cancellationGrace = .seconds(1)
            let connection = try await PostgresConnection.connect(configuration, logger: .test)
            // The request comes over a connection of its own.
            proxy.behave(.ignore)

            let rows = try await connection.execute("select 4711 from pg_sleep(0.5)", timeout: .milliseconds(50))

            #expect(try rows[0].int32(0) == 4711)
            #expect(await !connection.isUsable)
            proxy.end()
        }
    }

    @Test func statementWithoutAnAnswerTimesOutAndDropsTheConnection() async throws {
        try await PasswordServer.with { server in
            let proxy = try DatabaseProxy(to: server.port, behaviour: .silenceAnswer(to: "select 4711"))
            var configuration = try configuration("postgresql://app:hunter2@127.0.0.1:\(proxy.port)/shop")
            configuration.cancellationGrace = .milliseconds(50)
            let connection = try await PostgresConnection.connect(configuration, logger: .test)

            let error = await #expect(throws: PostgresError.self) {
                try await connection.execute("select 4711", timeout: .milliseconds(50))
            }

            #expect(error?.kind == .timedOut)
            #expect(error?.sqlState == nil)
            #expect(await !connection.isUsable)
            proxy.end()
        }
    }

    @Test func poolFindsItsWayBackAfterANetworkThatWentSilent() async throws {
        try await PasswordServer.with { server in
            let proxy = try DatabaseProxy(to: server.port, behaviour: .silenceAnswer(to: "select 1"))
            var configuration = try configuration("postgresql://app:hunter2@127.0.0.1:\(proxy.port)/shop")
            configuration.cancellationGrace = .milliseconds(50)
            configuration.connectTimeout = .seconds(2)
            let pool = PostgresPool(configuration: configuration, size: 1, logger: .test)
            let one = PostgresStatement(name: "one", sql: "select 1", isReading: true)
            let error = await #expect(throws: PostgresError.self) {
                try await pool.execute(one, timeout: .milliseconds(500))
            }
            proxy.behave(.ignore)
            let refused = await #expect(throws: PostgresError.self) {
                try await pool.execute(one, timeout: .milliseconds(200))
            }

            proxy.behave(.forward)

            let result = try await pool.execute(one, timeout: .seconds(60))
            #expect(error?.kind == .timedOut)
            #expect(refused?.kind == .connectTimedOut || refused?.kind == .unavailable)
            #expect(result.count == 1)
            await pool.close()
            proxy.end()
        }
    }

    @Test func statementCutOffIsAConnectionLoss() async throws {
        try await PasswordServer.with { server in
            let proxy = try DatabaseProxy(to: server.port, behaviour: .cutAnswer(to: "select 4711"))
            let url = "postgresql://app:hunter2@127.0.0.1:\(proxy.port)/shop"
            let connection = try await PostgresConnection.connect(configuration(url), logger: .test)

            let error = await #expect(throws: PostgresError.self) { try await connection.execute("select 4711") }

            #expect(error?.kind == .connectionLost)
            #expect(error?.isConnectionLoss == true)
            proxy.end()
        }
    }
}
