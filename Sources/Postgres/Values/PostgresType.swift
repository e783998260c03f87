// SPDX-License-Identifier: Apache-2.0

/// The types of the server that this client knows by their object id (`select oid, typname from pg_type`).
package enum PostgresType: UInt32, Sendable, Hashable, CaseIterable {
    case bool = 16
    case bytes = 17
    case char = 18
    case name = 19
    case int8 = 20
    case int2 = 21
    case int4 = 23
    case text = 25
    case oid = 26
    case json = 114
    case xml = 142
    case float4 = 700
    case float8 = 701
    case unknown = 705
    case bpchar = 1042
    case varchar = 1043
    case timestamp = 1114
    case timestamptz = 1184
    case numeric = 1700
    case uuid = 2950
    case jsonb = 3802

    case boolArray = 1000
    case bytesArray = 1001
    case nameArray = 1003
    case int2Array = 1005
    case int4Array = 1007
    case textArray = 1009
    case varcharArray = 1015
    case int8Array = 1016
    case float4Array = 1021
    case float8Array = 1022
    case timestampArray = 1115
    case timestamptzArray = 1185
    case numericArray = 1231
    case uuidArray = 2951

    /// Ids from here on belong to types that users made: enums, `citext`, composite types.
    static let firstUserDefined: UInt32 = 16_384

    /// The type of an array's elements; nil for what is not an array.
    var element: PostgresType? {
        switch self {
        case .boolArray: .bool
        case .bytesArray: .bytes
        case .nameArray: .name
        case .int2Array: .int2
        case .int4Array: .int4
        case .textArray: .text
        case .varcharArray: .varchar
        case .int8Array: .int8
        case .float4Array: .float4
        case .float8Array: .float8
        case .timestampArray: .timestamp
        case .timestamptzArray: .timestamptz
        case .numericArray: .numeric
        case .uuidArray: .uuid
        default: nil
        }
    }

    /// Whether the binary form is the text itself.
    var isTextual: Bool {
        switch self {
        case .text, .varchar, .bpchar, .name, .char, .json, .xml, .unknown: true
        default: false
        }
    }
}
