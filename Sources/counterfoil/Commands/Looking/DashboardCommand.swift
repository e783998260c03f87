// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import EventSources
import Glibc
import Postgres
import Schema
import VerificationQueue

struct DashboardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dashboard",
        abstract: "Shows the queue, the recent results and the troubles in 80 columns. On a terminal it refreshes them.",
        discussion: """
            The command reads the views overview, throughput and health. The role counterfoil_reader may do that. SIGINT ends \
            it. If the output is no terminal, it shows them once.
            """
    )

    @Option(help: "Seconds between two refreshes, 1 to 3600.")
    var every = 2

    @Flag(help: "Show everything once, and end.")
    var once = false

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard (1...3600).contains(every) else { throw ValidationError("--every is from 1 to 3600.") }
    }

    func run() async throws {
        let assembly = try Assembly()
        try await assembly.withConnection { connection in
            try await SchemaMigrator(logger: assembly.logger).check(connection)
            guard !once, !output.json, isatty(STDOUT_FILENO) == 1 else {
                let screen = try await read(connection)
                return print(output.json ? screen.value.json : screen.lines.joined(separator: "\n"))
            }
            let signals = SignalSource([.terminate, .interrupt])
            await signals.ready()
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { for await _ in signals { break } }
                tasks.addTask { try await refresh(connection) }
                defer { tasks.cancelAll() }
                try await tasks.next()
            }
        }
    }

    /// Until it is cancelled.
    private func refresh(_ connection: PostgresConnection) async throws {
        while !Task.isCancelled {
            let lines = try await read(connection).lines(atMost: Self.terminalRows)
            // Home, each line with what was behind it erased, then all below.
            print("\u{1B}[H" + lines.map { $0 + "\u{1B}[K" }.joined(separator: "\r\n") + "\u{1B}[J", terminator: "")
            fflush(nil)
            try? await Task.sleep(for: .seconds(every))
        }
    }

    /// Nil where the terminal doesn't say.
    private static var terminalRows: Int? {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0 else { return nil }
        return Int(size.ws_row)
    }

    private func read(_ connection: PostgresConnection) async throws -> DashboardScreen {
        let overview = OutputValue(try await connection.execute(SQLFile.readOverview.statement)[0])
        let health = try await connection.execute(SQLFile.readHealth.statement)
        let minutes = try await connection.execute(
            SQLFile.readRecentMinutes.statement, [.text(overview["counted_to"].plainText)])
        return DashboardScreen(
            overview: overview, health: health.map { OutputValue($0) },
            minutes: minutes.map { OutputValue($0) })
    }
}
