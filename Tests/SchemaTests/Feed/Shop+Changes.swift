// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport

/// A reader of the feed, as a backend is one.
struct ChangeReader {
    let connection: PostgresConnection
    private(set) var cursor: String

    /// - Parameter from: the time from which on it reads, as PostgreSQL writes it.
    init(_ connection: PostgresConnection, from time: String = "infinity") async throws {
        self.connection = connection
        cursor = try await connection.execute("select counterfoil.changes_from($1::text::timestamptz)", [.text(time)])[0].string(0)
    }

    /// The next page: what the columns say, such as `(order_fulfilled,a)`.
    mutating func read(_ columns: String = "kind, order_id", atMost limit: Int32 = 1000) async throws -> [String] {
        let rows = try await connection.execute(
            """
            select c.next_cursor, (select listed::text from (select \(columns)) listed)
            from counterfoil.changes_since($1::text, $2::integer) c
            """, [.text(cursor), .int4(limit)])
        cursor = try rows.last?.string(0) ?? cursor
        return try rows.map { try $0.string(1) }
    }
}

extension Shop {
    /// How the feed refuses a cursor.
    func refusal(of cursor: String?, atMost limit: Int32? = 10) async throws -> Refusal? {
        try await Refusal.of {
            _ = try await backend.execute(
                "select * from counterfoil.changes_since($1::text, $2::integer)", [.text(cursor), .int4(limit)])
        }
    }
}
