// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import TestSupport
import Testing

/// Commands print rows of any shape, and no column of theirs as bytes.
@Suite struct ShownColumnsTests {
    private static let statements =
        SQLFile.checks + [
            .readOverview, .readHealth, .readRecentMinutes, .callChangesSince, .listNotifications, .showNotification, .countJobs,
            .countProofs, .showJob, .listJobs, .findOrdersOfTransactions, .listOrders, .callSubmit, .readOrderStatus, .showOrder,
            .showAttempts, .showOrderEvents, .showOrderStory, .listApps, .listGates, .callFindAnything, .callNextStep,
            .callCustomerPayments, .callCustomerAccounts, .callReviewCauses, .listProducts, .showPayment, .showSubscriptions,
            .listWebhookEndpoints, .showWebhookEndpoint, .listWebhookEvents, .listWebhookActs,
            .callMovesOfAccount, .callPreviewOfAccount, .previewTransfer, .listOrdersThatName, .callMoveAccount, .callTransferOrder,
            .callForgetAccount, .callDecideConsumptionRequest, .previewConsumptionAnswer, .listConsumption,
            .readMovedAccount,
        ]

    /// Columns of `list_gates.sql` for workers: the command drops them.
    private static let hidden: Set<String> = ["found_credential_digest", "unfound_credential_digest"]

    @Test func everyColumnThatACommandShowsIsDecoded() async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { connection in
                for file in Self.statements {
                    // Each parameter bears its type.
                    let text = file.text.replacing(#/\$\d+/#, with: "null")
                    _ = try await connection.execute("create or replace temporary view shown as \(text)")
                    let columns = try await connection.execute(
                        "select attname::text, atttypid from pg_attribute where attrelid = 'pg_temp.shown'::regclass and attnum > 0"
                    )
                    _ = try await connection.execute("drop view pg_temp.shown")

                    #expect(!columns.isEmpty, "\(file.name)")
                    for column in columns where !Self.hidden.contains(try column.string(0)) {
                        let type = PostgresType(rawValue: UInt32(try column.int64(1)))
                        let name = try column.string(0)
                        #expect(type != nil && type != .bytes, "\(file.name): \(name)")
                    }
                }
            }
        }
    }
}
