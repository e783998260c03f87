// SPDX-License-Identifier: Apache-2.0

// Arrays of one dimension. A null element is an error.
extension PostgresRow {
    package func boolArray(_ column: Int) throws(PostgresError) -> [Bool] {
        try array(column, "bool[]") { $0.type == .bool && $0.bytes.count == 1 ? $0.bytes[0] != 0 : nil }
    }

    package func doubleArray(_ column: Int) throws(PostgresError) -> [Double] {
        try array(column, "float8[]") { $0.type == .float8 && $0.bytes.count == 8 ? $0.double : nil }
    }

    package func textArray(_ column: Int) throws(PostgresError) -> [String] {
        try array(column, "text[]") { $0.text }
    }

    package func timestampArray(_ column: Int) throws(PostgresError) -> [PostgresTimestamp] {
        try array(column, "timestamptz[]") { element in
            guard element.type == .timestamptz || element.type == .timestamp, element.bytes.count == 8 else {
                return nil
            }
            return PostgresTimestamp(wireValue: element.integer(as: Int64.self))
        }
    }

    /// Reads an array with a reader of its elements, which returns nil for a type that it can't read.
    func array<Element>(
        _ column: Int,
        _ wanted: String,
        _ read: (PostgresValue) -> Element?
    ) throws(PostgresError) -> [Element] {
        var result: [Element] = []
        for element in try arrayWithNulls(column, wanted, read) {
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

    func arrayWithNulls<Element>(
        _ column: Int,
        _ wanted: String,
        _ read: (PostgresValue) -> Element?
    ) throws(PostgresError) -> [Element?] {
        guard let elements = try PostgresArrayReader(value(column))?.elements(read) else {
            throw mismatch(column, wanted)
        }
        return elements
    }
}
