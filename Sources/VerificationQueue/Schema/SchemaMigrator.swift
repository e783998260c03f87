// SPDX-License-Identifier: Apache-2.0

package import Logging
package import Postgres
package import Schema

/// Brings a database's schema up to what this program was built with, and judges whether a worker may run on it.
///
/// Each migration is one database transaction that first takes a lock on migrating and last writes itself into the book,
/// so two migrators never interleave and a crash leaves whole migrations only. One that makes an index on a table which is
/// written to all the time is in none, holds nobody up, and is done anew after a crash. Workers may run and shops may write
/// meanwhile: what a migration needs to itself it waits for a tenth of a second, then lets go of all and begins anew.
package struct SchemaMigrator: Sendable {
    /// What stands in the way.
    package enum Problem: Error, Sendable, Hashable, CustomStringConvertible {
        /// The database has migrations that this program doesn't know.
        case schemaIsNewer(migration: String)
        /// The database lacks migrations that this program needs.
        case schemaIsOlder(missing: String)
        /// A migration that was applied isn't the one that this program has.
        case migrationWasEdited(String)
        /// Statements of one connection reached several sessions of the server: a pooler stands between.
        case sessionChanged

        package var description: String {
            switch self {
            case .schemaIsNewer(let migration):
                "the schema is newer than this program: it has the migration \(migration); install a newer counterfoil"
            case .schemaIsOlder(let missing):
                "the schema is older than this program: it lacks the migration \(missing); run counterfoil migrate"
            case .migrationWasEdited(let migration):
                "the migration \(migration) was applied with another text than this program has"
            case .sessionChanged:
                "a pooler stands between: the migration is done, but the next one needs a connection to the server itself"
            }
        }
    }

    private let logger: Logger
    private let migrations: [Migration]

    /// - Parameter migrations: Those that the program knows, in order; tests add their own.
    package init(logger: Logger, migrations: [Migration] = Migration.all) {
        self.logger = logger
        self.migrations = migrations
    }

    /// Applies what is missing, in order. With the last one it replaces all functions and views, and makes our roles' settings.
    ///
    /// - Returns: the names of the migrations that were applied now.
    /// - Throws: ``Problem`` when the database is newer or was migrated with other texts, before anything is changed.
    package func migrate(_ connection: PostgresConnection) async throws -> [String] {
        var applied: [String] = []
        for migration in migrations {
            let isLast = migration == migrations.last
            var isNew = false
            if migration.isConcurrent {
                isNew = try await applyConcurrently(migration, connection)
            }
            if !migration.isConcurrent || isLast {
                let isApplied = try await withMigrationLock(connection) { connection, book in
                    let isMissing = isMissing(migration, book)
                    if isMissing {
                        try await connection.executeScript(migration.file.text)
                        try await enter(migration, connection)
                    }
                    // In one database transaction: nobody finds a view empty that the last one has emptied.
                    if isLast {
                        try await replaceRoutinesAndViews(connection)
                        try await makeRoleSettings(connection)
                    }
                    return isMissing
                }
                isNew = isNew || isApplied
            }
            if isNew {
                logger.info("applied migration", metadata: ["migration": "\(migration.file.name)"])
                applied.append(migration.file.name)
            }
        }
        return applied
    }

    /// Passes when a worker of this program may run: every migration it knows is there, and no breaking one it doesn't.
    package func check(_ connection: PostgresConnection) async throws {
        let book = try await readBook(connection)
        if let edited = book.first(where: { $0.isKnown && !$0.isUnchanged }) {
            throw Problem.migrationWasEdited(edited.name)
        }
        if let newer = book.first(where: { !$0.isKnown && $0.isBreaking }) {
            throw Problem.schemaIsNewer(migration: newer.name)
        }
        if let missing = migrations.first(where: { known in !book.contains { $0.id == known.id } }) {
            throw Problem.schemaIsOlder(missing: missing.file.name)
        }
    }

    /// - Returns: false when it was applied before, or meanwhile by another migrator.
    private func applyConcurrently(_ migration: Migration, _ connection: PostgresConnection) async throws -> Bool {
        guard try await withMigrationLock(connection, { isMissing(migration, $1) }) else { return false }
        try await lockIndexes(connection)
        let isNew = try await withMigrationLock(connection) { isMissing(migration, $1) }
        if isNew {
            for statement in migration.statements {
                try await connection.executeScript(statement)
            }
            try await withMigrationLock(connection) { connection, _ in try await enter(migration, connection) }
        }
        guard try await connection.execute(SQLFile.unlockIndexes.statement)[0].bool(0) else { throw Problem.sessionChanged }
        return isNew
    }

    /// Waits for its turn here, not in the database. The lock ends with the connection, if not before.
    private func lockIndexes(_ connection: PostgresConnection) async throws {
        var hasTold = false
        while try await !connection.execute(SQLFile.tryLockIndexes.statement)[0].bool(0) {
            if !hasTold {
                logger.notice("waiting for another migration")
                hasTold = true
            }
            try await Task.sleep(for: .milliseconds(200))
        }
    }

    /// How long a migration waits for a lock: well below `deadlock_timeout`.
    private static let longestLockWait = "100ms"

    /// Runs `body` in a database transaction until whose end nobody else migrates, with what was applied before.
    ///
    /// It takes locks in an order of its own, so that it may come to wait for a shop or a worker which waits for it. The server
    /// would end either of them after a second (`deadlock_timeout`); it must not be the one who is selling.
    private func withMigrationLock<Success: Sendable>(
        _ connection: PostgresConnection, _ body: @Sendable (isolated PostgresConnection, [Entry]) async throws -> Success
    ) async throws -> Success {
        var hasTold = false
        while true {
            do {
                return try await connection.withTransaction { connection in
                    _ = try await connection.execute(SQLFile.lockMigrations.statement)
                    let book = try await readBook(connection)
                    try judge(book)
                    _ = try await connection.execute(SQLFile.setLockTimeout.statement, [.text(Self.longestLockWait)])
                    _ = try await connection.execute(SQLFile.inheritMadeRoles.statement)
                    return try await body(connection, book)
                }
            } catch let error as PostgresError where error.sqlState == .lockNotAvailable || error.sqlState == .deadlockDetected {
                if !hasTold {
                    logger.notice("waiting for database transactions that use what a migration is to change")
                    hasTold = true
                }
                try await Task.sleep(for: .milliseconds(Int.random(in: 100...500)))
            }
        }
    }

    private func isMissing(_ migration: Migration, _ book: [Entry]) -> Bool {
        !book.contains { $0.id == migration.id }
    }

    private func enter(_ migration: Migration, _ connection: PostgresConnection) async throws {
        _ = try await connection.execute(
            SQLFile.insertMigration.statement,
            [
                .int4(migration.id), .text(migration.file.name), .text(migration.file.text), .bool(migration.isBreaking),
            ]
        )
    }

    private func replaceRoutinesAndViews(_ connection: isolated PostgresConnection) async throws {
        try await connection.executeScript("set local role counterfoil_owner")
        for file in SQLFile.routinesAndViews {
            try await connection.executeScript(file.text)
        }
        _ = try await connection.execute(SQLFile.callMakeAttemptPartitions.statement)
    }

    /// As the role that migrates. One that may not alter our roles leaves the settings that they have; `doctor` compares those.
    private func makeRoleSettings(_ connection: isolated PostgresConnection) async throws {
        try await connection.executeScript("reset role")
        let refused = try await connection.execute(SQLFile.callMakeRoleSettings.statement).map { try $0.string(0) }
        guard !refused.isEmpty else { return }
        logger.warning(
            """
            the settings of these roles were not made: this role may not alter them, or they don't exist; migrate as a superuser, \
            or as the role that made them
            """, metadata: ["roles": "\(refused.joined(separator: ", "))"])
    }

    private struct Entry {
        let id: Int32
        let name: String
        let isBreaking: Bool
        let isKnown: Bool
        let isUnchanged: Bool
    }

    private func readBook(_ connection: PostgresConnection) async throws -> [Entry] {
        let found = try await connection.execute(SQLFile.findMigrations.statement)
        guard try found[0].bool(0) else { return [] }
        let rows = try await connection.execute(
            SQLFile.readMigrations.statement,
            [.int4Array(migrations.map(\.id)), .textArray(migrations.map(\.file.text))]
        )
        return try rows.map { row in
            Entry(
                id: try row.int32(0), name: try row.string(1), isBreaking: try row.bool(2), isKnown: try row.bool(3),
                isUnchanged: try row.bool(4)
            )
        }
    }

    private func judge(_ book: [Entry]) throws {
        if let newer = book.first(where: { !$0.isKnown }) {
            throw Problem.schemaIsNewer(migration: newer.name)
        }
        if let edited = book.first(where: { !$0.isUnchanged }) {
            throw Problem.migrationWasEdited(edited.name)
        }
    }
}
