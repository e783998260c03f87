// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import VerificationQueue

/// An endpoint of webhooks, and the events that wait for it.
extension Shop {
    private static let endpoint = "shop"

    /// Adds an endpoint that is told everything.
    func addWebhook() async throws {
        _ = try await admin.execute(
            SQLFile.insertWebhookEndpoint.statement,
            [
                .text(Self.endpoint), .text("https://shop.example/"), .typedNull(.textArray), .typedNull(.textArray), .int4(1000),
                .int4(100), .text("-infinity"), .text("eve"),
            ])
    }

    /// Has the feed read for it, as a worker does.
    ///
    /// - Returns: as ``listWebhooks()``.
    func takeWebhooks() async throws -> [String] {
        _ = try await worker.execute(
            SQLFile.callTakeWebhooks.statement, [.textArray([Self.endpoint]), .int4(100), .double(60)])
        return try await listWebhooks()
    }

    /// What waits, in the feed's order: the key, the kind and the account of each event.
    func listWebhooks() async throws -> [String] {
        try await rows(
            """
            select v.key, v.body::json ->> 'type', v.body::json #>> '{data,account_id}'
            from counterfoil.webhook_events v order by v.change_id
            """)
    }
}
