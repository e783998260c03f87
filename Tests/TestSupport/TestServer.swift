// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Logging
import PrivatePostgres

/// The server that the tests of this process share.
package enum TestServer {
    /// Names a server to use in place of a private one; its role must be allowed to create databases.
    package static let variable = "COUNTERFOIL_TEST_DATABASE_URL"

    /// Names a role that makes and migrates the databases: it may create roles and databases, and is no superuser, as on a managed
    /// server. Nil: the server's superuser does.
    package static let migrator = ProcessInfo.processInfo.environment["COUNTERFOIL_TEST_MIGRATOR"]

    /// A connection string for a database that tests leave alone, on a server that is up.
    package static func url() async throws -> String {
        if let url = ProcessInfo.processInfo.environment[variable] {
            return url
        }
        return try await privateServer.value.url()
    }

    /// A connection string for another database of the same server.
    package static func url(database: String) async throws -> String {
        let url = try await url()
        guard url.contains("://") else {
            return url + " dbname=" + database
        }
        // In libpq's URIs a parameter overrides the path.
        return url + (url.contains("?") ? "&" : "?") + "dbname=" + database
    }

    /// - Returns: the string with a user, unless that is nil.
    package static func url(_ url: String, user: String?) -> String {
        guard let user else { return url }
        guard url.contains("://") else {
            return url + " user=" + user
        }
        // In libpq's URIs the last of several values counts.
        return url + (url.contains("?") ? "&" : "?") + "user=" + user
    }

    /// A task of its own, since the first test that needs the server starts it, for all others too. It is stopped by
    /// its supervisor when this process ends.
    private static let privateServer = Task {
        try await PrivatePostgresServer.start(
            temporaryParent: ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp",
            settings: ["fsync=off", "full_page_writes=off", "max_connections=300", "max_prepared_transactions=20"],
            logger: Logger(label: "test.server")
        )
    }
}
