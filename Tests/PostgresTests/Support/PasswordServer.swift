// SPDX-License-Identifier: Apache-2.0

import Postgres
import PrivatePostgres
import TestSupport

/// A server on loopback with a role `app` whose password is `hunter2`, and its database `shop`.
enum PasswordServer {
    /// A task of its own, since the first test that needs the server starts it, for all others too.
    private static let shared = Task { try await start() }

    /// The one that the tests share.
    static func with(_ body: (PrivatePostgresServer) async throws -> Void) async throws {
        try await body(shared.value)
    }

    /// One that a test may change or break.
    static func withFreshOne(_ body: (PrivatePostgresServer) async throws -> Void) async throws {
        let server = try await start()
        do {
            try await body(server)
        } catch {
            await server.close()
            throw error
        }
        await server.close()
    }

    private static func start() async throws -> PrivatePostgresServer {
        let server = try await PrivatePostgresServer.start(settings: ["fsync=off"], loopback: .password, logger: .test)
        try await PostgresConnection.withConnection(to: server.url()) { connection in
            _ = try await connection.execute("create role app login password 'hunter2'")
            _ = try await connection.execute("create database shop owner app")
        }
        return server
    }
}
