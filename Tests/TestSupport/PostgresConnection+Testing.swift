// SPDX-License-Identifier: Apache-2.0

import Logging
package import Postgres

extension PostgresConnection {
    /// Connects, runs `body` and closes the connection. It is patient, since tests run many at a time on few cores.
    ///
    /// - Parameter isPinned: as a program of ours connects.
    package static func withConnection<Success: Sendable>(
        to url: String,
        isPinned: Bool = false,
        _ body: (PostgresConnection) async throws -> Success
    ) async throws -> Success {
        var configuration = try PostgresConfiguration(url: url)
        // A test's own statements, and what it does as a shop or a stranger.
        configuration.isPinned = isPinned
        configuration.connectTimeout = .seconds(60)
        configuration.cancellationGrace = .seconds(60)
        let connection = try await connect(configuration, logger: .test)
        do {
            let success = try await body(connection)
            await connection.close()
            return success
        } catch {
            await connection.close()
            throw error
        }
    }

    /// Runs a statement that has no name worth giving. One that selects may be cancelled.
    package nonisolated func execute(
        _ sql: String,
        _ parameters: [PostgresParameter] = [],
        timeout: Duration? = nil
    ) async throws(PostgresError) -> PostgresResult {
        try await execute(PostgresStatement(name: "test", sql: sql, isReading: sql.hasPrefix("select ")), parameters, timeout: timeout)
    }

    /// Makes an isolation level the database's default; sessions that begin later have it.
    package nonisolated func chooseLevel(_ level: String) async throws(PostgresError) {
        try await executeScript(
            """
            do $$ begin
                execute format('alter database %I set default_transaction_isolation = %L', current_database(), '\(level)');
            end $$
            """)
    }

    /// Waits until a condition in SQL holds; the server does the waiting, looking every 5 ms.
    ///
    /// - Parameter condition: an expression, such as `exists (select from …)`.
    /// - Throws: when it doesn't hold within `timeout`.
    package nonisolated func waitUntil(
        _ condition: String,
        _ parameters: [PostgresParameter] = [],
        timeout: Duration = .seconds(30)
    ) async throws {
        let deadline = ContinuousClock.now + timeout
        while ContinuousClock.now < deadline {
            let result = try await execute("select coalesce((\(condition)), false), pg_sleep(0.005)", parameters)
            if try result[0].bool(0) {
                return
            }
        }
        throw WaitingTooLong(condition: condition)
    }

    /// Waits until somebody waits for a lock of this database.
    ///
    /// - Parameter type: as `pg_locks` names it: `advisory`, `relation`, `transactionid`, ….
    package nonisolated func waitUntilALockIsWaitedFor(_ type: String) async throws {
        try await waitUntil(
            """
            exists (
                -- A row's lock names its transaction, and no database: the sessions tell.
                select from pg_locks l join pg_stat_activity a on a.pid = l.pid
                where l.locktype = $1::text and not l.granted and a.datname = current_database()
            )
            """, [.text(type)])
    }
}
