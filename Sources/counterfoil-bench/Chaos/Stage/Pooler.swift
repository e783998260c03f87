// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import PrivatePostgres
import Rehearsal
import Subprocess
import Synchronization

/// A PgBouncer in transaction mode before a server, which is started again whenever it ends.
final class Pooler: Sendable {
    private static let program = "/usr/sbin/pgbouncer"

    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program) }

    /// On 127.0.0.1.
    let port: Int
    private let configuration: String
    private let process = Mutex<pid_t?>(nil)

    private init(port: Int, configuration: String) {
        self.port = port
        self.configuration = configuration
    }

    /// Runs `body` with a pooler for one role of a database.
    ///
    /// - Parameters:
    ///   - host: at which it reaches the server: the loopback, where the server listens there, or the folder of its socket.
    ///   - others: further roles, each of which finds the same database under the role's own name.
    static func withPooler<Success: Sendable>(
        before server: PrivatePostgresServer, at host: String = "127.0.0.1", database: String = RehearsalDatabase.name,
        user: String, others: [String] = [],
        _ body: (Pooler) async throws -> Success
    ) async throws -> Success {
        guard isInstalled else { throw BenchError("PgBouncer isn't installed") }
        let port = try FreePort.find()
        // Its folder goes with the server's, whose user it runs as.
        let path = server.socketFolder + "/pgbouncer.ini"
        let names = [(database, user)] + others.map { ($0, $0) }
        let databases = names.map { "\($0.0) = host=\(host) port=\(server.port) dbname=\(database) user=\($0.1)" }
        try BenchFile.write(
            """
            [databases]
            \(databases.joined(separator: "\n"))
            [pgbouncer]
            listen_addr = 127.0.0.1
            listen_port = \(port)
            unix_socket_dir =
            auth_type = any
            pool_mode = transaction
            default_pool_size = 20
            max_client_conn = 500
            """, to: path)
        let pooler = Pooler(port: port, configuration: path)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pooler.keepRunning() }
            defer { group.cancelAll() }
            return try await body(pooler)
        }
    }

    /// Ends it as a crash would; it is started again at once.
    func kill() {
        process.withLock { process in
            if let process { _ = Glibc.kill(process, SIGKILL) }
        }
    }

    private func keepRunning() async throws {
        // It refuses root. The shell leaves its place to the program, so that a signal reaches that.
        let user = geteuid() == 0 ? "exec setpriv --reuid=postgres --regid=postgres --clear-groups -- " : "exec "
        while !Task.isCancelled {
            _ = try await Subprocess.run(
                .name("sh"), arguments: ["-c", user + "\"$@\"", "sh", Self.program, "--quiet", configuration],
                input: .none, output: .discarded, error: .discarded
            ) { execution in
                self.process.withLock { $0 = execution.processIdentifier.value }
            }
        }
    }
}
