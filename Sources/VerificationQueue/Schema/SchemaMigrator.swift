// SPDX-License-Identifier: Apache-2.0

package import Logging
package import Postgres
package import Schema

/// Brings a database's schema up to what this program was built with, and judges whether a worker may run on it.
///
/// Each migration is one database transaction that first takes a lock on migrating and last writes itself into the book,
/// so two migrators never interleave and a crash leaves whole migrations only. One that makes an index on a table which is
/// written to all the time is in none, holds nobody up, and is done anew after a crash. Workers may run and shops may write
/// meanwhile: what a migration needs to itself it waits for less than a second, then lets go of all and begins anew.
///
/// Each lock needs a privilege on the schema, so that no role without one delays a migration. After a second of waiting the log
/// names who holds what is needed; after ``longestWait`` the migration ends with ``Problem/lockIsHeld(holders:)``.
package struct SchemaMigrator: Sendable {
    /// How long a migration waits for what others hold, in all. Default ten minutes.
    package static let longestWait = Duration.seconds(600)

    let logger: Logger
    let migrations: [Migration]
    let longestWait: Duration
    let endsReaders: Bool

    /// - Parameters:
    ///   - migrations: Those that the program knows, in order; tests add their own.
    ///   - longestWait: As ``longestWait``; tests have less time.
    ///   - endsReaders: Whether a reader's session that holds what a migration needs is ended after a second of waiting.
    package init(
        logger: Logger, migrations: [Migration] = Migration.all, longestWait: Duration = Self.longestWait, endsReaders: Bool = false
    ) {
        self.logger = logger
        self.migrations = migrations
        self.longestWait = longestWait
        self.endsReaders = endsReaders
    }

    /// Applies what is missing, in order. With the last one it replaces all functions and views, and makes our roles' settings.
    ///
    /// - Returns: the names of the migrations that were applied now.
    /// - Throws: ``Problem`` when the database is newer or was migrated with other texts, before anything is changed.
    package func migrate(_ connection: PostgresConnection) async throws -> [String] {
        try await judgeServer(connection)
        if try await MigrationBook.isThere(connection) { _ = try await findLosses(connection) }
        try await withMigrationLock(connection) { connection, book in
            // Before the first migration there is nothing to make again.
            guard !book.isEmpty else { return }
            for part in migrations.compactMap(\.repeatedPart) { try await connection.executeScript(part) }
            try await giveBackWhatARestoreLost(connection, book)
        }
        var applied: [String] = []
        for migration in migrations {
            let isLast = migration == migrations.last
            var isNew = false
            if migration.isConcurrent {
                isNew = try await applyConcurrently(migration, connection)
            }
            if !migration.isConcurrent || isLast {
                let isApplied = try await withMigrationLock(connection) { connection, book in
                    let isMissing = book.lacks(migration)
                    if isLast {
                        try await finish(with: isMissing ? migration : nil, connection)
                    } else if isMissing {
                        try await apply(migration, connection)
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

    private func apply(_ migration: Migration, _ connection: isolated PostgresConnection) async throws {
        try await connection.executeScript(migration.file.text)
        try await MigrationBook.enter(migration, connection)
    }

    /// In one database transaction: nobody finds a view empty that the last migration has emptied.
    ///
    /// - Parameter missing: the last migration, if it wasn't applied before.
    private func finish(with missing: Migration?, _ connection: isolated PostgresConnection) async throws {
        if let missing {
            try await lockViews(connection)
            try await apply(missing, connection)
            try await grantAnew(connection)
        } else {
            // Nothing that is granted waits for the migration: nobody waits for the views meanwhile.
            try await grantAnew(connection)
            try await lockViews(connection)
        }
        try await replaceRoutinesAndViews(connection)
        _ = try await connection.execute(SQLFile.recordPrivileges.statement)
        _ = try await connection.execute(SQLFile.recordDefinitions.statement, Self.definitions)
        try await makeRoleSettings(connection)
    }

    /// Passes when a worker of this program may run: every migration it knows is there, and no breaking one it doesn't.
    package func check(_ connection: PostgresConnection) async throws {
        try await MigrationBook(of: migrations, in: connection).judgeBeforeWorking()
    }

    /// The routines and views as this program has them, beside which those of a database are kept and compared.
    package static var definitions: [PostgresParameter] {
        [.textArray(SQLFile.routinesAndViews.map(\.name)), .textArray(SQLFile.routinesAndViews.map(\.text))]
    }

    private func judgeServer(_ connection: PostgresConnection) async throws {
        let row = try await connection.execute(SQLFile.inspectServer.statement)[0]
        let encoding = try row.string(1)
        let roles = try row.string(3)
        try Self.judge(serverVersion: try row.int32(0))
        guard encoding == "UTF8" else { throw Problem.databaseIsNotUTF8(encoding: encoding) }
        guard roles.isEmpty else { throw Problem.rolesAreOfAnother(roles: roles, migrator: try row.string(2)) }
    }

    /// - Parameter serverVersion: As the server numbers it: 150004 is 15.4.
    package static func judge(serverVersion: Int32) throws(Problem) {
        guard serverVersion >= 150_000 else { throw .serverIsTooOld(version: serverVersion) }
    }

    /// Runs `body` in a database transaction until whose end nobody else migrates, with what was applied before.
    ///
    /// It takes locks in an order of its own, so that it may come to wait for a shop or a worker which waits for it. The server
    /// would end either of them after a second (`deadlock_timeout`); it must not be the one who is selling.
    func withMigrationLock<Success: Sendable>(
        _ connection: PostgresConnection, _ body: @Sendable (isolated PostgresConnection, MigrationBook) async throws -> Success
    ) async throws -> Success {
        var wait = LockWait(holders: .findLockHolders, longest: longestWait, endsReaders: endsReaders, logger: logger)
        while true {
            if let success = try await tryWithMigrationLock(connection, body) { return success }
            try await wait.again(connection)
        }
    }

    /// - Returns: nil when others hold what it needs.
    private func tryWithMigrationLock<Success: Sendable>(
        _ connection: PostgresConnection, _ body: @Sendable (isolated PostgresConnection, MigrationBook) async throws -> Success
    ) async throws -> Success? {
        do {
            return try await connection.withTransaction { connection in
                _ = try await connection.execute(SQLFile.setLockTimeout.statement, [.text(LockWait.longestLock)])
                if try await MigrationBook.isThere(connection) {
                    _ = try await connection.execute(SQLFile.lockMigrations.statement)
                }
                let book = try await MigrationBook(of: migrations, in: connection)
                try book.judgeBeforeMigrating()
                _ = try await connection.execute(SQLFile.inheritMadeRoles.statement)
                return try await body(connection, book)
            }
        } catch let error as PostgresError where error.saysThatTheSchemaExists {
            // Another migrator made it, and the book with it, since this one looked for the book.
            guard try await MigrationBook.isThere(connection) else { throw error }
            return nil
        } catch let error as PostgresError where error.sqlState == .lockNotAvailable || error.sqlState == .deadlockDetected {
            return nil
        }
    }

    /// Locks all views that are there before anything is replaced: a lock that somebody holds then costs no work that has to be
    /// done anew, and nobody else waits behind that work.
    private func lockViews(_ connection: isolated PostgresConnection) async throws {
        let locks = try await connection.execute(SQLFile.findViewLocks.statement).map { try $0.string(0) }
        guard !locks.isEmpty else { return }
        try await connection.executeScript("set local role counterfoil_owner; \(locks.joined(separator: "; ")); reset role")
    }

    /// In one round trip: the views are locked meanwhile, and orders wait for them.
    func runAll(_ scripts: [String], _ connection: isolated PostgresConnection) async throws {
        try await connection.executeScript(scripts.joined(separator: "\n;\n"))
    }

    private func replaceRoutinesAndViews(_ connection: isolated PostgresConnection) async throws {
        try await connection.executeScript("set local role counterfoil_owner")
        try await runAll(SQLFile.routinesAndViews.map(\.text), connection)
        _ = try await connection.execute(SQLFile.callMakePartitions.statement)
        // Autovacuum leaves a table of fewer than 50 rows alone. Of one that was never analyzed the server expects 10 pages, and
        // so 330 apps: it compiled `health` for a superuser, whose sessions have JIT, and that took 12 s.
        try await connection.executeScript("analyze counterfoil.apps")
        if try await connection.execute(SQLFile.callAdoptChanges.statement)[0].bool(0) {
            logger.notice("the changes of the feed were made readable on this server: each reader begins anew")
        }
    }
}

extension PostgresError {
    /// Whether a schema was to be made whose name is taken, perhaps by a database transaction that has just ended.
    fileprivate var saysThatTheSchemaExists: Bool {
        sqlState == .duplicateSchema || constraint == "pg_namespace_nspname_index"
    }
}
