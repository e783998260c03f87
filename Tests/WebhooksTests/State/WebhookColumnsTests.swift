// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import TestSupport
import Testing

@testable import Webhooks

/// The enums that rows are read by are in the order of the statements' columns, and bear their names.
@Suite struct WebhookColumnsTests {
    private static let statements: [(file: SQLFile, columns: [String])] = [
        (.callTakeWebhooks, WebhookEvent.Column.columnNames), (.findWebhookNames, WebhookStore.NameColumn.columnNames),
        (.measureWebhooks, WebhookStore.MeasureColumn.columnNames),
    ]

    @Test func eachColumnIsReadAtThePositionOfItsName() async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { connection in
                for (file, columns) in Self.statements {
                    let names = try await connection.columnNames(of: file.text)

                    #expect(names == columns, "\(file.name)")
                }
            }
        }
    }
}
