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
/// Each lock needs a privilege on the schema, so that no role without one delays a migration. After a second of waiting the log names
/// who holds what is needed; after ``longestWait`` the migration ends with ``Problem/lockIsHeld(holders:)``.
package struct SchemaMigrator: Sendable {
    /// What stands in the way.
    package enum Problem: Error, Sendable, Hashable, CustomStringConvertible {
        /// The database has migrations that this program doesn't know.
        case schemaIsNewer(migration: String)
        /// The database lacks migrations that this program needs.
        case schemaIsOlder(missing: String)
        /// A migration that was applied isn't the one that this program has.
        case migrationWasEdited(String)
        /// A session that writes is a superuser's.
        case isSuperuser
        /// Statements of one connection reached several sessions of the server: a pooler stands between.
        case sessionChanged
        /// The server is of a version before 15.
        case serverIsTooOld(version: Int32)
        /// The database's encoding is another than UTF-8.
        case databaseIsNotUTF8(encoding: String)
        /// From PostgreSQL 16 on: this role may not set up the roles, since another role made them.
        case rolesAreOfAnother(roles: String, migrator: String)
        /// A restore lost the schema's owner, and this role may not give the schema back.
        case ownerIsLost(String)
        /// Somebody held what a migration needs for as long as it may wait. It changed nothing.
        case lockIsHeld(holders: [String])
        /// Somebody held a snapshot that an index waits for, for as long as it may wait. The index is begun, and isn't used.
        case indexIsHeldUp(holders: [String])

        package var description: String {
            switch self {
            case .schemaIsNewer(let migration):
                "the schema is newer than this program: it has the migration \(migration); install a newer counterfoil"
            case .schemaIsOlder(let missing):
                "the schema is older than this program: it lacks the migration \(missing); run counterfoil migrate"
            case .migrationWasEdited(let migration):
                "the migration \(migration) was applied with another text than this program has"
            case .isSuperuser:
                "a superuser may do nothing but migrate: act by hand as counterfoil_support, and run workers as counterfoil_worker"
            case .sessionChanged:
                "a pooler stands between: the migration is done, but the next one needs a connection to the server itself"
            case .serverIsTooOld(let version):
                "PostgreSQL 15 or later is needed, and this server is a \(version / 10_000); nothing was changed"
            case .databaseIsNotUTF8(let encoding):
                "the database's encoding is \(encoding), and must be UTF8: make one with "
                    + "create database … encoding 'UTF8' template template0; nothing was changed"
            case .rolesAreOfAnother(let roles, let migrator):
                "another role made roles of this server that \(migrator) is to set up; as a superuser, or as that role: "
                    + "grant \(roles) to \(migrator) with admin option"
            case .ownerIsLost(let finding):
                "\(finding), because a restore met a server without the role counterfoil_owner; run counterfoil migrate "
                    + "once as a superuser, which gives the schema back; nothing was changed"
            case .lockIsHeld(let holders):
                "others held what the next migration needs for too long, and it changed nothing: "
                    + "\(LockWait.describe(holders)); wait for the end of that, or end it with pg_terminate_backend, then run counterfoil migrate again"
            case .indexIsHeldUp(let holders):
                "older database transactions held an index up for too long, and nothing uses it yet: "
                    + "\(LockWait.describe(holders)); wait for their end, or end them with pg_terminate_backend, then run counterfoil migrate again"
            }
        }
    }

    /// How long a migration waits for what others hold, in all. Default ten minutes.
    package static let longestWait = Duration.seconds(600)

    private let logger: Logger
    private let migrations: [Migration]
    private let longestWait: Duration
    private let endsReaders: Bool

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
                    // Nothing that is granted waits for the migration: nobody waits for the views meanwhile.
                    if isLast && !isMissing { try await grantAnew(connection) }
                    if isLast { try await lockViews(connection) }
                    if isMissing {
                        try await connection.executeScript(migration.file.text)
                        try await MigrationBook.enter(migration, connection)
                    }
                    // In one database transaction: nobody finds a view empty that the last one has emptied.
                    if isLast {
                        if isMissing { try await grantAnew(connection) }
                        try await replaceRoutinesAndViews(connection)
                        _ = try await connection.execute(SQLFile.keepPrivileges.statement)
                        _ = try await connection.execute(SQLFile.keepDefinitions.statement, Self.definitions)
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

    /// - Throws: ``Problem/ownerIsLost(_:)`` if this role may not give one of them back, not even lock the book.
    private func findLosses(_ connection: PostgresConnection) async throws -> [String] {
        try await connection.execute(SQLFile.findLostPrivileges.statement).map { loss in
            let finding = try loss.string(0)
            guard try loss.bool(1) else { throw Problem.ownerIsLost(finding) }
            return finding
        }
    }

    /// The owner of the schema and the privileges on its tables; those on functions and views come with these.
    private func giveBackWhatARestoreLost(_ connection: isolated PostgresConnection, _ book: MigrationBook) async throws {
        let losses = try await findLosses(connection)
        guard !losses.isEmpty else { return }
        for loss in losses {
            logger.notice("a restore lost privileges, which are granted again", metadata: ["loss": "\(loss)"])
        }
        for change in try await connection.execute(SQLFile.findOwnerChanges.statement) {
            try await connection.executeScript(try change.string(0))
        }
        try await connection.executeScript("set local role counterfoil_owner")
        for migration in migrations where !book.lacks(migration) {
            for grant in migration.grants { try await connection.executeScript(grant) }
        }
    }

    /// Passes when the session may write: with a superuser's rights it would run what others put into the database.
    package static func refuseSuperuser(_ connection: PostgresConnection) async throws {
        guard try await connection.execute(SQLFile.findSuperuser.statement).isEmpty else { throw Problem.isSuperuser }
    }

    /// - Returns: false when it was applied before, or meanwhile by another migrator.
    private func applyConcurrently(_ migration: Migration, _ connection: PostgresConnection) async throws -> Bool {
        guard try await withMigrationLock(connection, { $1.lacks(migration) }) else { return false }
        try await lockIndexes(connection)
        let isNew = try await withMigrationLock(connection) { $1.lacks(migration) }
        if isNew {
            try await makeIndexes(migration, connection)
            try await withMigrationLock(connection) { connection, _ in try await MigrationBook.enter(migration, connection) }
        }
        guard try await !connection.execute(SQLFile.unlockIndexes.statement).isEmpty else { throw Problem.sessionChanged }
        return isNew
    }

    /// Waits for its turn here, not in the database. The lock ends with the connection, if not before.
    private func lockIndexes(_ connection: PostgresConnection) async throws {
        var wait = LockWait(holders: .findIndexMaker, longest: longestWait, logger: logger)
        while try await !tryLockIndexes(connection) {
            try await wait.again(connection)
        }
    }

    private func tryLockIndexes(_ connection: PostgresConnection) async throws -> Bool {
        do {
            return try await connection.withTransaction { connection in
                _ = try await connection.execute(SQLFile.setLockTimeout.statement, [.text(LockWait.longestLock)])
                return try await connection.execute(SQLFile.tryLockIndexes.statement)[0].bool(0)
            }
        } catch let error as PostgresError where error.sqlState == .lockNotAvailable {
            return false
        }
    }

    /// An index waits for snapshots that are older than itself, whoever holds them.
    private func makeIndexes(_ migration: Migration, _ connection: PostgresConnection) async throws {
        let limit = "\(Int(longestWait / .milliseconds(1)))ms"
        _ = try await connection.execute(SQLFile.limitIndexWaits.statement, [.text(limit)])
        var warned: Set<String> = []
        for statement in migration.statements {
            if endsReaders { try await LockWait.endReaders(withSnapshots: true, connection, logger: logger, warned: &warned) }
            let holders = try await LockWait.list(.findSnapshotHolders, connection)
            if !holders.isEmpty {
                logger.notice(
                    "waiting for database transactions that are older than an index",
                    metadata: ["holders": "\(LockWait.describe(holders))"])
            }
            do {
                try await connection.executeScript(statement)
            } catch {
                guard error.sqlState == .lockNotAvailable else { throw error }
                throw Problem.indexIsHeldUp(holders: try await LockWait.list(.findSnapshotHolders, connection))
            }
        }
        _ = try await connection.execute(SQLFile.limitIndexWaits.statement, [.text("0")])
    }

    /// Runs `body` in a database transaction until whose end nobody else migrates, with what was applied before.
    ///
    /// It takes locks in an order of its own, so that it may come to wait for a shop or a worker which waits for it. The server
    /// would end either of them after a second (`deadlock_timeout`); it must not be the one who is selling.
    private func withMigrationLock<Success: Sendable>(
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

    /// Locks all views that are there before anything is replaced: a lock that somebody holds then costs no work that has to be done anew,
    /// and nobody else waits behind that work.
    private func lockViews(_ connection: isolated PostgresConnection) async throws {
        let locks = try await connection.execute(SQLFile.findViewLocks.statement).map { try $0.string(0) }
        guard !locks.isEmpty else { return }
        try await connection.executeScript("set local role counterfoil_owner; \(locks.joined(separator: "; ")); reset role")
    }

    /// Takes back what our roles may do, and grants what all migrations grant. The routines and views grant theirs, when they are
    /// replaced. So nothing outlasts a migration that somebody else granted, and nothing stays lost. Until its end nobody sees any
    /// of it.
    private func grantAnew(_ connection: isolated PostgresConnection) async throws {
        try await connection.executeScript("set local role counterfoil_owner")
        try await runAll(SQLFile.privilegeViews.map(\.text), connection)
        for difference in try await connection.execute(SQLFile.findPrivilegeDifferences.statement) {
            let statement = try difference.string(3)
            logger.notice("privileges differed, and are put right", metadata: ["by": "\(statement)"])
        }
        let revocations = try await connection.execute(SQLFile.findPrivilegeRevocations.statement).map { try $0.string(0) }
        try await runAll(revocations + migrations.flatMap(\.grants), connection)
    }

    /// In one round trip: the views are locked meanwhile, and orders wait for them.
    private func runAll(_ scripts: [String], _ connection: isolated PostgresConnection) async throws {
        try await connection.executeScript(scripts.joined(separator: "\n;\n"))
    }

    private func replaceRoutinesAndViews(_ connection: isolated PostgresConnection) async throws {
        try await connection.executeScript("set local role counterfoil_owner")
        try await runAll(SQLFile.routinesAndViews.map(\.text), connection)
        _ = try await connection.execute(SQLFile.callMakePartitions.statement)
        if try await connection.execute(SQLFile.callAdoptChanges.statement)[0].bool(0) {
            logger.notice("the changes of the feed were made readable on this server: each reader begins anew")
        }
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
}

extension PostgresError {
    /// Whether a schema was to be made whose name is taken, perhaps by a database transaction that has just ended.
    fileprivate var saysThatTheSchemaExists: Bool {
        sqlState == .duplicateSchema || constraint == "pg_namespace_nspname_index"
    }
}
