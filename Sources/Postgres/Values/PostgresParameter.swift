// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// The value of a statement's `$1…`, sent in binary with its type, so that the server never has to guess.
///
/// Where a value is absent, the factories that take an optional send a null of that type.
package enum PostgresParameter: Sendable, Hashable {
    /// A null whose type the server finds from the statement.
    case null
    /// A null of a given type.
    case typedNull(PostgresType)

    case bool(Bool)
    case int2(Int16)
    case int4(Int32)
    case int8(Int64)
    case double(Double)
    /// Text; a NUL in it is refused by the server as ``SQLState/characterNotInRepertoire``.
    case text(String)
    case bytes([UInt8])
    case uuid(UUID)
    /// `timestamptz`.
    case timestamp(PostgresTimestamp)

    // Arrays of one dimension; a nil element is a null.
    case boolArray([Bool?])
    case int2Array([Int16?])
    case int4Array([Int32?])
    case int8Array([Int64?])
    case doubleArray([Double?])
    case textArray([String?])
    case bytesArray([[UInt8]?])
    case uuidArray([UUID?])
    case timestampArray([PostgresTimestamp?])

    package static func bool(_ value: Bool?) -> PostgresParameter {
        if let value { .bool(value) } else { .typedNull(.bool) }
    }

    package static func int2(_ value: Int16?) -> PostgresParameter {
        if let value { .int2(value) } else { .typedNull(.int2) }
    }

    package static func int4(_ value: Int32?) -> PostgresParameter {
        if let value { .int4(value) } else { .typedNull(.int4) }
    }

    package static func int8(_ value: Int64?) -> PostgresParameter {
        if let value { .int8(value) } else { .typedNull(.int8) }
    }

    package static func double(_ value: Double?) -> PostgresParameter {
        if let value { .double(value) } else { .typedNull(.float8) }
    }

    package static func text(_ value: String?) -> PostgresParameter {
        if let value { .text(value) } else { .typedNull(.text) }
    }

    package static func bytes(_ value: [UInt8]?) -> PostgresParameter {
        if let value { .bytes(value) } else { .typedNull(.bytes) }
    }

    package static func uuid(_ value: UUID?) -> PostgresParameter {
        if let value { .uuid(value) } else { .typedNull(.uuid) }
    }

    package static func timestamp(_ value: PostgresTimestamp?) -> PostgresParameter {
        if let value { .timestamp(value) } else { .typedNull(.timestamptz) }
    }

    /// The type that is told to the server; nil leaves it to the server.
    package var type: PostgresType? {
        switch self {
        case .null: nil
        case .typedNull(let type): type
        case .bool: .bool
        case .int2: .int2
        case .int4: .int4
        case .int8: .int8
        case .double: .float8
        case .text: .text
        case .bytes: .bytes
        case .uuid: .uuid
        case .timestamp: .timestamptz
        case .boolArray: .boolArray
        case .int2Array: .int2Array
        case .int4Array: .int4Array
        case .int8Array: .int8Array
        case .doubleArray: .float8Array
        case .textArray: .textArray
        case .bytesArray: .bytesArray
        case .uuidArray: .uuidArray
        case .timestampArray: .timestamptzArray
        }
    }
}

extension PostgresParameter: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) {
        self = .text(value)
    }
}

extension PostgresParameter: CustomStringConvertible {
    /// The type only: values are not for logs.
    package var description: String {
        type.map { "\($0)" } ?? "null"
    }
}
