// SPDX-License-Identifier: Apache-2.0

import EventSources
import FoundationEssentials
package import Logging

/// A PostgreSQL server of our own, for tests, benchmarks and trying things out.
///
/// It lives in a folder that only its user can enter, listens on a Unix socket there, and has a superuser `postgres`
/// without a password. It is stopped, and a temporary folder removed, by ``close()`` or at the end of this process,
/// whichever way that comes.
package final class PrivatePostgresServer: Sendable {
    /// The folder of the Unix socket.
    package var socketFolder: String { folder.path }
    /// The port on loopback, if open there, which is also part of the socket's name.
    package let port: Int
    /// The server's log.
    package var logFile: String { folder.log }
    /// Where the server's programs are, `pgbench` among them where it is installed.
    package var toolsFolder: String { tools.folder }

    private static let removal = """
        "$1" stop -D "$2" -m fast -t 20 >/dev/null 2>&1 || "$1" stop -D "$2" -m immediate >/dev/null 2>&1
        if [ -n "$3" ]; then rm -rf -- "$3"; fi
        exit 0
        """

    private let folder: ServerFolder
    private let tools: PostgresTools
    private let command: ServerCommand
    private let supervisor: Supervisor
    private let loopback: LoopbackAccess
    private let logger: Logger

    /// Sets up a server and starts it.
    ///
    /// - Parameters:
    ///   - folder: where to keep it; one that holds a server's data already is used again, and it stays at the end. Nil: a
    ///     temporary one, which goes.
    ///   - temporaryParent: where to make a temporary folder; its path must be short, and open to the server's user.
    ///   - settings: lines for `postgresql.conf` as `name=value`, the value without quotes. They override the defaults.
    ///     `fsync` is on unless switched off here.
    ///   - loopback: whether it listens at 127.0.0.1, on a free port, too.
    package static func start(
        folder path: String? = nil,
        temporaryParent: String = "/tmp",
        settings: [String] = [],
        loopback: LoopbackAccess = .none,
        logger: Logger
    ) async throws(PrivatePostgresError) -> PrivatePostgresServer {
        let tools = try PostgresTools.find()
        let user = try ServerUser.current()
        let folder = try ServerFolder.make(path, temporaryParent: temporaryParent, for: user)
        let server = PrivatePostgresServer(
            folder: folder,
            port: try FreePort.find(),
            tools: tools,
            user: user,
            loopback: loopback,
            logger: logger
        )
        do throws(PrivatePostgresError) {
            try await server.initialize(settings, for: user)
            try await server.start()
        } catch {
            await server.supervisor.end()
            throw error
        }
        return server
    }

    /// Runs `body` with a server that is there for its time only.
    package static func withServer<Success: Sendable>(
        folder: String? = nil,
        temporaryParent: String = "/tmp",
        settings: [String] = [],
        loopback: LoopbackAccess = .none,
        logger: Logger,
        _ body: (PrivatePostgresServer) async throws -> Success
    ) async throws -> Success {
        let server = try await start(
            folder: folder, temporaryParent: temporaryParent, settings: settings, loopback: loopback, logger: logger)
        return try await endingLast(server.close) { try await body(server) }
    }

    private init(
        folder: ServerFolder,
        port: Int,
        tools: PostgresTools,
        user: ServerUser,
        loopback: LoopbackAccess,
        logger: Logger
    ) {
        self.folder = folder
        self.port = port
        self.tools = tools
        self.loopback = loopback
        self.logger = logger
        command = ServerCommand(user: user)
        supervisor = Supervisor(
            script: Self.removal,
            arguments: [tools.pgCtl, folder.data, folder.isTemporary ? folder.path : ""],
            prefix: user.commandPrefix
        )
    }

    /// A connection string for the Unix socket.
    package func url(database: String = "postgres", user: String = "postgres") -> String {
        "postgresql:///\(Self.encoded(database))?host=\(Self.encoded(folder.path))&port=\(port)&user=\(Self.encoded(user))"
    }

    /// A connection string for the port on loopback; nothing listens there unless it was asked for.
    ///
    /// - Parameters: letters, digits and underscores.
    package func loopbackURL(database: String = "postgres", user: String = "postgres", password: String? = nil) -> String {
        "postgresql://\(user)\(password.map { ":" + $0 } ?? "")@127.0.0.1:\(port)/\(database)"
    }

    /// The same for JDBC, which knows no user before the host.
    package func loopbackJDBCURL(database: String, user: String, password: String) -> String {
        "jdbc:postgresql://127.0.0.1:\(port)/\(database)?user=\(user)&password=\(password)"
    }

    /// Whether a server of ours can live in a folder: its socket's path is short enough, and its user may go and write there.
    package static func canLive(in parent: String) -> Bool {
        guard let user = try? ServerUser.current() else { return true }
        return ServerFolder.isShortEnough(ServerFolder.template(in: parent)) && user.canLive(in: parent)
    }

    /// Sets up a streaming standby of this server, which runs, and starts it: a server of its own, in a temporary folder.
    ///
    /// Both take connections on loopback if this one does.
    ///
    /// - Parameter settings: as of ``start(folder:temporaryParent:settings:loopback:logger:)``; limits such as
    ///   `max_connections` must not be lower than this server's.
    package func startStandby(
        temporaryParent: String = "/tmp", settings: [String] = []
    ) async throws(PrivatePostgresError) -> PrivatePostgresServer {
        let user = try ServerUser.current()
        let folder = try ServerFolder.make(nil, temporaryParent: temporaryParent, for: user)
        let standby = PrivatePostgresServer(
            folder: folder, port: try FreePort.find(), tools: tools, user: user, loopback: loopback, logger: logger)
        do throws(PrivatePostgresError) {
            try await command.run(
                tools.folder + "/pg_basebackup",
                [
                    "-h", self.folder.path, "-p", "\(port)", "-U", "postgres", "-D", folder.data, "-R", "-X", "stream",
                    "-c", "fast", "--no-sync",
                ])
            try folder.write(standby.configuration(settings), to: "postgresql.conf", for: user)
            try await standby.start()
        } catch {
            await standby.supervisor.end()
            throw error
        }
        return standby
    }

    /// Makes a standby a primary, and waits until it takes writes.
    package func promote() async throws(PrivatePostgresError) {
        try await command.run(tools.pgCtl, ["promote", "-D", folder.data, "-w", "-t", "60"])
    }

    /// Starts a server that was stopped or killed, and waits until it takes connections.
    package func start() async throws(PrivatePostgresError) {
        do throws(PrivatePostgresError) {
            try await command.run(tools.pgCtl, ["start", "-D", folder.data, "-l", folder.log, "-w", "-t", "60"])
        } catch {
            throw PrivatePostgresError("\(error)\n\(folder.logTail())")
        }
        logger.debug("private server started", metadata: ["folder": "\(folder.path)", "port": "\(port)"])
    }

    /// Whether the server's process is there, also while it starts or recovers.
    package var isRunning: Bool {
        get async { (try? await command.run(tools.pgCtl, ["status", "-D", folder.data])) != nil }
    }

    /// Stops the server as an operator would: open transactions are rolled back, clients are disconnected (`fast`).
    package func stop() async throws(PrivatePostgresError) {
        try await command.run(tools.pgCtl, ["stop", "-D", folder.data, "-m", "fast", "-w", "-t", "60"])
    }

    /// Stops the server as a crash would; it recovers when it is started again (`immediate`).
    package func kill() async throws(PrivatePostgresError) {
        try await command.run(tools.pgCtl, ["stop", "-D", folder.data, "-m", "immediate", "-w", "-t", "60"])
    }

    /// Stops the server if it runs, removes a temporary folder, and waits for both. It cannot be started again.
    package func close() async {
        await supervisor.end()
    }

    private func initialize(_ settings: [String], for user: ServerUser) async throws(PrivatePostgresError) {
        if !folder.isInitialized {
            try await command.run(
                tools.initdb,
                [
                    "-D", folder.data, "-U", "postgres", "-E", "UTF8", "--locale=C.UTF-8", "--auth=trust", "--no-sync",
                    "--no-instructions",
                ]
            )
        }
        try folder.write(configuration(settings), to: "postgresql.conf", for: user)
        let loopbackLine = loopback.authenticationMethod.map { "host all all 127.0.0.1/32 \($0)\n" } ?? ""
        try folder.write("local all all trust\nlocal replication all trust\n" + loopbackLine, to: "pg_hba.conf", for: user)
    }

    private func configuration(_ settings: [String]) throws(PrivatePostgresError) -> String {
        var lines = [
            "listen_addresses = '\(loopback.authenticationMethod == nil ? "" : "127.0.0.1")'",
            "port = \(port)",
            "unix_socket_directories = '\(folder.path)'",
            "unix_socket_permissions = 0700",
            "password_encryption = scram-sha-256",
            "max_connections = 100",
            "shared_buffers = 128MB",
            "timezone = UTC",
            "log_timezone = UTC",
            "lc_messages = C",
        ]
        for setting in settings {
            guard let equals = setting.firstIndex(of: "="), !setting.contains("\n") else {
                throw PrivatePostgresError("a server setting is written name=value, not \(setting)")
            }
            let value = setting[setting.index(after: equals)...].replacing("'", with: "''")
            lines.append("\(setting[..<equals]) = '\(value)'")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Percent-encoded for any part of a URI.
    private static func encoded(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                result += byte < 16 ? "%0\(String(byte, radix: 16))" : "%\(String(byte, radix: 16))"
            }
        }
        return result
    }
}

/// Why a private server could not be set up, started or stopped: what was being done, and what the tool or the system said.
package struct PrivatePostgresError: Error, Sendable, CustomStringConvertible {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Whether and how a private server takes TCP connections, at 127.0.0.1 only. Its Unix socket trusts whoever may enter its
/// folder, which is its own user and root.
package enum LoopbackAccess: Sendable {
    /// Unix socket only.
    case none
    /// Everybody on this machine, as any role.
    case trusted
    /// By the role's password (SCRAM-SHA-256).
    case password

    var authenticationMethod: String? {
        switch self {
        case .none: nil
        case .trusted: "trust"
        case .password: "scram-sha-256"
        }
    }
}
