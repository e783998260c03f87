// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

// Arrays of one dimension. A null element is an error, but for the getters whose name says `WithNulls`.
extension PostgresRow {
    package func boolArray(_ column: Int) throws(PostgresError) -> [Bool] {
        try withoutNulls(boolArrayWithNulls(column), column)
    }

    package func int2Array(_ column: Int) throws(PostgresError) -> [Int16] {
        try withoutNulls(int2ArrayWithNulls(column), column)
    }

    package func int4Array(_ column: Int) throws(PostgresError) -> [Int32] {
        try withoutNulls(int4ArrayWithNulls(column), column)
    }

    package func int8Array(_ column: Int) throws(PostgresError) -> [Int64] {
        try withoutNulls(int8ArrayWithNulls(column), column)
    }

    package func doubleArray(_ column: Int) throws(PostgresError) -> [Double] {
        try withoutNulls(doubleArrayWithNulls(column), column)
    }

    package func textArray(_ column: Int) throws(PostgresError) -> [String] {
        try withoutNulls(textArrayWithNulls(column), column)
    }

    package func bytesArray(_ column: Int) throws(PostgresError) -> [[UInt8]] {
        try withoutNulls(bytesArrayWithNulls(column), column)
    }

    package func uuidArray(_ column: Int) throws(PostgresError) -> [UUID] {
        try withoutNulls(uuidArrayWithNulls(column), column)
    }

    package func timestampArray(_ column: Int) throws(PostgresError) -> [PostgresTimestamp] {
        try withoutNulls(timestampArrayWithNulls(column), column)
    }

    package func boolArrayWithNulls(_ column: Int) throws(PostgresError) -> [Bool?] {
        try array(column, "bool[]") { $0.type == .bool && $0.bytes.count == 1 ? $0.bytes[0] != 0 : nil }
    }

    package func int2ArrayWithNulls(_ column: Int) throws(PostgresError) -> [Int16?] {
        try array(column, "int2[]") { $0.type == .int2 && $0.bytes.count == 2 ? $0.integer(as: Int16.self) : nil }
    }

    package func int4ArrayWithNulls(_ column: Int) throws(PostgresError) -> [Int32?] {
        try array(column, "int4[]") { $0.type == .int4 && $0.bytes.count == 4 ? $0.integer(as: Int32.self) : nil }
    }

    package func int8ArrayWithNulls(_ column: Int) throws(PostgresError) -> [Int64?] {
        try array(column, "int8[]") { $0.type == .int8 && $0.bytes.count == 8 ? $0.integer(as: Int64.self) : nil }
    }

    package func doubleArrayWithNulls(_ column: Int) throws(PostgresError) -> [Double?] {
        try array(column, "float8[]") { $0.type == .float8 && $0.bytes.count == 8 ? $0.double : nil }
    }

    package func textArrayWithNulls(_ column: Int) throws(PostgresError) -> [String?] {
        try array(column, "text[]") { $0.text }
    }

    package func bytesArrayWithNulls(_ column: Int) throws(PostgresError) -> [[UInt8]?] {
        try array(column, "bytea[]") { $0.type == .bytes ? Array($0.bytes) : nil }
    }

    package func uuidArrayWithNulls(_ column: Int) throws(PostgresError) -> [UUID?] {
        try array(column, "uuid[]") { $0.type == .uuid && $0.bytes.count == 16 ? $0.uuid : nil }
    }

    package func timestampArrayWithNulls(_ column: Int) throws(PostgresError) -> [PostgresTimestamp?] {
        try array(column, "timestamptz[]") { element in
            guard element.type == .timestamptz || element.type == .timestamp, element.bytes.count == 8 else {
                return nil
            }
            return PostgresTimestamp(wireValue: element.integer(as: Int64.self))
        }
    }

    /// Reads an array with a reader of its elements, which returns nil for a type that it can't read.
    private func array<Element>(
        _ column: Int,
        _ wanted: String,
        _ read: (PostgresValue) -> Element?
    ) throws(PostgresError) -> [Element?] {
        guard let elements = try PostgresArrayReader(value(column))?.elements(read) else {
            throw mismatch(column, wanted)
        }
        return elements
    }

    private func withoutNulls<Element>(_ elements: [Element?], _ column: Int) throws(PostgresError) -> [Element] {
        var result: [Element] = []
        result.reserveCapacity(elements.count)
        for element in elements {
            guard let element else {
                throw PostgresError(
                    .decoding,
                    message: "column \(column) (\(columnName(column))) is an array with a null in it"
                )
            }
            result.append(element)
        }
        return result
    }
}
