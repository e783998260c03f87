// SPDX-License-Identifier: Apache-2.0

extension SchemaMigrator {
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
}
