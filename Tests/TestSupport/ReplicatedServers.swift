// SPDX-License-Identifier: Apache-2.0

import EventSources
import Logging
import Postgres
package import PrivatePostgres
import VerificationQueue

/// A migrated server and its hot standby, which is named `db2`, both on loopback.
package struct ReplicatedServers: Sendable {
    package let primary: PrivatePostgresServer
    package let standby: PrivatePostgresServer

    /// Runs `body` with servers that are there for its time only. Nothing is synchronous.
    package static func with(_ body: (ReplicatedServers) async throws -> Void) async throws {
        let settings = ["fsync=off", "cluster_name=db1"]
        try await PrivatePostgresServer.withServer(settings: settings, loopback: .trusted, logger: .test) { primary in
            try await PostgresConnection.withConnection(to: primary.url()) { connection in
                _ = try await SchemaMigrator(logger: .test).migrate(connection)
            }
            let standby = try await primary.startStandby(settings: ["fsync=off", "cluster_name=db2"])
            try await endingLast(standby.close) {
                try await body(ReplicatedServers(primary: primary, standby: standby))
            }
        }
    }

    /// Waits until the standby shows all that the primary has committed.
    package func catchUp() async throws {
        let written = try await PostgresConnection.withConnection(to: primary.url()) { connection in
            try await connection.execute("select pg_current_wal_lsn()::text")[0].string(0)
        }
        try await PostgresConnection.withConnection(to: standby.url()) { connection in
            try await connection.waitUntil("pg_last_wal_replay_lsn() >= $1::text::pg_lsn", [.text(written)])
        }
    }
}
