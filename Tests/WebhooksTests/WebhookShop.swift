// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import EventSources
import FoundationEssentials
import Logging
import Postgres
import Rehearsal
import Schema
import ServiceLifecycle
import TestSupport
import VerificationQueue

@testable import Webhooks

/// A shop that is called by webhooks: a ledger, certificates, and a folder of secrets.
struct WebhookShop: Sendable {
    static let bundle = "com.example.game"

    /// Of a role.
    let url: @Sendable (_ user: String) -> String
    /// A superuser.
    let admin: PostgresConnection
    let simulator: AppStoreSimulator
    let folder: URL

    static func open(_ body: @Sendable (WebhookShop) async throws -> Void) async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { admin in
                try await with(admin, { database.url(user: $0) }) { shop in
                    try await shop.run(setUp)
                    try await body(shop)
                }
            }
        }
    }

    static func with(
        _ admin: PostgresConnection, _ url: @escaping @Sendable (String) -> String, _ body: (WebhookShop) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "webhooks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // The administrator's look at health would be compiled for seconds.
        _ = try await admin.execute("set jit = off")
        let shop = WebhookShop(url: url, admin: admin, simulator: try AppStoreSimulator(), folder: folder)
        try Data(shop.simulator.tlsCertificateAuthorityPEM.utf8).write(to: folder.appending(path: "ca.pem"))
        try await endingLast({ try? FileManager.default.removeItem(at: folder) }) { try await body(shop) }
    }

    // MARK: The ledger

    func run(_ script: String) async throws {
        try await admin.executeScript(script)
    }

    func value(_ query: String) async throws -> String? {
        try await admin.execute("select (\(query))::text").first?.optionalString(0)
    }

    func waitUntil(_ condition: String) async throws {
        try await admin.waitUntil(condition, timeout: .seconds(60))
    }

    func buy(_ orders: [String]) async throws {
        try await run(
            "select shop_test.buy(id) from unnest('{\(orders.joined(separator: ","))}'::text[]) with ordinality u (id, n) order by n"
        )
    }

    func refund(_ order: String) async throws {
        try await run("update counterfoil.orders set state = 'refunded', reason = 'refunded' where order_id = '\(order)'")
    }

    /// A change of an order, its second or a later one.
    func move(_ order: String, to reason: String) async throws {
        try await run("update counterfoil.orders set state = 'rejected', reason = '\(reason)' where order_id = '\(order)'")
    }

    // MARK: Endpoints

    func add(
        _ name: String, at url: String, kinds: [String]? = nil, bundles: [String]? = nil, rate: Int32 = 1000, inFlight: Int32 = 8,
        hasSecret: Bool = true
    ) async throws {
        _ = try await admin.execute(
            SQLFile.insertWebhookEndpoint.statement,
            [
                .text(name), .text(url), bundles.map { .textArray($0) } ?? .typedNull(.textArray),
                kinds.map { .textArray($0) } ?? .typedNull(.textArray), .int4(rate), .int4(inFlight), .text("-infinity"),
                .text("me"),
            ])
        if hasSecret { try write([WebhookSecrets.makeLine()], for: name) }
    }

    func write(_ secrets: [String], for name: String) throws {
        try Data(secrets.joined(separator: "\n").utf8).write(to: folder.appending(path: WebhookSecretFiles.fileName(of: name)))
    }

    func secrets(_ name: String) throws -> WebhookSecrets { try WebhookSecretFiles(directory: folder.path)[name] }

    /// The state of one endpoint, from the view.
    func state(_ name: String) async throws -> String? {
        try await value("select concat_ws(' ', state, off_because) from counterfoil.webhook_status where name = '\(name)'")
    }

    func enable(_ name: String, since: String? = nil) async throws {
        let number = try await admin.execute(SQLFile.lockWebhookEndpoint.statement, [.text(name)])[0].int32(0)
        _ = try await admin.execute(SQLFile.enableWebhookEndpoint.statement, [.int4(number), .text(since)])
    }

    func untilNothingWaits(_ name: String) async throws {
        try await waitUntil(
            """
            (select s.waiting + s.behind = 0 and counterfoil.unread_changes(e.cursor, e.bundle_ids, e.kinds) = 0
             from counterfoil.webhook_status s join counterfoil.webhook_endpoints e using (name) where s.name = '\(name)')
            """)
    }

    // MARK: Sending

    var configuration: WebhookConfiguration {
        var configuration = WebhookConfiguration()
        configuration.privateNetworks = [NetworkRange("127.0.0.0/8"), NetworkRange("::1")].compactMap(\.self)
        configuration.additionalTLSRoots = folder.appending(path: "ca.pem").path
        configuration.pollInterval = .milliseconds(20)
        configuration.namesInterval = .milliseconds(100)
        configuration.drainDuration = .milliseconds(200)
        return configuration
    }

    /// Runs a sender while `body` runs; then it is stopped as a program stops it.
    func sending(
        _ configuration: WebhookConfiguration? = nil, log: EventLog<WebhookSender.Event> = EventLog(),
        _ body: @escaping @Sendable () async throws -> Void
    ) async throws {
        let pool = PostgresPool(
            configuration: try PostgresConfiguration(url: url("counterfoil_worker")), size: 1, logger: .test)
        let sender = try WebhookSender(
            pool: pool, secrets: WebhookSecretFiles(directory: folder.path), configuration: configuration ?? self.configuration,
            logger: .test, observe: { log.append($0) })
        let group = ServiceGroup(configuration: .init(services: [sender], logger: .test))
        try await endingLast(pool.close) {
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                do {
                    try await body()
                } catch {
                    tasks.cancelAll()
                    throw error
                }
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
            }
        }
    }

    /// Runs a receiver of this shop's, by a certificate for 127.0.0.1 and localhost.
    func receiving(
        _ reply: @escaping @Sendable (WebhookReceiver.Call) -> WebhookReceiver.Reply = { _ in .init() },
        _ body: @Sendable (WebhookReceiver, Int) async throws -> Void
    ) async throws {
        try await WebhookReceiver.withRunning(tls: simulator.receiverIdentity.serverConfiguration, logger: .test, reply: reply, body)
    }

    static let setUp = """
        insert into counterfoil.apps (bundle_id) values ('\(bundle)');
        create schema shop_test;
        -- As a client who uploaded and a worker that granted would leave it.
        create function shop_test.buy(id text) returns void language plpgsql as $$
        begin
            insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
            values (id, '\(bundle)', 'coins', 'account ' || id);
            insert into counterfoil.payments (
                transaction_id, bundle_id, environment, original_transaction_id, product_id, product_kind, quantity, purchased_at,
                account_id, order_number, granted_at
            )
            select
                't-' || id, '\(bundle)', 'production', 't-' || id, 'coins', 'consumable', 1, '2026-03-01', o.account_id,
                o.number, now()
            from counterfoil.orders o where o.order_id = id;
            update counterfoil.orders set state = 'fulfilled', transaction_id = 't-' || id, environment = 'production',
                fulfilled_at = now() where order_id = id;
        end $$;
        """
}

extension WebhookReceiver.Call {
    /// A member of the body's data, or its type.
    func member(_ name: String) -> String? { Self.member(name, of: body) }

    static func member(_ name: String, of body: String) -> String? {
        struct Body: Decodable {
            struct Content: Decodable {
                let id: String
                let order_id: String?
                let order_version: Int?
                let account_id: String?
            }
            let type: String
            let data: Content
        }
        guard let body = try? JSONDecoder().decode(Body.self, from: Data(body.utf8)) else { return nil }
        switch name {
        case "type": return body.type
        case "id": return body.data.id
        case "order_id": return body.data.order_id
        case "account_id": return body.data.account_id
        case "order_version": return body.data.order_version.map(String.init)
        default: return nil
        }
    }

    var order: String { member("order_id") ?? "" }
}

extension WebhookSecrets {
    /// A new secret, as a line of a file.
    static func makeLine() -> String {
        "whsec_" + Data((0..<32).map { _ in UInt8.random(in: 0...255) }).base64EncodedString()
    }
}
