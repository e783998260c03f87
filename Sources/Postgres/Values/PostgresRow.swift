// SPDX-License-Identifier: Apache-2.0

import CPostgres
package import FoundationEssentials

/// One row of a result; its columns are asked for by position, from 0.
///
/// Every getter throws ``PostgresError/Kind/decoding`` when the column doesn't exist, is null or is of a type that it
/// doesn't read; the `optional…` ones return nil for a null. The error names column and type, never the value.
package struct PostgresRow: Sendable {
    let result: PostgresResult
    let index: CInt

    package func isNull(_ column: Int) -> Bool {
        guard column >= 0 && column < result.columnCount else { return true }
        return PQgetisnull(result.pointer, index, CInt(column)) == 1
    }

    /// The column's name as the server gave it.
    package func columnName(_ column: Int) -> String {
        result.columnName(column)
    }

    package var columnCount: Int { result.columnCount }

    package func bool(_ column: Int) throws(PostgresError) -> Bool {
        let value = try value(column)
        guard value.type == .bool, value.bytes.count == 1 else { throw mismatch(column, "bool") }
        return value.bytes[0] != 0
    }

    package func int16(_ column: Int) throws(PostgresError) -> Int16 {
        let value = try value(column)
        guard value.type == .int2, value.bytes.count == 2 else { throw mismatch(column, "int2") }
        return value.integer(as: Int16.self)
    }

    /// Reads `int4` and `int2`.
    package func int32(_ column: Int) throws(PostgresError) -> Int32 {
        let value = try value(column)
        switch (value.type, value.bytes.count) {
        case (.int4, 4): return value.integer(as: Int32.self)
        case (.int2, 2): return Int32(value.integer(as: Int16.self))
        default: throw mismatch(column, "int4")
        }
    }

    /// Reads `int8`, `int4`, `int2` and `oid`.
    package func int64(_ column: Int) throws(PostgresError) -> Int64 {
        let value = try value(column)
        switch (value.type, value.bytes.count) {
        case (.int8, 8): return value.integer(as: Int64.self)
        case (.int4, 4): return Int64(value.integer(as: Int32.self))
        case (.int2, 2): return Int64(value.integer(as: Int16.self))
        case (.oid, 4): return Int64(value.integer(as: UInt32.self))
        default: throw mismatch(column, "int8")
        }
    }

    /// Reads `float8` and `float4`.
    package func double(_ column: Int) throws(PostgresError) -> Double {
        let value = try value(column)
        switch (value.type, value.bytes.count) {
        case (.float8, 8): return value.double
        case (.float4, 4): return Double(value.float)
        default: throw mismatch(column, "float8")
        }
    }

    /// Reads text of any kind, JSON, and types that users made, whose binary form is text (enums, `citext`).
    package func string(_ column: Int) throws(PostgresError) -> String {
        let value = try value(column)
        guard let text = value.text else { throw mismatch(column, "text") }
        return text
    }

    package func bytes(_ column: Int) throws(PostgresError) -> [UInt8] {
        let value = try value(column)
        guard value.type == .bytes else { throw mismatch(column, "bytea") }
        return Array(value.bytes)
    }

    package func uuid(_ column: Int) throws(PostgresError) -> UUID {
        let value = try value(column)
        guard value.type == .uuid, value.bytes.count == 16 else { throw mismatch(column, "uuid") }
        return value.uuid
    }

    /// Reads `timestamptz`, and `timestamp` as if it were UTC.
    package func timestamp(_ column: Int) throws(PostgresError) -> PostgresTimestamp {
        let value = try value(column)
        guard value.type == .timestamptz || value.type == .timestamp, value.bytes.count == 8 else {
            throw mismatch(column, "timestamptz")
        }
        return PostgresTimestamp(wireValue: value.integer(as: Int64.self))
    }

    /// The bytes of a column, which live as long as the result does.
    func value(_ column: Int) throws(PostgresError) -> PostgresValue {
        guard column >= 0 && column < result.columnCount else { throw missing(column) }
        let position = CInt(truncatingIfNeeded: column)
        let length = Int(PQgetlength(result.pointer, index, position))
        // A null has no length either.
        guard length > 0 || PQgetisnull(result.pointer, index, position) == 0 else { throw unexpectedNull(column) }
        let type = result.column(column)
        return PostgresValue(
            bytes: UnsafeRawBufferPointer(start: PQgetvalue(result.pointer, index, position), count: length),
            type: type.type,
            typeID: type.typeID
        )
    }

    private func missing(_ column: Int) -> PostgresError {
        PostgresError(.decoding, message: "there is no column \(column) among \(result.columnCount)")
    }

    private func unexpectedNull(_ column: Int) -> PostgresError {
        PostgresError(.decoding, message: "column \(column) (\(columnName(column))) is null")
    }

    func mismatch(_ column: Int, _ wanted: String) -> PostgresError {
        let typeID = PQftype(result.pointer, CInt(truncatingIfNeeded: column))
        let found = PostgresType(rawValue: typeID).map { "\($0)" } ?? "type \(typeID)"
        return PostgresError(
            .decoding,
            message: "column \(column) (\(columnName(column))) is \(found) and cannot be read as \(wanted)"
        )
    }
}
