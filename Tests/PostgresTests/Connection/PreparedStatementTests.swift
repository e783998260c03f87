// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

@Suite struct PreparedStatementTests {
    private static let sum = PostgresStatement(name: "sum", sql: "select $1::int8 + $2::int8", isPrepared: true)

    private func preparedNames(_ connection: PostgresConnection) async throws -> [String] {
        try await connection.execute("select name from pg_prepared_statements order by name").map { try $0.string(0) }
    }

    @Test func isParsedOnceAConnection() async throws {
        try await withTestDatabase { url in
            try await PostgresConnection.withConnection(to: url) { connection in
                for number in Int64(1)...3 {
                    let result = try await connection.execute(Self.sum, [.int8(number), .int8(10)])
                    #expect(try result[0].int64(0) == number + 10)
                }

                #expect(try await preparedNames(connection) == ["sum"])
                let calls = try await connection.execute(
                    "select generic_plans + custom_plans from pg_prepared_statements")
                #expect(try calls[0].int64(0) == 3)
            }
        }
    }

    @Test func callersAtTheSameTimePrepareItOnce() async throws {
        try await withTestDatabase { url in
            try await PostgresConnection.withConnection(to: url) { connection in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in Int64(1)...20 {
                        group.addTask {
                            let result = try await connection.execute(Self.sum, [.int8(number), .int8(0)])
                            #expect(try result[0].int64(0) == number)
                        }
                    }
                    try await group.waitForAll()
                }

                #expect(try await preparedNames(connection) == ["sum"])
            }
        }
    }

    @Test func anotherStatementOfTheSameNameGoesUnnamed() async throws {
        try await withTestDatabase { url in
            try await PostgresConnection.withConnection(to: url) { connection in
                _ = try await connection.execute(Self.sum, [.int8(1), .int8(2)])
                let other = PostgresStatement(name: "sum", sql: "select $1::int8 * $2::int8", isPrepared: true)

                let product = try await connection.execute(other, [.int8(3), .int8(4)])

                #expect(try product[0].int64(0) == 12)
            }
        }
    }

    @Test func refusedTextIsToldAndTriedAgain() async throws {
        try await withTestDatabase { url in
            try await PostgresConnection.withConnection(to: url) { connection in
                let count = PostgresStatement(name: "count", sql: "select count(*) from later", isPrepared: true)

                let error = await #expect(throws: PostgresError.self) { try await connection.execute(count) }
                try await connection.executeScript("create table later (n int)")
                let result = try await connection.execute(count)

                #expect(error?.sqlState == .undefinedTable)
                #expect(error?.statementName == "count")
                #expect(try result[0].int64(0) == 0)
            }
        }
    }

    @Test func deadlineHoldsWhileItIsPrepared() async throws {
        try await withTestDatabase { url in
            try await PostgresConnection.withConnection(to: url) { holder in
                try await holder.executeScript("create table held (n int)")
                try await PostgresConnection.withConnection(to: url) { connection in
                    let count = PostgresStatement(name: "count", sql: "select count(*) from held", isPrepared: true)
                    try await holder.executeScript("begin; lock table held in access exclusive mode")

                    let error = await #expect(throws: PostgresError.self) {
                        try await connection.execute(count, timeout: .milliseconds(100))
                    }
                    try await holder.executeScript("commit")
                    let result = try await connection.execute(count)

                    #expect(error?.kind == .timedOut)
                    #expect(try result[0].int64(0) == 0)
                }
            }
        }
    }

    /// The server refuses a statement once whose columns a migration changed; the pool then takes another connection.
    @Test func changedColumnsCostOneRefusal() async throws {
        try await withTestDatabase { url in
            var configuration = try PostgresConfiguration(url: url)
            configuration.isPinned = false
            configuration.connectTimeout = .seconds(60)
            let pool = PostgresPool(configuration: configuration, size: 1, logger: .test)
            let all = PostgresStatement(name: "all", sql: "select * from widening", isPrepared: true)
            _ = try await pool.execute(
                PostgresStatement(name: "create", sql: "create table widening as select 1::int8 as n"))
            _ = try await pool.execute(all)
            _ = try await pool.execute(
                PostgresStatement(name: "alter", sql: "alter table widening add column m int8 default 2"))

            let error = await #expect(throws: PostgresError.self) { try await pool.execute(all) }
            let row = try await pool.execute(all)[0]

            #expect(error?.sqlState == .featureNotSupported)
            #expect(try row.int64(1) == 2)
            await pool.close()
        }
    }
}
