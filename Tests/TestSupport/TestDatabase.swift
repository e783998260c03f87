// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import Logging
package import Postgres

/// Runs `body` with the connection string of a fresh database, which is dropped afterwards with whoever is still in it.
///
/// - Parameter template: the database to copy, in which nobody may be connected; nil: an empty one.
package func withTestDatabase<Success: Sendable>(
    template: String? = nil,
    _ body: (_ url: String) async throws -> Success
) async throws -> Success {
    let name = "test_" + UUID().uuidString.lowercased().replacing("-", with: "_")
    try await TestDatabase.execute("create database \(name)" + (template.map { " template \($0)" } ?? ""))
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
        let configuration = try PostgresConfiguration(url: await TestServer.url())
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

extension Logger {
    /// Says nothing, so that the output of tests is theirs.
    package static let test = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
}

extension PostgresConnection {
    /// Connects, runs `body` and closes the connection. It is patient, since tests run many at a time on few cores.
    package static func withConnection<Success: Sendable>(
        to url: String,
        _ body: (PostgresConnection) async throws -> Success
    ) async throws -> Success {
        var configuration = try PostgresConfiguration(url: url)
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

    /// Runs a statement that has no name worth giving.
    package nonisolated func execute(
        _ sql: String,
        _ parameters: [PostgresParameter] = [],
        timeout: Duration? = nil
    ) async throws(PostgresError) -> PostgresResult {
        try await execute(PostgresStatement(name: "test", sql: sql), parameters, timeout: timeout)
    }
}
