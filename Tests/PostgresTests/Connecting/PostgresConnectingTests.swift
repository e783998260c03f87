// SPDX-License-Identifier: Apache-2.0

import EventSources
import FoundationEssentials
import Postgres
import PrivatePostgres
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How connections come about, or don't, over TCP and the Unix socket.
@Suite struct PostgresConnectingTests {
    private func connectionError(
        to url: String,
        passwordFile: String? = nil,
        timeout: Duration = .seconds(5)
    ) async throws -> PostgresError {
        var configuration = try PostgresConfiguration(url: url, passwordFile: passwordFile)
        configuration.connectTimeout = timeout
        do throws(PostgresError) {
            let connection = try await PostgresConnection.connect(configuration, logger: .test)
            await connection.close()
        } catch {
            return error
        }
        throw UnexpectedConnection()
    }

    private struct UnexpectedConnection: Error {}

    /// A port where connections are taken by the system and never answered, as from a host that hangs.
    private func withSilentPort(_ body: (_ port: Int) async throws -> Void) async throws {
        let (socket, port) = try LoopbackSocket.listening()
        try await body(port)
        close(socket)
    }

    private func serverPort(of connection: PostgresConnection) async throws -> Int32? {
        let row = try await connection.execute("select inet_server_port()")[0]
        return row.isNull(0) ? nil : try row.int32(0)
    }

    @Test func serverIsReachedOverTCPWithAPassword() async throws {
        try await PasswordServer.with { server in
            try await PostgresConnection.withConnection(
                to: server.loopbackURL(database: "shop", user: "app", password: "hunter2")
            ) { connection in
                let row = try await connection.execute("select current_user::text, current_database()::text")[0]

                #expect(try row.string(0) == "app")
                #expect(try row.string(1) == "shop")
            }
        }
    }

    @Test func passwordIsReadFromItsFileForEachConnection() async throws {
        try await PasswordServer.with { server in
            let file = FileManager.default.temporaryDirectory.path + "/password-" + UUID().uuidString
            let url = server.loopbackURL(database: "shop", user: "app", password: "overridden")
            try Data("wrong\n".utf8).write(to: URL(fileURLWithPath: file))
            #expect(try await connectionError(to: url, passwordFile: file).kind == .authentication)

            try Data("hunter2\n".utf8).write(to: URL(fileURLWithPath: file))

            let configuration = try PostgresConfiguration(url: url, passwordFile: file)
            let connection = try await PostgresConnection.connect(configuration, logger: .test)
            #expect(await connection.isUsable)
            await connection.close()
            try FileManager.default.removeItem(atPath: file)
            let error = try await connectionError(to: url, passwordFile: file)
            #expect(error.kind == .connect)
            #expect(error.message.contains(file))
        }
    }

    @Test func wrongPasswordIsAnAuthenticationError() async throws {
        try await PasswordServer.with { server in
            let error = try await connectionError(
                to: server.loopbackURL(database: "shop", user: "app", password: "s3cret")
            )

            #expect(error.kind == .authentication)
            #expect(error.sqlState == .invalidPassword)
            #expect(!error.description.contains("s3cret"))
        }
    }

    @Test func wrongPasswordIsNotTriedOnTheNextHost() async throws {
        try await PasswordServer.with { server in
            let error = try await connectionError(
                to: "postgresql://app:wrong@127.0.0.1:\(server.port),127.0.0.1:1/shop"
            )

            #expect(error.kind == .authentication)
        }
    }

    @Test func unknownDatabaseIsNamed() async throws {
        let error = try await connectionError(to: TestServer.url(database: "nowhere"))

        #expect(error.kind == .connect)
        #expect(error.sqlState == .invalidCatalogName)
        #expect(error.message.contains("nowhere"))
    }

    @Test(arguments: ["host=127.0.0.1 port=1", "host=/nowhere port=1", "host=localhost port=1"])
    func serverThatIsNotThereIsAConnectError(url: String) async throws {
        let error = try await connectionError(to: url)

        #expect(error.kind == .connect)
        #expect(error.sqlState == nil)
        #expect(error.isConnectionLoss)
    }

    @Test func unknownNameIsAConnectError() async throws {
        let error = try await connectionError(to: "host=nowhere.invalid")

        #expect(error.kind == .connect || error.kind == .connectTimedOut)
        #expect(error.message.contains("nowhere.invalid"))
    }

    @Test func nameIsLookedUp() async throws {
        try await PasswordServer.with { server in
            try await PostgresConnection.withConnection(
                to: "host=localhost port=\(server.port) user=app password=hunter2 dbname=shop"
            ) { connection in
                let port = try await serverPort(of: connection)
                #expect(port == Int32(server.port))
            }
        }
    }

    @Test func silentHostIsGivenUpAtTheDeadline() async throws {
        try await withSilentPort { port in
            let start = ContinuousClock.now

            let error = try await connectionError(to: "host=127.0.0.1 port=\(port)", timeout: .milliseconds(100))

            #expect(error.kind == .connectTimedOut)
            #expect(error.message.contains(String(port)))
            #expect(start.duration(to: .now) >= .milliseconds(100))
        }
    }

    @Test func silentFirstHostOfSeveralIsSkipped() async throws {
        try await withSilentPort { silent in
            try await PasswordServer.with { server in
                var configuration = try PostgresConfiguration(
                    url: "postgresql://app:hunter2@127.0.0.1:\(silent),127.0.0.1:1,127.0.0.1:\(server.port)/shop"
                )
                configuration.connectTimeout = .seconds(5)

                let connection = try await PostgresConnection.connect(configuration, logger: .test)

                let port = try await serverPort(of: connection)
                #expect(port == Int32(server.port))
                await connection.close()
            }
        }
    }

    @Test func cancelledTaskStopsConnecting() async throws {
        try await withSilentPort { port in
            let configuration = try PostgresConfiguration(url: "host=127.0.0.1 port=\(port) connect_timeout=3600")
            let task = Task { try await PostgresConnection.connect(configuration, logger: .test) }

            task.cancel()

            let error = await #expect(throws: PostgresError.self) { try await task.value }
            #expect(error?.kind == .cancelled)
        }
    }

    @Test func serverThatIsNoLongerPrimaryIsPassedOver() async throws {
        try await PasswordServer.with { primary in
            try await PasswordServer.withFreshOne { demoted in
                try await PostgresConnection.withConnection(to: demoted.url()) { connection in
                    _ = try await connection.execute("alter system set default_transaction_read_only = on")
                    _ = try await connection.execute("select pg_reload_conf()")
                    try await connection.waitUntil("current_setting('default_transaction_read_only')::bool")
                }
                let hosts = "127.0.0.1:\(demoted.port),127.0.0.1:\(primary.port)"

                let url = "postgresql://app:hunter2@\(hosts)/shop?target_session_attrs="
                for (attributes, port) in [
                    ("any", demoted.port), ("read-write", primary.port), ("read-only", demoted.port),
                    ("prefer-standby", demoted.port), ("primary", demoted.port),
                ] {
                    try await PostgresConnection.withConnection(to: url + attributes) { connection in
                        let reached = try await serverPort(of: connection)
                        #expect(reached == Int32(port), "\(attributes)")
                    }
                }
                let error = try await connectionError(to: url + "standby")
                #expect(error.kind == .connect)
            }
        }
    }

    @Test func connectionNamesItselfToTheServer() async throws {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            let row = try await connection.execute(
                "select current_setting('application_name'), current_setting('client_encoding')"
            )[0]

            #expect(try row.string(0) == "counterfoil")
            #expect(try row.string(1) == "UTF8")
        }
    }

    @Test func fullServerIsUnavailable() async throws {
        let settings = ["fsync=off", "max_connections=3", "superuser_reserved_connections=0", "max_wal_senders=0"]
        try await PrivatePostgresServer.withServer(settings: settings, logger: .test) { server in
            let configuration = try PostgresConfiguration(url: server.url())
            var connections: [PostgresConnection] = []
            for _ in 1...3 {
                connections.append(try await PostgresConnection.connect(configuration, logger: .test))
            }

            let error = try await connectionError(to: server.url())

            #expect(error.kind == .unavailable)
            #expect(error.sqlState == .tooManyConnections)
            for connection in connections {
                await connection.close()
            }
        }
    }
}
