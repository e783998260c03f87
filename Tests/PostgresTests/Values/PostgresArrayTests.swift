// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import TestSupport
import Testing

/// Arrays of every type, there and back through a real server.
@Suite struct PostgresArrayTests {
    private func roundTrip<Value: Sendable>(
        _ parameter: PostgresParameter,
        _ read: (PostgresRow) throws -> Value
    ) async throws -> (value: Value, text: String, type: String) {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            let row = try await connection.execute("select $1, $1::text, pg_typeof($1)::text", [parameter])[0]
            return (try read(row), try row.string(1), try row.string(2))
        }
    }

    @Test(arguments: [[], [true, nil, false], [nil, nil]] as [[Bool?]])
    func bools(values: [Bool?]) async throws {
        let result = try await roundTrip(.boolArray(values)) { try $0.boolArrayWithNulls(0) }

        #expect(result.value == values)
        #expect(result.type == "boolean[]")
    }

    @Test(arguments: [[], [.min, nil, .max]] as [[Int16?]])
    func int2s(values: [Int16?]) async throws {
        let result = try await roundTrip(.int2Array(values)) { try $0.int2ArrayWithNulls(0) }

        #expect(result.value == values)
        #expect(result.type == "smallint[]")
    }

    @Test(arguments: [[], [.min, nil, .max]] as [[Int32?]])
    func int4s(values: [Int32?]) async throws {
        let result = try await roundTrip(.int4Array(values)) { try $0.int4ArrayWithNulls(0) }

        #expect(result.value == values)
        #expect(result.type == "integer[]")
    }

    @Test(arguments: [[], [.min, nil, .max]] as [[Int64?]])
    func int8s(values: [Int64?]) async throws {
        let result = try await roundTrip(.int8Array(values)) { try $0.int8ArrayWithNulls(0) }

        #expect(result.value == values)
        #expect(result.type == "bigint[]")
    }

    @Test(arguments: [[], [-.infinity, nil, 0.1]] as [[Double?]])
    func doubles(values: [Double?]) async throws {
        let result = try await roundTrip(.doubleArray(values)) { try $0.doubleArrayWithNulls(0) }

        #expect(result.value == values)
        #expect(result.type == "double precision[]")
    }

    @Test(
        arguments: [
            ([], "{}"), ([""], "{\"\"}"), ([nil], "{NULL}"), (["NULL", nil], "{\"NULL\",NULL}"),
            (["a b", "c,d", "{e}", "\"f\"", "\\", "ä😀", "plain"], #"{"a b","c,d","{e}","\"f\"","\\",ä😀,plain}"#),
        ] as [([String?], String)])
    func texts(values: [String?], text: String) async throws {
        let result = try await roundTrip(.textArray(values)) {
            (try $0.textArrayWithNulls(0), $0.textDescription(0))
        }

        #expect(result.value.0 == values)
        #expect(result.text == text)
        #expect(result.value.1 == text)
        #expect(result.type == "text[]")
    }

    @Test(arguments: [[], [[], nil, [0, 255]]] as [[[UInt8]?]])
    func bytes(values: [[UInt8]?]) async throws {
        let result = try await roundTrip(.bytesArray(values)) { try $0.bytesArrayWithNulls(0) }

        #expect(result.value == values)
        #expect(result.type == "bytea[]")
    }

    @Test func uuids() async throws {
        let values = [UUID(), nil, UUID()]

        let result = try await roundTrip(.uuidArray(values)) { try $0.uuidArrayWithNulls(0) }

        #expect(result.value == values)
        #expect(result.type == "uuid[]")
    }

    @Test func timestamps() async throws {
        let values = [PostgresTimestamp.distantPast, nil, PostgresTimestamp(microsecondsSince1970: 1), .distantFuture]

        let result = try await roundTrip(.timestampArray(values)) { try $0.timestampArrayWithNulls(0) }

        #expect(result.value == values)
        #expect(result.type == "timestamp with time zone[]")
    }

    @Test func arraysWithoutNullsAreReadAsPlainValues() async throws {
        #expect(try await roundTrip(.boolArray([true, false])) { try $0.boolArray(0) }.value == [true, false])
        #expect(try await roundTrip(.int2Array([1, 2])) { try $0.int2Array(0) }.value == [1, 2])
        #expect(try await roundTrip(.int4Array([1, 2])) { try $0.int4Array(0) }.value == [1, 2])
        #expect(try await roundTrip(.int8Array([1, 2])) { try $0.int8Array(0) }.value == [1, 2])
        #expect(try await roundTrip(.doubleArray([1, 2])) { try $0.doubleArray(0) }.value == [1, 2])
        #expect(try await roundTrip(.textArray(["a", ""])) { try $0.textArray(0) }.value == ["a", ""])
        #expect(try await roundTrip(.bytesArray([[1], []])) { try $0.bytesArray(0) }.value == [[1], []])
        let id = UUID()
        #expect(try await roundTrip(.uuidArray([id])) { try $0.uuidArray(0) }.value == [id])
        #expect(
            try await roundTrip(.timestampArray([.distantPast])) { try $0.timestampArray(0) }.value == [.distantPast])
    }

    @Test func nullInAnArrayThatAllowsNoneIsADecodingError() async throws {
        let error = await #expect(throws: PostgresError.self) {
            try await roundTrip(.textArray(["a", nil])) { try $0.textArray(0) }
        }

        #expect(error?.kind == .decoding)
    }

    @Test(arguments: ["'{{1,2},{3,4}}'::int8[]", "1::int8", "'{a}'::text[]", "row(1, 2)"])
    func otherShapesAreRefused(expression: String) async throws {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            let row = try await connection.execute("select \(expression) as shape")[0]

            let error = #expect(throws: PostgresError.self) { try row.int8Array(0) }

            #expect(error?.kind == .decoding)
            #expect(error?.message.contains("shape") == true)
        }
    }

    @Test func arrayThatBeginsElsewhereIsReadFromItsFirstElement() async throws {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            let row = try await connection.execute("select '[5:6]={7,8}'::int8[]")[0]

            #expect(try row.int8Array(0) == [7, 8])
        }
    }
}
