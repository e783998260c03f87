// SPDX-License-Identifier: Apache-2.0

import Postgres
import Testing
import TestSupport

@Suite struct PostgresConnectionTests {
    @Test func statementReturnsItsRows() async throws {
        try await withTestDatabase { url in
            try await PostgresConnection.withConnection(to: url) { connection in
                let result = try await connection.execute(
                    "select $1::int8 + n, $2 || n::text from generate_series(1, 3) n",
                    [.int8(40), .text("row ")]
                )

                #expect(try result.map { try $0.int64(0) } == [41, 42, 43])
                #expect(try result.map { try $0.string(1) } == ["row 1", "row 2", "row 3"])
            }
        }
    }

    @Test func deadlineCancelsTheStatement() async throws {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            let error = await #expect(throws: PostgresError.self) {
                try await connection.execute("select pg_sleep(60)", timeout: .milliseconds(50))
            }
            #expect(error?.kind == .timedOut)
            #expect(error?.sqlState == .queryCanceled)
            let result = try await connection.execute("select 1")
            #expect(try result[0].int32(0) == 1)
        }
    }

    @Test func cancellationCancelsTheStatement() async throws {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            let task = Task { try await connection.execute("select pg_sleep(60)") }
            task.cancel()
            let error = await #expect(throws: PostgresError.self) { try await task.value }
            #expect(error?.kind == .cancelled)
        }
    }

    @Test func poolServesManyCallers() async throws {
        let pool = try PostgresPool(
            configuration: PostgresConfiguration(url: await TestServer.url()),
            size: 3,
            logger: .test
        )
        let sum = try await withThrowingTaskGroup(of: Int64.self) { group in
            for number in 1...200 {
                group.addTask {
                    let result = try await pool.execute(
                        PostgresStatement(name: "n", sql: "select $1::int8"),
                        [.int8(Int64(number))]
                    )
                    return try result[0].int64(0)
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(sum == 20100)
        await pool.close()
    }
}
