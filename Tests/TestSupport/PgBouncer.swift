// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
package import PrivatePostgres

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A PgBouncer in transaction mode, with two server connections, for the time of a test.
package enum PgBouncer {
    private static let path = "/usr/sbin/pgbouncer"

    package static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// Runs `body` with a connection string that leads through a pooler to a database of a server on loopback.
    package static func withPooler(
        before server: PrivatePostgresServer, database: String = "shop", user: String = "app", password: String = "hunter2",
        _ body: (_ url: String) async throws -> Void
    ) async throws {
        let port = try FreePort.find()
        let folder = FileManager.default.temporaryDirectory.path + "/pgbouncer-" + UUID().uuidString.prefix(8)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let configuration = """
            [databases]
            \(database) = host=127.0.0.1 port=\(server.port) user=\(user) password=\(password) dbname=\(database)
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = \(port)
            unix_socket_dir =
            auth_type = any
            pool_mode = transaction
            default_pool_size = 2
            logfile = \(folder)/log
            """
        try Data(configuration.utf8).write(to: URL(fileURLWithPath: folder + "/pgbouncer.ini"))
        chmod(folder, 0o777)
        let process = try spawn(folder + "/pgbouncer.ini")
        defer {
            kill(process, SIGKILL)
            var status: Int32 = 0
            waitpid(process, &status, 0)
            try? FileManager.default.removeItem(atPath: folder)
        }
        let url = "postgresql://\(user)@127.0.0.1:\(port)/\(database)"
        // It listens a moment after its start; the pool tries until it does.
        let pool = PostgresPool(configuration: try PostgresConfiguration(url: url), size: 1, logger: .test)
        _ = try await pool.execute(PostgresStatement(name: "ready", sql: "select 1"), timeout: .seconds(60))
        await pool.close()
        try await body(url)
    }

    /// As another user where we are root, which it refuses to run as.
    private static func spawn(_ configuration: String) throws -> pid_t {
        let user = geteuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"] : []
        let words = user + [path, "--quiet", configuration]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer {
            for argument in arguments {
                free(argument)
            }
        }
        var process: pid_t = 0
        let status = posix_spawnp(&process, words[0], nil, nil, &arguments, environ)
        guard status == 0 else { throw POSIXError(POSIXErrorCode(rawValue: status) ?? .EIO) }
        return process
    }
}
