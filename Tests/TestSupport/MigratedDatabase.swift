// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import Postgres
import Schema
import VerificationQueue

/// Runs `body` with a database of its own that has the current schema, which is dropped afterwards with whoever is still
/// in it.
package func withMigratedDatabase<Success: Sendable>(
    _ body: (MigratedDatabase) async throws -> Success
) async throws -> Success {
    let template = try await MigratedDatabase.template.value
    await MigratedDatabase.turns.begin()
    let result: Result<Success, any Error>
    do {
        let success = try await withTestDatabase(template: template) { url in
            let database = MigratedDatabase(url: url)
            try await database.withConnection { connection in
                // They belong to a database by its name, and aren't copied with it.
                _ = try await connection.execute(SQLFile.callMakeRoleSettings.statement)
                _ = try await connection.execute(SQLFile.callAdoptChanges.statement)
            }
            return try await body(database)
        }
        result = .success(success)
    } catch {
        result = .failure(error)
    }
    await MigratedDatabase.turns.end()
    return try result.get()
}

/// A fresh copy of a database that was migrated once for all tests of this process.
package struct MigratedDatabase: Sendable {
    private let url: String

    fileprivate init(url: String) {
        self.url = url
    }

    /// A connection string.
    ///
    /// - Parameter user: a role that may log in, such as `counterfoil_worker`; nil: the server's superuser.
    package func url(user: String? = nil) -> String {
        TestServer.url(url, user: user)
    }

    /// Connects as a role, runs `body` and closes the connection.
    ///
    /// - Parameter isPinned: as a program of ours connects.
    package func withConnection<Success: Sendable>(
        as user: String? = nil,
        isPinned: Bool = false,
        _ body: (PostgresConnection) async throws -> Success
    ) async throws -> Success {
        try await PostgresConnection.withConnection(to: url(user: user), isPinned: isPinned, body)
    }
}

extension MigratedDatabase {
    fileprivate static let turns = DatabaseTurns(12)

    /// The name of the database that is copied, in which nobody is connected once it is there. It goes with the private
    /// server; on a server that a variable names, it stays.
    fileprivate static let template = Task {
        let name = "template_" + UUID().uuidString.lowercased().replacing("-", with: "_")
        if let migrator = TestServer.migrator {
            try await TestDatabase.execute("create role \(migrator) login createrole")
        }
        try await TestDatabase.execute("create database \(name)" + (TestServer.migrator.map { " owner \($0)" } ?? ""))
        let url = TestServer.url(try await TestServer.url(database: name), user: TestServer.migrator)
        try await PostgresConnection.withConnection(to: url) { connection in
            _ = try await SchemaMigrator(logger: .test).migrate(connection)
        }
        if TestServer.migrator != nil { try await TestDatabase.execute("grant pg_monitor to counterfoil_owner") }
        return name
    }
}
