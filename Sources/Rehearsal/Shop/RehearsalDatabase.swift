// SPDX-License-Identifier: Apache-2.0

import EventSources
package import Logging
import Postgres
package import PrivatePostgres
import VerificationQueue

/// The database that is played in.
package enum RehearsalDatabase {
    package static let name = "counterfoil"

    /// Who migrates it where the superuser doesn't.
    package static let migrator = "counterfoil_admin"

    /// Makes it on a server that has none, with the schema.
    ///
    /// - Parameter asManaged: whether ``migrator`` owns and migrates it, as on a managed server.
    package static func make(on server: PrivatePostgresServer, asManaged: Bool = false, logger: Logger) async throws {
        try await makeEmpty(on: server, logger: logger)
        if asManaged {
            try await withConnection(server.url(), logger) { _ = try await $0.execute(RehearsalSQL.makeMigrator) }
        }
        try await withConnection(server.url(database: name, user: asManaged ? migrator : "postgres"), logger) { connection in
            _ = try await SchemaMigrator(logger: logger).migrate(connection)
        }
        if asManaged {
            try await withConnection(server.url(), logger) { _ = try await $0.execute(RehearsalSQL.grantMonitor) }
        }
    }

    /// The roles by which developers connect over TCP: a backend's first, the superuser's last.
    package static let rolesWithPassword = ["counterfoil_backend", "counterfoil_support", "counterfoil_reader", "postgres"]

    /// Gives ``rolesWithPassword`` a password.
    package static func setPassword(_ password: String, on server: PrivatePostgresServer, logger: Logger) async throws {
        try await withConnection(server.url(), logger) { connection in
            _ = try await connection.execute(RehearsalSQL.keepPassword, [.text(password)])
            _ = try await connection.execute(RehearsalSQL.givePasswords)
        }
    }

    /// Makes it without a schema.
    package static func makeEmpty(on server: PrivatePostgresServer, logger: Logger) async throws {
        try await withConnection(server.url(), logger) { connection in
            _ = try await connection.execute(RehearsalSQL.createDatabase)
        }
    }

    private static func withConnection(
        _ url: String, _ logger: Logger, _ body: (PostgresConnection) async throws -> Void
    ) async throws {
        let connection = try await PostgresConnection.connect(PostgresConfiguration(url: url), logger: logger)
        try await endingLast(connection.close) { try await body(connection) }
    }
}
