// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema

/// The migrations that a database has, beside those that this program knows.
struct MigrationBook: Sendable {
    private struct Entry {
        let id: Int32
        let name: String
        let isBreaking: Bool
        let isKnown: Bool
        let isUnchanged: Bool
    }

    private let known: [Migration]
    private let entries: [Entry]

    init(of known: [Migration], in connection: PostgresConnection) async throws {
        self.known = known
        guard try await Self.isThere(connection) else {
            entries = []
            return
        }
        let rows = try await connection.execute(
            SQLFile.readMigrations.statement, [.int4Array(known.map(\.id)), .textArray(known.map(\.file.text))])
        entries = try rows.map { row in
            Entry(
                id: try row.int32(0), name: try row.string(1), isBreaking: try row.bool(2), isKnown: try row.bool(3),
                isUnchanged: try row.bool(4)
            )
        }
    }

    /// Whether the database has ever been migrated.
    static func isThere(_ connection: PostgresConnection) async throws -> Bool {
        try await connection.execute(SQLFile.findMigrations.statement)[0].bool(0)
    }

    /// Writes down that a migration was applied.
    static func enter(_ migration: Migration, _ connection: PostgresConnection) async throws {
        _ = try await connection.execute(
            SQLFile.insertMigration.statement,
            [
                .int4(migration.id), .text(migration.file.name), .text(migration.file.text), .bool(migration.isBreaking),
            ]
        )
    }

    var isEmpty: Bool {
        entries.isEmpty
    }

    func lacks(_ migration: Migration) -> Bool {
        !entries.contains { $0.id == migration.id }
    }

    /// Passes when this program may migrate: it knows each migration that was applied, with the same text.
    func judgeBeforeMigrating() throws(SchemaMigrator.Problem) {
        if let newer = entries.first(where: { !$0.isKnown }) {
            throw .schemaIsNewer(migration: newer.name)
        }
        if let edited = entries.first(where: { !$0.isUnchanged }) {
            throw .migrationWasEdited(edited.name)
        }
    }

    /// Passes when a worker of this program may run: every migration it knows is there, and no breaking one it doesn't.
    func judgeBeforeWorking() throws(SchemaMigrator.Problem) {
        if let edited = entries.first(where: { $0.isKnown && !$0.isUnchanged }) {
            throw .migrationWasEdited(edited.name)
        }
        if let newer = entries.first(where: { !$0.isKnown && $0.isBreaking }) {
            throw .schemaIsNewer(migration: newer.name)
        }
        if let missing = known.first(where: lacks) {
            throw .schemaIsOlder(missing: missing.file.name)
        }
    }
}
