// SPDX-License-Identifier: Apache-2.0

import Postgres
import PrivatePostgres
import TestSupport
import Testing

/// Commits that wait for a synchronous standby which is away: nobody may end their wait, because that shows others what no standby
/// has.
@Suite struct CommitOutcomeTests {
    /// How a change reaches its commit.
    enum Way: String, Sendable, CaseIterable {
        case transaction, statement, script
    }

    private static let insert = "insert into numbers values (1)"

    /// A server without its synchronous standby, and a pool of one connection to it.
    private func withoutStandby(
        _ body: (PostgresPool, _ observer: PostgresConnection) async throws -> Void
    ) async throws {
        try await PrivatePostgresServer.withServer(settings: ["fsync=off"], logger: .test) { server in
            try await PostgresConnection.withConnection(to: server.url()) { observer in
                try await observer.executeScript("create table numbers (n int)")
                try await setStandby("missing", observer)
                let pool = try makePool(server.url())
                try await body(pool, observer)
                await pool.close()
            }
        }
    }

    private func makePool(_ url: String) throws -> PostgresPool {
        var configuration = try PostgresConfiguration(url: url)
        configuration.isPinned = false
        configuration.statementTimeout = .milliseconds(300)
        configuration.cancellationGrace = .milliseconds(100)
        configuration.inspectionInterval = .milliseconds(100)
        return PostgresPool(configuration: configuration, size: 1, logger: .test)
    }

    private func setStandby(_ name: String, _ observer: PostgresConnection) async throws {
        _ = try await observer.execute("alter system set synchronous_standby_names = '\(name)'")
        _ = try await observer.execute("select pg_reload_conf()")
        try await observer.waitUntil("current_setting('synchronous_standby_names') = '\(name)'")
    }

    private func write(_ way: Way, _ pool: PostgresPool) async throws {
        switch way {
        case .transaction:
            try await pool.withTransaction { connection in _ = try await connection.execute(Self.insert) }
        case .statement:
            try await pool.withConnection { connection in _ = try await connection.execute(Self.insert) }
        case .script:
            try await pool.withConnection { connection in try await connection.executeScript(Self.insert) }
        }
    }

    private static let isWaiting = "exists (select from pg_stat_activity where wait_event = 'SyncRep')"

    @Test(.timeLimit(.minutes(1)), arguments: Way.allCases)
    func aCommitIsNeverCancelledAndKeepsItsConnection(_ way: Way) async throws {
        try await withoutStandby { pool, observer in
            let error = await #expect(throws: PostgresError.self) { try await write(way, pool) }

            #expect(error?.kind == .outcomeUnknown)
            // Several inspections later.
            try await Task.sleep(for: .seconds(1))
            #expect(try await observer.execute("select from numbers").isEmpty)
            #expect(try await observer.execute("select from pg_stat_activity where wait_event = 'SyncRep'").count == 1)
            #expect(pool.connections == PostgresPool.Connections(idle: 0, lent: 1, opening: 0))
            let full = await #expect(throws: PostgresError.self) {
                try await pool.execute(PostgresStatement(name: "one", sql: "select 1"), timeout: .milliseconds(50))
            }
            #expect(full?.kind == .connectTimedOut)
            #expect(full?.message.contains("1 of 1 wait for the server's answer to a commit") == true)

            try await setStandby("", observer)

            let rows = try await pool.execute(
                PostgresStatement(name: "rows", sql: "select from numbers"), timeout: .seconds(20))
            #expect(rows.count == 1)
            #expect(pool.connections == PostgresPool.Connections(idle: 1, lent: 0, opening: 0))
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: Way.allCases)
    func aCancelledTaskDoesNotCancelACommit(_ way: Way) async throws {
        try await withoutStandby { pool, observer in
            let task = Task { try await write(way, pool) }
            try await observer.waitUntil(Self.isWaiting)

            task.cancel()

            let error = await #expect(throws: PostgresError.self) { try await task.value }
            #expect(error?.kind == .outcomeUnknown)
            #expect(try await observer.execute("select from numbers").isEmpty)
            #expect(try await observer.execute("select from pg_stat_activity where wait_event = 'SyncRep'").count == 1)
        }
    }

    /// By an operator, or by a pooler.
    @Test(.timeLimit(.minutes(1)), arguments: Way.allCases)
    func aWaitThatSomebodyEndedIsOfUnknownOutcome(_ way: Way) async throws {
        try await withoutStandby { pool, observer in
            let task = Task { try await write(way, pool) }
            try await observer.waitUntil(Self.isWaiting)

            _ = try await observer.execute(
                "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'")

            let error = await #expect(throws: PostgresError.self) { try await task.value }
            #expect(error?.kind == .outcomeUnknown)
            #expect(error?.message.contains("synchronous standby") == true)
            // The connection is well, and the next statement's answer is its own.
            #expect(try await pool.execute(PostgresStatement(name: "rows", sql: "select from numbers")).count == 1)
        }
    }

    /// Any session may raise one, with the same code.
    @Test func anotherWarningChangesNothing() async throws {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            try await connection.executeScript(
                "do $$ begin raise warning 'canceling wait for synchronous replication' using errcode = '01000'; end $$")

            try await connection.withTransaction { connection in
                _ = try await connection.execute("select 1")
            }
        }
    }

    @Test(.timeLimit(.minutes(1))) func aReadingStatementIsCancelled() async throws {
        try await withoutStandby { pool, _ in
            let error = await #expect(throws: PostgresError.self) {
                try await pool.execute(PostgresStatement(name: "sleep", sql: "select pg_sleep(3600)", isReading: true))
            }

            #expect(error?.kind == .timedOut)
            #expect(error?.sqlState == .queryCanceled)
            #expect(pool.connections == PostgresPool.Connections(idle: 1, lent: 0, opening: 0))
        }
    }

    /// Something between keeps the connection open, and the answer doesn't come: as a proxy whose server went away.
    @Test(.timeLimit(.minutes(1))) func aConnectionWhoseAnswerWasLostIsReplaced() async throws {
        try await PasswordServer.with { server in
            let proxy = try DatabaseProxy(to: server.port)
            let pool = try makePool("postgresql://app:hunter2@127.0.0.1:\(proxy.port)/shop")
            let error = await #expect(throws: PostgresError.self) {
                try await pool.withTransaction { connection in
                    _ = try await connection.execute("select 1")
                    proxy.behave(.silenceAnswer(to: "commit\0"))
                }
            }
            #expect(error?.kind == .outcomeUnknown)

            proxy.behave(.forward)

            let rows = try await pool.execute(PostgresStatement(name: "one", sql: "select 1"), timeout: .seconds(30))
            #expect(rows.count == 1)
            #expect(pool.connections == PostgresPool.Connections(idle: 1, lent: 0, opening: 0))
            await pool.close()
            proxy.end()
        }
    }
}
