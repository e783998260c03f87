// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Logging
import PrivatePostgres

/// The server that the tests of this process share.
package enum TestServer {
    /// Names a server to use in place of a private one; its role must be allowed to create databases.
    package static let variable = "COUNTERFOIL_TEST_DATABASE_URL"

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

    /// A task of its own, since the first test that needs the server starts it, for all others too. It is stopped by
    /// its supervisor when this process ends.
    private static let privateServer = Task {
        try await PrivatePostgresServer.start(
            settings: ["fsync=off", "full_page_writes=off", "max_connections=300"],
            logger: Logger(label: "test.server")
        )
    }
}
