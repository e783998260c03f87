// SPDX-License-Identifier: Apache-2.0

import Postgres

/// The schema of the database isn't one that this program can answer from.
enum SchemaMisfit: Error, Hashable, CustomStringConvertible {
    /// It has a breaking migration that this program doesn't know.
    case isNewer(migration: String)
    case lacks(migration: Int32)

    /// From a row of `judge_schema.sql`; nil where it fits.
    init?(_ row: PostgresRow) throws {
        if let newer = try row.optionalString(1) {
            self = .isNewer(migration: newer)
        } else if !row.isNull(0) {
            self = .lacks(migration: try row.int32(0))
        } else {
            return nil
        }
    }

    var description: String {
        switch self {
        case .isNewer(let migration): "the schema is newer than this program: it has the migration \(migration)"
        case .lacks(let migration): "the schema is older than this program: it lacks the migration \(migration)"
        }
    }

    var problem: Problem {
        switch self {
        case .isNewer: Problem(.schemaIsNewer, description)
        case .lacks: Problem(.databaseUnavailable, description)
        }
    }
}
