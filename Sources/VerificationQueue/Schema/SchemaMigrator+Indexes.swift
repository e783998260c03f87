// SPDX-License-Identifier: Apache-2.0

import Logging
import Postgres
import Schema

/// Migrations that make indexes on tables which are written to all the time: in no database transaction.
extension SchemaMigrator {
    /// - Returns: false when it was applied before, or meanwhile by another migrator.
    func applyConcurrently(_ migration: Migration, _ connection: PostgresConnection) async throws -> Bool {
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
}
