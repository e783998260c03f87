// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

@testable import Postgres

// Arrays as only tests read them: of types that no statement of the product returns, and with nulls.
extension PostgresRow {
    func int2Array(_ column: Int) throws(PostgresError) -> [Int16] {
        try array(column, "int2[]") { $0.type == .int2 && $0.bytes.count == 2 ? $0.integer(as: Int16.self) : nil }
    }

    func int4Array(_ column: Int) throws(PostgresError) -> [Int32] {
        try array(column, "int4[]") { $0.type == .int4 && $0.bytes.count == 4 ? $0.integer(as: Int32.self) : nil }
    }

    func int8Array(_ column: Int) throws(PostgresError) -> [Int64] {
        try array(column, "int8[]") { $0.type == .int8 && $0.bytes.count == 8 ? $0.integer(as: Int64.self) : nil }
    }

    func bytesArray(_ column: Int) throws(PostgresError) -> [[UInt8]] {
        try array(column, "bytea[]") { $0.type == .bytes ? Array($0.bytes) : nil }
    }

    func uuidArray(_ column: Int) throws(PostgresError) -> [UUID] {
        try array(column, "uuid[]") { $0.type == .uuid && $0.bytes.count == 16 ? $0.uuid : nil }
    }

    func int2ArrayWithNulls(_ column: Int) throws(PostgresError) -> [Int16?] {
        try arrayWithNulls(column, "int2[]") { $0.type == .int2 && $0.bytes.count == 2 ? $0.integer(as: Int16.self) : nil }
    }

    func int4ArrayWithNulls(_ column: Int) throws(PostgresError) -> [Int32?] {
        try arrayWithNulls(column, "int4[]") { $0.type == .int4 && $0.bytes.count == 4 ? $0.integer(as: Int32.self) : nil }
    }

    func int8ArrayWithNulls(_ column: Int) throws(PostgresError) -> [Int64?] {
        try arrayWithNulls(column, "int8[]") { $0.type == .int8 && $0.bytes.count == 8 ? $0.integer(as: Int64.self) : nil }
    }

    func textArrayWithNulls(_ column: Int) throws(PostgresError) -> [String?] {
        try arrayWithNulls(column, "text[]") { $0.text }
    }

    func bytesArrayWithNulls(_ column: Int) throws(PostgresError) -> [[UInt8]?] {
        try arrayWithNulls(column, "bytea[]") { $0.type == .bytes ? Array($0.bytes) : nil }
    }

    func uuidArrayWithNulls(_ column: Int) throws(PostgresError) -> [UUID?] {
        try arrayWithNulls(column, "uuid[]") { $0.type == .uuid && $0.bytes.count == 16 ? $0.uuid : nil }
    }

    func boolArrayWithNulls(_ column: Int) throws(PostgresError) -> [Bool?] {
        try arrayWithNulls(column, "bool[]") { $0.bytes[0] != 0 }
    }

    func doubleArrayWithNulls(_ column: Int) throws(PostgresError) -> [Double?] {
        try arrayWithNulls(column, "float8[]") { $0.double }
    }

    func timestampArrayWithNulls(_ column: Int) throws(PostgresError) -> [PostgresTimestamp?] {
        try arrayWithNulls(column, "timestamptz[]") { PostgresTimestamp(wireValue: $0.integer(as: Int64.self)) }
    }
}
