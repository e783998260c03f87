// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import TestSupport
import Testing

@Suite struct PostgresRowTests {
    private func row(_ list: String) async throws -> PostgresRow {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            try await connection.execute("select \(list)")[0]
        }
    }

    @Test func rowOutlivesItsConnection() async throws {
        let row = try await row("'still here'")

        #expect(try row.string(0) == "still here")
    }

    @Test func smallerNumbersAreReadAsLargerOnes() async throws {
        let row = try await row("1::int2, 2::int4, 3::oid, 4.5::float4")

        #expect(try row.int32(0) == 1)
        #expect(try row.int64(0) == 1)
        #expect(try row.int64(1) == 2)
        #expect(try row.int64(2) == 3)
        #expect(try row.double(3) == 4.5)
    }

    @Test func textOfEveryKindIsAString() async throws {
        let row = try await row(
            "'a'::varchar, 'b'::char(3), 'c'::name, '{\"d\": 1}'::json, '{\"e\":1}'::jsonb, 'f'::\"char\", 'g'"
        )

        #expect(try (0..<7).map { try row.string($0) } == ["a", "b  ", "c", "{\"d\": 1}", "{\"e\": 1}", "f", "g"])
    }

    @Test func labelOfAnEnumIsAString() async throws {
        try await withTestDatabase { url in
            try await PostgresConnection.withConnection(to: url) { connection in
                try await connection.executeScript("create type mood as enum ('glad', 'sad')")

                let row = try await connection.execute("select 'sad'::mood, array['glad'::mood]")[0]

                #expect(try row.string(0) == "sad")
                #expect(try row.textArray(1) == ["glad"])
            }
        }
    }

    @Test func nullIsADecodingErrorUnlessItIsAskedForAsOptional() async throws {
        let row = try await row(
            """
            null::bool, null::int2, null::int4, null::int8, null::float8, null::text, null::bytea, null::uuid,
            null::timestamptz
            """
        )

        let error = #expect(throws: PostgresError.self) { try row.int64(3) }

        #expect(error?.kind == .decoding)
        #expect(error?.message.contains("int8") == true)
        #expect(try row.optionalDouble(4) == nil)
        #expect(try row.optionalString(5) == nil)
        #expect(try row.optionalUUID(7) == nil)
        #expect(try row.optionalTimestamp(8) == nil)
        #expect((0..<9).allSatisfy { row.isNull($0) && row.textDescription($0) == nil })
    }

    @Test func presentValuesAreReadAsOptionalsToo() async throws {
        let row = try await row(
            """
            true, 1::int2, 2::int4, 3::int8, 4::float8, 'five', '\\x06'::bytea,
            '00000000-0000-0000-0000-000000000007'::uuid, to_timestamp(8)
            """
        )

        #expect(try row.optionalDouble(4) == 4)
        #expect(try row.optionalString(5) == "five")
        #expect(try row.optionalUUID(7)?.uuid.15 == 7)
        #expect(try row.optionalTimestamp(8) == PostgresTimestamp(microsecondsSince1970: 8_000_000))
        #expect((0..<9).allSatisfy { !row.isNull($0) })
    }

    @Test func otherTypeIsADecodingErrorThatNamesTheColumnButNotTheValue() async throws {
        let row = try await row("'secret' as password")
        let readers: [(PostgresRow) throws -> Void] = [
            { _ = try $0.bool(0) }, { _ = try $0.int16(0) }, { _ = try $0.int32(0) }, { _ = try $0.int64(0) },
            { _ = try $0.double(0) }, { _ = try $0.bytes(0) }, { _ = try $0.uuid(0) }, { _ = try $0.timestamp(0) },
        ]

        for read in readers {
            let error = #expect(throws: PostgresError.self) { try read(row) }
            #expect(error?.kind == .decoding)
            #expect(error?.message.contains("password") == true)
            #expect(error?.message.contains("secret") == false)
        }
    }

    @Test(arguments: [-1, 1, Int.max])
    func columnThatIsNotThereIsADecodingError(column: Int) async throws {
        let row = try await row("1")

        let error = #expect(throws: PostgresError.self) { try row.int32(column) }

        #expect(error?.kind == .decoding)
        #expect(throws: PostgresError.self) { try row.optionalString(column) }
        #expect(row.isNull(column))
        #expect(row.textDescription(column) == nil)
    }

    @Test func columnsHaveTheirNames() async throws {
        let row = try await row("1 as one, 2 as \"Zwei ä\"")

        #expect(row.columnCount == 2)
        #expect(row.columnName(0) == "one")
        #expect(row.columnName(1) == "Zwei ä")
    }

    @Test(arguments: [
        "true", "false", "(-32768)::int2", "2147483647", "(-9223372036854775808)::int8", "26::oid", "0.5::float8",
        "'NaN'::float8", "'-Infinity'::float8", "3::float4", "'text'", "''", "'{\"a\": [1]}'::jsonb",
        "'00112233-4455-6677-8899-aabbccddeeff'::uuid", "'2026-03-01 09:30:00.25+00'::timestamptz",
        "'infinity'::timestamptz",
        "'2026-03-01 09:30:00'::timestamp", "'{1,NULL,3}'::int8[]", "'{t,f}'::bool[]",
        "'{\"a b\",\"\",NULL,\"null\"}'::text[]",
        "'{2026-03-01 09:30:00+00}'::timestamptz[]", "'{}'::text[]",
        "0::numeric", "100::numeric", "33.333::numeric", "(-12.50)::numeric", "0.0001::numeric", "0.00::numeric", "1e20::numeric",
        "123456789012345678901234567890.000000001::numeric", "-0.5::numeric", "10000::numeric", "99990000.0000::numeric",
        "'NaN'::numeric", "'Infinity'::numeric", "'-Infinity'::numeric", "'{1.5,NULL,20000}'::numeric[]",
    ])
    func descriptionIsThatOfTheServer(expression: String) async throws {
        let row = try await row("\(expression), (\(expression))::text")
        let text = try row.string(1)
        // The server spells booleans in full as text, and by letters where it prints rows.
        let expected = ["true": "t", "false": "f"][text] ?? text

        #expect(row.textDescription(0) == expected)
    }

    @Test func descriptionOfOtherTypesIsTheirBytes() async throws {
        #expect(try await row("'\\x00ff'::bytea").textDescription(0) == "\\x00ff")
        #expect(try await row("'1 day'::interval").textDescription(0)?.hasPrefix("\\x") == true)
    }
}
