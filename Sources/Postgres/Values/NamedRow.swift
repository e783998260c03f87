// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// The columns of a statement's rows, in the order of its select list.
///
/// ```swift
/// private enum Column: Int, RowColumn { case jobID, leaseToken }
///
/// let row = result[0].named(by: Column.self)
/// let lease = Lease(jobID: JobID(rawValue: try row.int64(.jobID)), token: try row.int64(.leaseToken))
/// ```
///
/// A value is read by its position, so that a row costs no look-up by name. A test compares the names of the cases with
/// those of the columns: `leaseToken` stands for `lease_token`.
package protocol RowColumn: RawRepresentable<Int>, CaseIterable, Sendable {}

/// A row whose columns are asked for by the cases of an enum. The getters are those of ``PostgresRow``.
package struct NamedRow<Column: RowColumn>: Sendable {
    package let row: PostgresRow
    package let start: Int

    @inlinable
    package init(_ row: PostgresRow, start: Int) {
        self.row = row
        self.start = start
    }

    @inlinable
    package func position(_ column: Column) -> Int { start + column.rawValue }

    @inlinable
    package func bool(_ column: Column) throws(PostgresError) -> Bool { try row.bool(position(column)) }

    @inlinable
    package func int16(_ column: Column) throws(PostgresError) -> Int16 { try row.int16(position(column)) }

    @inlinable
    package func int32(_ column: Column) throws(PostgresError) -> Int32 { try row.int32(position(column)) }

    @inlinable
    package func int64(_ column: Column) throws(PostgresError) -> Int64 { try row.int64(position(column)) }

    @inlinable
    package func double(_ column: Column) throws(PostgresError) -> Double { try row.double(position(column)) }

    @inlinable
    package func string(_ column: Column) throws(PostgresError) -> String { try row.string(position(column)) }

    @inlinable
    package func uuid(_ column: Column) throws(PostgresError) -> UUID { try row.uuid(position(column)) }

    @inlinable
    package func timestamp(_ column: Column) throws(PostgresError) -> PostgresTimestamp {
        try row.timestamp(position(column))
    }

    @inlinable
    package func boolArray(_ column: Column) throws(PostgresError) -> [Bool] { try row.boolArray(position(column)) }

    @inlinable
    package func timestampArray(_ column: Column) throws(PostgresError) -> [PostgresTimestamp] {
        try row.timestampArray(position(column))
    }

    /// A column whose text is one of a closed list.
    package func value<Value>(_ column: Column, _ make: (String) -> Value?) throws(PostgresError) -> Value {
        guard let value = make(try string(column)) else {
            let name = row.columnName(position(column))
            throw PostgresError(.decoding, message: "column \(name) holds an unknown value")
        }
        return value
    }

    @inlinable
    package func optionalBool(_ column: Column) throws(PostgresError) -> Bool? {
        try row.optionalBool(position(column))
    }

    @inlinable
    package func optionalInt64(_ column: Column) throws(PostgresError) -> Int64? {
        try row.optionalInt64(position(column))
    }

    @inlinable
    package func optionalDouble(_ column: Column) throws(PostgresError) -> Double? {
        try row.optionalDouble(position(column))
    }

    @inlinable
    package func optionalString(_ column: Column) throws(PostgresError) -> String? {
        try row.optionalString(position(column))
    }

    @inlinable
    package func optionalUUID(_ column: Column) throws(PostgresError) -> UUID? {
        try row.optionalUUID(position(column))
    }

    @inlinable
    package func optionalTimestamp(_ column: Column) throws(PostgresError) -> PostgresTimestamp? {
        try row.optionalTimestamp(position(column))
    }
}

extension PostgresRow {
    /// The row with names for its columns.
    ///
    /// - Parameter start: the position of the enum's first column, for a select list that is made of several groups.
    @inlinable
    package func named<Column: RowColumn>(by column: Column.Type, from start: Int = 0) -> NamedRow<Column> {
        NamedRow(self, start: start)
    }
}
