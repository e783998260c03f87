// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import TestSupport
import Testing

private enum JobColumn: Int, RowColumn {
    case jobID, leaseToken, appAccountToken, transactionIDs
}

private enum PolicyColumn: Int, RowColumn {
    case allowsSandbox, startsAt
}

@Suite struct NamedRowTests {
    private static let sql = """
        select 7::int8 as job_id, 8::int8 as lease_token, null::uuid as app_account_token, 'one' as transaction_ids,
            true as allows_sandbox, to_timestamp(9) as starts_at
        where $1::int4 is distinct from 0
        """

    @Test func columnsAreReadByTheirNames() async throws {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            let row = try await connection.execute(Self.sql, [.int4(1)])[0]
            let job = row.named(by: JobColumn.self)
            let policy = row.named(by: PolicyColumn.self, from: JobColumn.allCases.count)

            #expect(try job.int64(.jobID) == 7)
            #expect(try job.int64(.leaseToken) == 8)
            #expect(try job.optionalUUID(.appAccountToken) == nil)
            #expect(try job.string(.transactionIDs) == "one")
            #expect(try policy.bool(.allowsSandbox))
            #expect(try policy.timestamp(.startsAt) == PostgresTimestamp(microsecondsSince1970: 9_000_000))
        }
    }

    @Test func namesOfCasesAreThoseOfColumns() async throws {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            let names = try await connection.columnNames(of: Self.sql)

            #expect(names == JobColumn.columnNames + PolicyColumn.columnNames)
            #expect(try await connection.columnNames(of: Self.sql) == names)
        }
    }

    @Test func columnsOfAResultWithoutRowsHaveTheirNames() async throws {
        try await PostgresConnection.withConnection(to: TestServer.url()) { connection in
            let result = try await connection.execute("select 1 as one, 2 as \"Zwei ä\" limit 0")

            #expect(result.isEmpty)
            #expect(result.columnNames == ["one", "Zwei ä"])
        }
    }
}
