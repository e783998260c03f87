// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import Postgres
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
                try await MigratedDatabase.copyRoleSettings(from: template, connection)
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
        guard let user else { return url }
        guard url.contains("://") else {
            return url + " user=" + user
        }
        // In libpq's URIs the last of several values counts.
        return url + (url.contains("?") ? "&" : "?") + "user=" + user
    }

    /// Connects as a role, runs `body` and closes the connection.
    package func withConnection<Success: Sendable>(
        as user: String? = nil,
        _ body: (PostgresConnection) async throws -> Success
    ) async throws -> Success {
        try await PostgresConnection.withConnection(to: url(user: user), body)
    }
}

extension MigratedDatabase {
    fileprivate static let turns = DatabaseTurns(12)

    /// The name of the database that is copied, in which nobody is connected once it is there. It goes with the private
    /// server; on a server that a variable names, it stays.
    fileprivate static let template = Task {
        let name = "template_" + UUID().uuidString.lowercased().replacing("-", with: "_")
        try await TestDatabase.execute("create database \(name)")
        try await PostgresConnection.withConnection(to: try await TestServer.url(database: name)) { connection in
            _ = try await SchemaMigrator(logger: .test).migrate(connection)
        }
        return name
    }

    /// Gives the roles in this copy the settings that the migrator gave them in the template: those belong to a database by
    /// name and aren't copied with it.
    fileprivate static func copyRoleSettings(from template: String, _ connection: PostgresConnection) async throws {
        try await connection.executeScript(
            """
            do $$
            declare
                setting record;
            begin
                for setting in
                    select s.setrole::regrole as role, split_part(c.text, '=', 1) as name,
                        substr(c.text, strpos(c.text, '=') + 1) as value
                    from pg_catalog.pg_db_role_setting s
                    join pg_catalog.pg_database d on d.oid = s.setdatabase
                    cross join unnest(s.setconfig) as c (text)
                    where d.datname = '\(template)' and s.setrole <> 0
                loop
                    execute format(
                        'alter role %s in database %I set %I = %L', setting.role, current_database(), setting.name,
                        setting.value
                    );
                end loop;
            end
            $$
            """
        )
    }
}
