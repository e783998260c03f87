// SPDX-License-Identifier: Apache-2.0

extension PostgresParameter {
    /// Bytes that ``write(to:)`` needs at most.
    var maximumSize: Int {
        switch self {
        case .null, .typedNull: 0
        case .bool: 1
        case .int2: 2
        case .int4: 4
        case .int8, .double, .timestamp: 8
        case .uuid: 16
        case .text(let value): value.utf8.count
        case .bytes(let value): value.count
        case .boolArray(let values): Self.arraySize(values.count, elementSize: 1)
        case .int2Array(let values): Self.arraySize(values.count, elementSize: 2)
        case .int4Array(let values): Self.arraySize(values.count, elementSize: 4)
        case .int8Array(let values): Self.arraySize(values.count, elementSize: 8)
        case .doubleArray(let values): Self.arraySize(values.count, elementSize: 8)
        case .timestampArray(let values): Self.arraySize(values.count, elementSize: 8)
        case .uuidArray(let values): Self.arraySize(values.count, elementSize: 16)
        case .textArray(let values):
            values.reduce(Self.arraySize(values.count, elementSize: 0)) { $0 + ($1?.utf8.count ?? 0) }
        case .bytesArray(let values):
            values.reduce(Self.arraySize(values.count, elementSize: 0)) { $0 + ($1?.count ?? 0) }
        }
    }

    /// Writes the value; false when it is a null, of which nothing is written.
    func write(to writer: inout ParameterWriter) -> Bool {
        switch self {
        case .null, .typedNull: return false
        case .bool(let value): writer.integer(UInt8(value ? 1 : 0))
        case .int2(let value): writer.integer(value)
        case .int4(let value): writer.integer(value)
        case .int8(let value): writer.integer(value)
        case .double(let value): writer.double(value)
        case .text(let value): writer.text(value)
        case .bytes(let value): writer.bytes(value)
        case .uuid(let value): writer.uuid(value)
        case .timestamp(let value): writer.integer(value.wireValue)
        case .boolArray(let values): writer.array(values, of: .bool) { $0.integer(UInt8($1 ? 1 : 0)) }
        case .int2Array(let values): writer.array(values, of: .int2) { $0.integer($1) }
        case .int4Array(let values): writer.array(values, of: .int4) { $0.integer($1) }
        case .int8Array(let values): writer.array(values, of: .int8) { $0.integer($1) }
        case .doubleArray(let values): writer.array(values, of: .float8) { $0.double($1) }
        case .textArray(let values): writer.array(values, of: .text) { $0.text($1) }
        case .bytesArray(let values): writer.array(values, of: .bytes) { $0.bytes($1) }
        case .uuidArray(let values): writer.array(values, of: .uuid) { $0.uuid($1) }
        case .timestampArray(let values): writer.array(values, of: .timestamptz) { $0.integer($1.wireValue) }
        }
        return true
    }

    private static func arraySize(_ count: Int, elementSize: Int) -> Int {
        20 + count * (4 + elementSize)
    }
}
