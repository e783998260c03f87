// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

@Suite struct PostgresResultTests {
    @Test func resultIsACollectionOfItsRows() async throws {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            let result = try await connection.execute("select n from generate_series(1, 5) n")

            #expect(result.count == 5)
            #expect(result.columnCount == 1)
            #expect(try result.map { try $0.int32(0) } == [1, 2, 3, 4, 5])
            #expect(try result.reversed().first?.int32(0) == 5)
            #expect(try result[1...2].map { try $0.int32(0) } == [2, 3])
        }
    }

    @Test func emptyResultHasItsColumns() async throws {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            let result = try await connection.execute("select 1 as a, 2 as b where false")

            #expect(result.isEmpty)
            #expect(result.columnCount == 2)
        }
    }

    @Test func affectedRowsAreCounted() async throws {
        try await withTestDatabase { url in
            try await PostgresConnection.withConnection(to: url) { connection in
                let created = try await connection.execute("create table numbers (n int)")
                let inserted = try await connection.execute("insert into numbers select generate_series(1, 7)")
                let updated = try await connection.execute("update numbers set n = n + 1 where n > 4 returning n")
                let deleted = try await connection.execute("delete from numbers where n > 100")
                let selected = try await connection.execute("select from numbers")

                #expect(created.affectedRows == 0)
                #expect(inserted.affectedRows == 7)
                #expect(updated.affectedRows == 3)
                #expect(updated.count == 3)
                #expect(deleted.affectedRows == 0)
                #expect(selected.affectedRows == 7)
            }
        }
    }

    @Test func emptyStatementHasAnEmptyResult() async throws {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            let result = try await connection.execute("")

            #expect(result.isEmpty)
        }
    }
}
