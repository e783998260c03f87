// SPDX-License-Identifier: Apache-2.0

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

@Suite struct PrivatePostgresServerTests {
    @Test func serverLivesInItsFolderAndGoesWithIt() async throws {
        let server = try await PrivatePostgresServer.start(logger: .test)
        let folder = server.socketFolder
        let mode = try FileManager.default.attributesOfItem(atPath: folder)[.posixPermissions] as? Int
        try await PostgresConnection.withConnection(to: server.url()) { connection in
            let row = try await connection.execute(
                """
                select current_setting('fsync'), current_setting('listen_addresses'),
                       current_setting('server_encoding')
                """
            )[0]
            #expect(try row.string(0) == "on")
            #expect(try row.string(1) == "")
            #expect(try row.string(2) == "UTF8")
        }

        await server.close()

        #expect(mode == 0o700)
        #expect(!FileManager.default.fileExists(atPath: folder))
    }

    @Test func settingsOfTheCallerOverrideTheDefaults() async throws {
        let settings = ["max_connections=7", "search_path=it's, \"quoted\""]
        try await PrivatePostgresServer.withServer(settings: settings, logger: .test) { server in
            try await PostgresConnection.withConnection(to: server.url()) { connection in
                let row = try await connection.execute(
                    "select current_setting('max_connections'), current_setting('search_path')"
                )[0]

                #expect(try row.string(0) == "7")
                #expect(try row.string(1) == "it's, \"quoted\"")
            }
        }
    }

    @Test func dataSurviveACrashAndAStop() async throws {
        try await PrivatePostgresServer.withServer(logger: .test) { server in
            try await PostgresConnection.withConnection(to: server.url()) { connection in
                _ = try await connection.execute("create table numbers as select 1 as n")
            }
            try await server.kill()
            try await server.start()
            try await server.stop()
            try await server.start()

            try await PostgresConnection.withConnection(to: server.url()) { connection in
                let result = try await connection.execute("select n from numbers")
                #expect(result.count == 1)
            }
        }
    }

    @Test func namedFolderIsKeptAndUsedAgain() async throws {
        let folder = "/tmp/counterfoil-test-" + UUID().uuidString.prefix(8)
        for round in 1...2 {
            try await PrivatePostgresServer.withServer(folder: folder, logger: .test) { server in
                try await PostgresConnection.withConnection(to: server.url()) { connection in
                    _ = try await connection.execute("create table if not exists numbers (n int)")
                    _ = try await connection.execute("insert into numbers values (1)")
                    let count = try await connection.execute("select count(*) from numbers")[0].int64(0)
                    #expect(count == Int64(round))
                }
            }
        }
        #expect(FileManager.default.fileExists(atPath: folder + "/data/PG_VERSION"))
        try FileManager.default.removeItem(atPath: folder)
    }

    @Test(arguments: ["no_equals_sign", "a=b\nc=d"])
    func settingThatIsNoneIsRefused(setting: String) async {
        await #expect(throws: PrivatePostgresError.self) {
            try await PrivatePostgresServer.start(settings: [setting], logger: .test)
        }
    }

    @Test func serverThatCannotStartShowsItsLogAndLeavesNothing() async {
        let error = await #expect(throws: PrivatePostgresError.self) {
            try await PrivatePostgresServer.start(settings: ["max_connections=many"], logger: .test)
        }

        #expect(error?.description.contains("max_connections") == true)
    }

    @Test func relativeFolderIsRefused() async {
        await #expect(throws: PrivatePostgresError.self) {
            try await PrivatePostgresServer.start(folder: "here", logger: .test)
        }
    }

    @Test func jdbcHasItsOwnURL() async throws {
        try await PrivatePostgresServer.withServer(loopback: .password, logger: .test) { server in
            #expect(
                server.loopbackJDBCURL(database: "shop", user: "app", password: "p4ss")
                    == "jdbc:postgresql://127.0.0.1:\(server.port)/shop?user=app&password=p4ss")
        }
    }

    @Test func aServerLivesWhereItsSocketsPathIsShortEnough() {
        #expect(PrivatePostgresServer.canLive(in: "/tmp"))
        #expect(!PrivatePostgresServer.canLive(in: "/tmp/" + String(repeating: "x", count: 60)))
    }

    /// Root starts a server as another user, who may not enter each folder of root's, nor remove its own from there.
    @Test(
        .enabled(if: geteuid() == 0),
        arguments: [(0o700, 0o1777, false), (0o711, 0o755, false), (0o711, 0o1777, true), (0o711, 0o776, false)])
    func aServerLivesWhereItsUserMayGoAndWrite(above: Int, mode: Int, canLive: Bool) throws {
        let parent = "/tmp/above-" + UUID().uuidString.prefix(8)
        for (path, mode) in [(parent, above), (parent + "/place", mode)] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            #expect(chmod(path, mode_t(mode)) == 0)
        }
        defer { try? FileManager.default.removeItem(atPath: parent) }

        #expect(PrivatePostgresServer.canLive(in: parent + "/place") == canLive)
    }

    @Test func trustedLoopbackNeedsNoPassword() async throws {
        try await PrivatePostgresServer.withServer(loopback: .trusted, logger: .test) { server in
            try await PostgresConnection.withConnection(to: server.loopbackURL()) { connection in
                let result = try await connection.execute("select 1")
                #expect(result.count == 1)
            }
        }
    }
}
