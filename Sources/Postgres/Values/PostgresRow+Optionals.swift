// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

// The same getters for columns that may be null: nil then.
extension PostgresRow {
    package func optionalBool(_ column: Int) throws(PostgresError) -> Bool? {
        try isKnownNull(column) ? nil : bool(column)
    }

    package func optionalInt64(_ column: Int) throws(PostgresError) -> Int64? {
        try isKnownNull(column) ? nil : int64(column)
    }

    package func optionalDouble(_ column: Int) throws(PostgresError) -> Double? {
        try isKnownNull(column) ? nil : double(column)
    }

    package func optionalString(_ column: Int) throws(PostgresError) -> String? {
        try isKnownNull(column) ? nil : string(column)
    }

    package func optionalUUID(_ column: Int) throws(PostgresError) -> UUID? {
        try isKnownNull(column) ? nil : uuid(column)
    }

    package func optionalTimestamp(_ column: Int) throws(PostgresError) -> PostgresTimestamp? {
        try isKnownNull(column) ? nil : timestamp(column)
    }

    /// False for a column that doesn't exist: the getter then throws.
    private func isKnownNull(_ column: Int) -> Bool {
        column >= 0 && column < columnCount && isNull(column)
    }
}
