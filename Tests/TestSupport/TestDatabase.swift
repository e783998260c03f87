// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Logging
import Postgres

/// Runs `body` with the connection string of a fresh database, which is dropped afterwards with whoever is still in it.
///
/// - Parameter template: the database to copy, in which nobody may be connected; nil: an empty one.
package func withTestDatabase<Success: Sendable>(
    template: String? = nil,
    _ body: (_ url: String) async throws -> Success
) async throws -> Success {
    let name = "test_" + UUID().uuidString.lowercased().replacing("-", with: "_")
    // Its files are copied: half of what writing them to the log costs.
    try await TestDatabase.execute(
        "create database \(name)" + (template.map { " template \($0)" } ?? "") + " strategy file_copy")
    do {
        let success = try await body(TestServer.url(database: name))
        try await TestDatabase.drop(name)
        return success
    } catch {
        try? await TestDatabase.drop(name)
        throw error
    }
}

/// Makes and drops databases of ``TestServer``.
package enum TestDatabase {
    /// Drops a database with all of its connections.
    package static func drop(_ name: String) async throws {
        try await execute("drop database if exists \(name) with (force)")
    }

    /// Runs one statement in the server's maintenance database, on a connection of its own.
    package static func execute(_ sql: String) async throws {
        var configuration = try PostgresConfiguration(url: await TestServer.url())
        configuration.isPinned = false
        configuration.connectTimeout = .seconds(60)
        configuration.statementTimeout = .seconds(120)
        let connection = try await PostgresConnection.connect(configuration, logger: .test)
        do {
            _ = try await connection.execute(PostgresStatement(name: "test", sql: sql))
        } catch {
            await connection.close()
            throw error
        }
        await connection.close()
    }
}
