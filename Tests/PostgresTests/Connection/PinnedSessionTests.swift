// SPDX-License-Identifier: Apache-2.0

import Postgres
import PrivatePostgres
import TestSupport
import Testing

/// What a session of a program of ours begins with, whatever the role's and the database's settings are.
@Suite struct PinnedSessionTests {
    private static let settings = PostgresStatement(
        name: "settings",
        sql: "select current_setting('search_path'), current_setting('transaction_isolation')", isPrepared: true)

    /// A database whose sessions look names up in `public`, at another level.
    private func withHostileDefaults(_ body: (_ url: String) async throws -> Void) async throws {
        try await withTestDatabase { url in
            try await PostgresConnection.withConnection(to: url) { connection in
                try await connection.chooseLevel("serializable")
                try await connection.executeScript(
                    """
                    do $$ begin execute format('alter database %I set search_path = public, pg_catalog', current_database()); end $$
                    """)
            }
            try await body(url)
        }
    }

    private func expectSettings(
        _ path: String, _ level: String, _ connection: PostgresConnection, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let row = try await connection.execute(Self.settings)[0]
        #expect(try row.string(0) == path, sourceLocation: sourceLocation)
        #expect(try row.string(1) == level, sourceLocation: sourceLocation)
    }

    @Test func itLooksNamesUpInTheServersSchemaAlone() async throws {
        try await withHostileDefaults { url in
            try await PostgresConnection.withConnection(to: url, isPinned: true) { connection in
                try await expectSettings("pg_catalog, pg_temp", "read committed", connection)
                try await connection.withTransaction { try await expectSettings("pg_catalog, pg_temp", "read committed", $0) }
                try await expectSettings("pg_catalog, pg_temp", "read committed", connection)
            }
        }
    }

    @Test func oneThatStandsForAShopIsLeftAsItIs() async throws {
        try await withHostileDefaults { url in
            try await PostgresConnection.withConnection(to: url) { connection in
                try await expectSettings("public, pg_catalog", "serializable", connection)
                // The level is each database transaction's own.
                try await connection.withTransaction { try await expectSettings("public, pg_catalog", "read committed", $0) }
            }
        }
    }

    /// A session's setting would be another client's a moment later: each database transaction has its own.
    @Test(.enabled(if: PgBouncer.isInstalled, "pgbouncer is not installed"))
    func behindAPoolerEachDatabaseTransactionIsPinned() async throws {
        try await PasswordServer.with { server in
            try await PgBouncer.withPooler(before: server) { url in
                try await PostgresConnection.withConnection(to: url) { connection in
                    try await PostgresConnection.withConnection(to: url, isPinned: true) { pinned in
                        for _ in 1...3 {
                            try await expectSettings("pg_catalog, pg_temp", "read committed", pinned)
                            try await expectSettings("\"$user\", public", "read committed", connection)
                        }
                        try await pinned.withTransaction { try await expectSettings("pg_catalog, pg_temp", "read committed", $0) }
                        await #expect(throws: PostgresError.self) { try await pinned.execute("select 1 / 0") }
                        try await expectSettings("pg_catalog, pg_temp", "read committed", pinned)
                        // Its statements can't be pinned.
                        let error = await #expect(throws: PostgresError.self) { try await pinned.executeScript("select 1") }
                        #expect(error?.kind == .protocolViolation)
                    }
                }
            }
        }
    }
}
