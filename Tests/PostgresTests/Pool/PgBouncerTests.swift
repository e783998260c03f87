// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import PrivatePostgres
import TestSupport
import Testing

/// Everything that workers do passes through a pooler that gives each database transaction another server connection.
@Suite(.enabled(if: PgBouncer.isInstalled, "pgbouncer is not installed"))
struct PgBouncerTests {
    @Test func statementsAndTransactionsPassATransactionPooler() async throws {
        try await PasswordServer.with { server in
            try await PgBouncer.withPooler(before: server) { url in
                var configuration = try PostgresConfiguration(url: url)
                configuration.isPinned = false
                configuration.connectTimeout = .seconds(60)
                configuration.cancellationGrace = .seconds(60)
                let pool = PostgresPool(configuration: configuration, size: 4, logger: .test)
                let table = "pooled_" + UUID().uuidString.prefix(8)
                _ = try await pool.execute(PostgresStatement(name: "create", sql: "create table \"\(table)\" (n int8)"))

                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in Int64(1)...100 {
                        group.addTask {
                            let insert = PostgresStatement(
                                name: "insert", sql: "insert into \"\(table)\" select unnest($1::int8[])", isPrepared: true)
                            try await pool.withTransaction(timeout: .seconds(60)) { connection in
                                _ = try await connection.execute(insert, [.int8Array([number, -number])])
                                try await connection.enqueue(insert, [.int8Array([number])])
                                try await connection.enqueue(insert, [.int8Array([-number])])
                            }
                        }
                    }
                    try await group.waitForAll()
                }

                let row = try await pool.execute(
                    PostgresStatement(name: "count", sql: "select count(*), sum(n)::int8 from \"\(table)\"")
                )[0]
                #expect(try row.int64(0) == 400)
                #expect(try row.int64(1) == 0)
                await pool.close()
            }
        }
    }

    /// A name would be known to one server connection only, and the next database transaction may have another.
    @Test func nothingIsPreparedThroughATransactionPooler() async throws {
        try await PasswordServer.with { server in
            try await PgBouncer.withPooler(before: server) { url in
                try await PostgresConnection.withConnection(to: url) { connection in
                    let sum = PostgresStatement(name: "sum", sql: "select $1::int8 + 1", isPrepared: true)

                    for number in Int64(1)...3 {
                        #expect(try await connection.execute(sum, [.int8(number)])[0].int64(0) == number + 1)
                    }

                    let prepared = try await connection.execute("select count(*) from pg_prepared_statements")
                    #expect(try prepared[0].int64(0) == 0)
                }
            }
        }
    }

    @Test func deadlineCancelsThroughAPooler() async throws {
        try await PasswordServer.with { server in
            try await PgBouncer.withPooler(before: server) { url in
                try await PostgresConnection.withConnection(to: url) { connection in
                    let error = await #expect(throws: PostgresError.self) {
                        try await connection.execute("select pg_sleep(3600)", timeout: .milliseconds(100))
                    }
                    let result = try await connection.execute("select 1")

                    #expect(error?.kind == .timedOut)
                    #expect(error?.sqlState == .queryCanceled)
                    #expect(result.count == 1)
                }
            }
        }
    }
}
