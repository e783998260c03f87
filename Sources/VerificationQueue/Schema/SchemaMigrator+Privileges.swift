// SPDX-License-Identifier: Apache-2.0

import Logging
package import Postgres
import Schema

/// The privileges and settings of our roles, and what a restore took of them.
extension SchemaMigrator {
    /// Passes when the session may write: with a superuser's rights it would run what others put into the database.
    package static func refuseSuperuser(_ connection: PostgresConnection) async throws {
        guard try await connection.execute(SQLFile.findSuperuser.statement).isEmpty else { throw Problem.isSuperuser }
    }

    /// - Throws: ``Problem/ownerIsLost(_:)`` if this role may not give one of them back, not even lock the book.
    func findLosses(_ connection: PostgresConnection) async throws -> [String] {
        try await connection.execute(SQLFile.findLostPrivileges.statement).map { loss in
            let finding = try loss.string(0)
            guard try loss.bool(1) else { throw Problem.ownerIsLost(finding) }
            return finding
        }
    }

    /// The owner of the schema and the privileges on its tables; those on functions and views come with these.
    func giveBackWhatARestoreLost(_ connection: isolated PostgresConnection, _ book: MigrationBook) async throws {
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

    /// Takes back what our roles may do, and grants what all migrations grant. The routines and views grant theirs, when they are
    /// replaced. So nothing outlasts a migration that somebody else granted, and nothing stays lost. Until its end nobody sees any
    /// of it.
    func grantAnew(_ connection: isolated PostgresConnection) async throws {
        try await connection.executeScript("set local role counterfoil_owner")
        try await runAll(SQLFile.privilegeViews.map(\.text), connection)
        for difference in try await connection.execute(SQLFile.findPrivilegeDifferences.statement) {
            let statement = try difference.string(3)
            logger.notice("privileges differed, and are put right", metadata: ["by": "\(statement)"])
        }
        let revocations = try await connection.execute(SQLFile.findPrivilegeRevocations.statement).map { try $0.string(0) }
        try await runAll(revocations + migrations.flatMap(\.grants), connection)
    }

    /// As the role that migrates. One that may not alter our roles leaves the settings that they have; `doctor` compares those.
    func makeRoleSettings(_ connection: isolated PostgresConnection) async throws {
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
