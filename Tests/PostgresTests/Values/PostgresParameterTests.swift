// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import TestSupport
import Testing

/// Every type, there and back through a real server.
@Suite struct PostgresParameterTests {
    /// Sends one value and reads it back, together with the server's own text of it.
    private func roundTrip<Value: Sendable>(
        _ parameter: PostgresParameter,
        _ read: (PostgresRow) throws -> Value
    ) async throws -> (value: Value, text: String?, type: String) {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            let row = try await connection.execute(
                "select $1, $1::text, pg_typeof($1)::text",
                [parameter]
            )[0]
            return (try read(row), try row.optionalString(1), try row.string(2))
        }
    }

    @Test(arguments: [true, false])
    func bool(value: Bool) async throws {
        let result = try await roundTrip(.bool(value)) { try $0.bool(0) }

        #expect(result.value == value)
        #expect(result.text == (value ? "true" : "false"))
        #expect(result.type == "boolean")
    }

    @Test(arguments: [Int16.min, -1, 0, 1, .max])
    func int2(value: Int16) async throws {
        let result = try await roundTrip(.int2(value)) { try $0.int16(0) }

        #expect(result.value == value)
        #expect(result.text == String(value))
        #expect(result.type == "smallint")
    }

    @Test(arguments: [Int32.min, -1, 0, 1, .max])
    func int4(value: Int32) async throws {
        let result = try await roundTrip(.int4(value)) { try $0.int32(0) }

        #expect(result.value == value)
        #expect(result.text == String(value))
        #expect(result.type == "integer")
    }

    @Test(arguments: [Int64.min, -1, 0, 1, .max])
    func int8(value: Int64) async throws {
        let result = try await roundTrip(.int8(value)) { try $0.int64(0) }

        #expect(result.value == value)
        #expect(result.text == String(value))
        #expect(result.type == "bigint")
    }

    @Test(
        arguments: [
            (0, "0"), (-1.5, "-1.5"), (.greatestFiniteMagnitude, "1.7976931348623157e+308"), (.infinity, "Infinity"),
            (-.infinity, "-Infinity"), (Double.leastNonzeroMagnitude, "5e-324"),
        ] as [(Double, String)])
    func double(value: Double, text: String) async throws {
        let result = try await roundTrip(.double(value)) { try $0.double(0) }

        #expect(result.value == value)
        #expect(result.text == text)
        #expect(result.type == "double precision")
    }

    @Test func notANumber() async throws {
        let result = try await roundTrip(.double(.nan)) { try $0.double(0) }

        #expect(result.value.isNaN)
        #expect(result.text == "NaN")
    }

    @Test(arguments: ["", "plain", "ä€😀 'quoted' \"twice\" \\ \n", "longer than what fits into a small string"])
    func text(value: String) async throws {
        let result = try await roundTrip(.text(value)) { try $0.string(0) }

        #expect(result.value == value)
        #expect(result.text == value)
        #expect(result.type == "text")
    }

    @Test(arguments: [0, 1, 4, 1_000_000])
    func bytes(count: Int) async throws {
        let value = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 85) }

        let result = try await roundTrip(.bytes(value)) { try $0.bytes(0) }

        #expect(result.value == value)
        #expect(result.type == "bytea")
    }

    @Test func uuid() async throws {
        let value = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))

        let result = try await roundTrip(.uuid(value)) { try $0.uuid(0) }

        #expect(result.value == value)
        #expect(result.text == "00112233-4455-6677-8899-aabbccddeeff")
        #expect(result.type == "uuid")
    }

    @Test(arguments: [
        (PostgresTimestamp(microsecondsSince1970: 0), "1970-01-01 00:00:00+00"),
        (PostgresTimestamp(microsecondsSince1970: 1_767_225_599_123_456), "2025-12-31 23:59:59.123456+00"),
        (PostgresTimestamp(microsecondsSince1970: -62_135_596_800_000_001), "0001-12-31 23:59:59.999999+00 BC"),
        (.distantPast, "-infinity"), (.distantFuture, "infinity"),
    ])
    func timestamp(value: PostgresTimestamp, text: String) async throws {
        let result = try await roundTrip(.timestamp(value)) { try $0.timestamp(0) }

        #expect(result.value == value)
        #expect(result.text == text)
        #expect(result.type == "timestamp with time zone")
        #expect(value.description == text)
    }

    @Test func timestampBeforeTheServersRangeIsRefused() async throws {
        let error = await #expect(throws: PostgresError.self) {
            try await roundTrip(.timestamp(PostgresTimestamp(microsecondsSince1970: .min + 1))) { $0.isNull(0) }
        }

        #expect(error?.sqlState == SQLState(rawValue: "22008"))
    }

    @Test func lastTimestampOfTheServerIsNotInfinity() async throws {
        let timestamp = try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            try await connection.execute("select '294276-12-31 23:59:59.999999+00'::timestamptz")[0].timestamp(0)
        }

        #expect(timestamp < .distantFuture)
        #expect(timestamp.microsecondsSince1970 == .max - 1)
    }

    @Test(arguments: [
        (PostgresParameter.bool(nil as Bool?), "boolean"), (.int2(nil as Int16?), "smallint"),
        (.int4(nil as Int32?), "integer"), (.int8(nil as Int64?), "bigint"),
        (.double(nil as Double?), "double precision"), (.text(nil as String?), "text"),
        (.bytes(nil as [UInt8]?), "bytea"), (.uuid(nil as UUID?), "uuid"),
        (.timestamp(nil as PostgresTimestamp?), "timestamp with time zone"), (.typedNull(.textArray), "text[]"),
    ])
    func nullHasItsType(parameter: PostgresParameter, type: String) async throws {
        let result = try await roundTrip(parameter) { $0.isNull(0) }

        #expect(result.value)
        #expect(result.text == nil)
        #expect(result.type == type)
    }

    @Test func nullWithoutATypeTakesThatOfTheStatement() async throws {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            let row = try await connection.execute("select 1 + $1, pg_typeof(1 + $1)::text", [.null])[0]

            #expect(row.isNull(0))
            #expect(try row.string(1) == "integer")
        }
    }

    @Test func nulInTextIsRefusedByTheServer() async throws {
        for parameter in [PostgresParameter.text("a\0b"), .textArray(["a", "b\0"])] {
            let error = await #expect(throws: PostgresError.self) {
                try await roundTrip(parameter) { $0.isNull(0) }
            }

            #expect(error?.sqlState == .characterNotInRepertoire)
            #expect(error?.kind == .server)
        }
    }

    @Test func tooManyParametersAreRefusedBeforeTheyAreSent() async throws {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            let error = await #expect(throws: PostgresError.self) {
                try await connection.execute("select 1", Array(repeating: .bool(true), count: 65_536))
            }

            #expect(error?.kind == .encoding)
            let result = try await connection.execute("select 1")
            #expect(result.count == 1)
        }
    }

    @Test func mostParametersOfAllAreSent() async throws {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            let list = (1...65_535).map { "$\($0)" }.joined(separator: ",")

            let result = try await connection.execute(
                "select count(*) from unnest(array[\(list)]) n where n",
                Array(repeating: .bool(true), count: 65_535)
            )

            #expect(try result[0].int64(0) == 65_535)
        }
    }

    @Test func descriptionShowsTheTypeOnly() {
        #expect("\(PostgresParameter.text("secret"))" == "text")
        #expect("\([PostgresParameter.int8(4711), .null])" == "[int8, null]")
    }
}
