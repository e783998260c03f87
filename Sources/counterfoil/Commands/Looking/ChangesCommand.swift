// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import EventSources
import FoundationEssentials
import Glibc
import Postgres
import Schema
import VerificationQueue

struct ChangesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "changes",
        abstract: "Shows what happened to orders and payments, from the feed that backends read.",
        discussion: """
            The roles counterfoil_reader and counterfoil_support may do that. Without --after and --from it begins with what \
            happens next, and needs --follow. Each change has a cursor; a later --after goes on behind it. With --json each \
            change is an object on a line of its own. SIGINT ends --follow.
            """
    )

    @Flag(help: "Wait for further changes.")
    var follow = false

    @Option(help: "Begin after this cursor.")
    var after: String?

    @Option(
        help: """
            Begin at this time, such as 2026-03-01T09:30:00Z, at an age such as 2h, or at the oldest change. Up to a minute before it \
            may be shown again.
            """)
    var from: String?

    @OptionGroup var output: OutputOptions

    private static let pageSize: Int32 = 1000
    private static let pause = Duration.milliseconds(500)

    func validate() throws {
        guard after == nil || from == nil else { throw ValidationError("--after and --from exclude each other.") }
        if let from, Self.start(from) == nil {
            throw ValidationError("--from is a time like 2026-03-01T09:30:00Z, an age like 2h, or oldest.")
        }
        guard follow || after != nil || from != nil else { throw ValidationError("Give --follow, --after or --from.") }
    }

    func run() async throws {
        let assembly = try Assembly()
        try await assembly.withConnection { connection in
            try await SchemaMigrator(logger: assembly.logger).check(connection)
            guard follow else {
                var cursor = try await findCursor(connection)
                while try await showPage(after: &cursor, connection) {}
                return
            }
            let signals = SignalSource([.terminate, .interrupt])
            await signals.ready()
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { for await _ in signals { break } }
                tasks.addTask { try await showAll(connection) }
                defer { tasks.cancelAll() }
                try await tasks.next()
            }
        }
    }

    /// Until it is cancelled.
    private func showAll(_ connection: PostgresConnection) async throws {
        var cursor = try await findCursor(connection)
        while !Task.isCancelled {
            if try await !showPage(after: &cursor, connection) { try? await Task.sleep(for: Self.pause) }
        }
    }

    /// The time as the database reads it; nil for anything that is none.
    private static func start(_ text: String) -> String? {
        if text == "oldest" || text == "-infinity" { return "-infinity" }
        if let age = DurationText.parse(text) {
            return PostgresTimestamp(Date().addingTimeInterval(-(age / .seconds(1)))).description
        }
        return (try? PostgresTimestamp(argumentText: text)).map(\.description)
    }

    private func findCursor(_ connection: PostgresConnection) async throws -> String {
        if let after { return after }
        return try await connection.execute(SQLFile.callChangesFrom.statement, [.text(from.flatMap(Self.start) ?? "infinity")])[0]
            .string(0)
    }

    /// - Returns: false when nothing is new.
    private func showPage(after cursor: inout String, _ connection: PostgresConnection) async throws -> Bool {
        let rows = try await connection.execute(
            SQLFile.callChangesSince.statement, [.text(cursor), .int4(Self.pageSize)])
        let changes = rows.map { OutputValue($0) }
        guard let last = changes.last else { return false }
        cursor = last["next_cursor"].plainText
        if output.json {
            for change in changes { print(change.json) }
        } else {
            let screen = Screen.standardOutput
            for change in changes { print(Self.lines(change, on: screen).joined(separator: "\n")) }
            print("    --after \(cursor)")
        }
        fflush(nil)
        return true
    }

    /// The facts of a change, those that there are: the time and the kind first.
    private static func lines(_ change: OutputValue, on screen: Screen) -> [String] {
        let facts = [
            "order_id", "account_id", "product_id", "quantity", "transaction_id", "environment", "reason", "refunded_share",
        ]
        var lines = [screen.text(change["at"]) + "  " + change["kind"].plainText]
        for fact in facts where change[fact] != .null {
            let text = fact == "refunded_share" ? change[fact].plainText + " %" : change[fact].plainText
            if let last = lines.last, last.columns + 2 + text.columns <= screen.width {
                lines[lines.count - 1] = last + "  " + text
            } else {
                lines += WrappedText(text, indent: 4, width: screen.width, breaksWords: true).lines
            }
        }
        return lines
    }
}
