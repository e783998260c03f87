// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Logging
import Postgres
import Rehearsal
import Schema
import Synchronization
import VerificationQueue

/// A shop's address for webhooks, which workers call for every change. It has done what an event says before it answers, and its
/// first answer to one event of sixteen is lost.
struct WebhookSite: Sendable {
    /// The events whose answers were lost.
    private final class LostAnswers: Sendable {
        private let ids = Mutex<Set<String>>([])

        func reply(to call: WebhookReceiver.Call) -> WebhookReceiver.Reply {
            // The end of an id is a hash.
            let isLost = call.id.hasSuffix("0") && ids.withLock { $0.insert(call.id).inserted }
            return .init(isLost ? 500 : 204)
        }
    }

    static let endpoint = "shop"
    static let judgeName = "webhooks_apart_from_feed"
    private static let rate: Int32 = 1000
    private static let callsAtOnce: Int32 = 50

    let receiver: WebhookReceiver
    let port: Int

    /// Runs `body` with an address, with none where nobody wants one.
    static func withSite<Success: Sendable>(
        _ isWanted: Bool, _ identity: TransportIdentity, _ logger: Logger, _ body: @Sendable (WebhookSite?) async throws -> Success
    ) async throws -> Success {
        guard isWanted else { return try await body(nil) }
        let answers = LostAnswers()
        return try await WebhookReceiver.withRunning(
            tls: identity.serverConfiguration, logger: logger, reply: { answers.reply(to: $0) }
        ) { receiver, port in
            try await body(WebhookSite(receiver: receiver, port: port))
        }
    }

    /// Adds the endpoint, from the feed's beginning on, and writes its secret where workers look for it.
    func setUp(_ database: PostgresPool, _ folder: RehearsalFolder) async throws {
        let secret = Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
        try folder.write(Data("whsec_\(secret)\n".utf8), to: folder.credentials + "/\(Self.endpoint).webhook-secret")
        _ = try await database.execute(
            SQLFile.insertWebhookEndpoint.statement,
            [
                .text(Self.endpoint), .text("https://127.0.0.1:\(port)/hooks"), .typedNull(.textArray), .typedNull(.textArray),
                .int4(Self.rate), .int4(Self.callsAtOnce), .text("-infinity"), .text("chaos"),
            ])
    }

    /// What a worker needs to call it.
    static func variables(_ folder: RehearsalFolder) -> [String: String] {
        ["COUNTERFOIL_WEBHOOK_PRIVATE_NETWORKS": "127.0.0.0/8", "COUNTERFOIL_WEBHOOK_TLS_ROOTS": folder.tlsRoot]
    }

    /// The differences between calls and the feed, and between the ledger and a shop that obeys the calls alone.
    static func differences(
        _ calls: [(id: String, body: String)], _ execute: (PostgresStatement, [PostgresParameter]) async throws -> PostgresResult
    ) async throws -> [String] {
        try await execute(ChaosSQL.webhooksApartFromFeed, [.textArray(calls.map(\.id)), .textArray(calls.map(\.body))]).map(\.summary)
    }
}

extension ChaosEnvironment {
    /// Waits until nothing is left to send.
    ///
    /// - Returns: what the shop was sent that differs from the feed.
    func checkWebhooks() async throws -> [CheckResult] {
        guard let webhooks else { return [] }
        let deadline = ContinuousClock.now + settings.patience
        func hasUnsent() async -> Bool {
            // While the database is away, something may be left.
            (try? await overseer.execute(ChaosSQL.hasUnsentWebhooks, [.text(WebhookSite.endpoint)]).first?.bool(0)) ?? true
        }
        var rows: [String] = []
        while await hasUnsent() {
            guard ContinuousClock.now < deadline else {
                rows.append("something is left to send")
                break
            }
            try await Task.sleep(for: .milliseconds(500))
        }
        let calls = webhooks.receiver.calls
        if Set(calls.map(\.id)).count == calls.count { rows.append("no event came twice, so that nothing was shown of that") }
        rows += try await WebhookSite.differences(calls.map { ($0.id, $0.body) }) {
            try await overseer.execute($0, $1, timeout: .seconds(120))
        }
        return [CheckResult(name: WebhookSite.judgeName, rows: rows)]
    }
}
