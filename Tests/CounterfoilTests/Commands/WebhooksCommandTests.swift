// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Glibc
import Logging
import Postgres
import Rehearsal
import TestSupport
import Testing

/// `counterfoil webhooks`, and a worker's process that sends.
@Suite(.timeLimit(.minutes(3))) struct WebhooksCommandTests {
    private static let secrets = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"]

    /// A worker that sends to a receiver on loopback, with the secret of the endpoint `shop`.
    private func working(
        _ reply: @escaping @Sendable (WebhookReceiver.Call) -> WebhookReceiver.Reply = { _ in .init() },
        _ body: @escaping @Sendable (Shop, WebhookReceiver, _ port: Int, Program.Running) async throws -> Void
    ) async throws -> Program.Ended {
        let simulator = try AppStoreSimulator()
        let ended = EventLog<Program.Ended>()
        try await Shop.run { shop in
            let changes = [
                "COUNTERFOIL_CREDENTIALS_DIRECTORY": shop.folder.path,
                "COUNTERFOIL_WEBHOOK_TLS_ROOTS": try shop.folder.write(
                    simulator.tlsCertificateAuthorityPEM.utf8, to: "webhooks.pem"),
                "COUNTERFOIL_WEBHOOK_PRIVATE_NETWORKS": "127.0.0.0/8",
            ]
            _ = try shop.folder.write(Self.secrets[0].utf8, to: "shop.webhook-secret")
            try await WebhookReceiver.withRunning(tls: simulator.receiverIdentity.serverConfiguration, logger: .test, reply: reply) { receiver, port in
                let end = try await shop.whileWorking(changes) { worker in
                    try await worker.log.line(containing: "worker started")
                    try await body(shop, receiver, port, worker)
                }
                ended.append(end)
            }
        }
        return try #require(ended.all.first)
    }

    private static func cancelAnOrder(_ id: String, _ shop: Shop) async throws {
        try await shop.database.withConnection { admin in
            try await admin.executeScript(
                """
                insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
                values ('\(id)', '\(Shop.bundle)', '\(Shop.product)', 'ann');
                update counterfoil.orders set state = 'rejected', reason = 'wrong_app' where order_id = '\(id)'
                """)
        }
    }

    @Test func aWorkerSendsToAnEndpointThatWasAdded() async throws {
        let ended = try await working { shop, receiver, port, worker in
            #expect(try await shop.succeed(["webhooks", "list"]).contains("there is no endpoint"))
            try await shop.succeed(["webhooks", "add", "shop", "https://127.0.0.1:\(port)/hooks/hunter2"])

            let tested = try await shop.succeed(["webhooks", "test", "shop"])
            try await Self.cancelAnOrder("order-1", shop)
            try await eventually("the change arrives") { receiver.calls.contains { $0.body.contains("order-1") } }

            #expect(tested.contains("the endpoint handled the test"))
            #expect(receiver.calls.first?.body.contains("webhook_test") == true)
            let shown = try await shop.succeed(["webhooks", "show", "shop", "--json"])
            #expect(shown.contains("\"state\":\"on\""))
            #expect(shown.contains("added"))

            // A second secret is read anew.
            _ = try shop.folder.write(Self.secrets.joined(separator: "\n").utf8, to: "shop.webhook-secret")
            worker.send(SIGHUP)
            try await worker.log.line(containing: "credentials read again")
            try await Self.cancelAnOrder("order-2", shop)
            try await eventually("both secrets sign") { receiver.calls.last?.signature.split(separator: " ").count == 2 }
        }

        #expect(ended.status.isSuccess)
        #expect(ended.errors.contains("webhooks may be sent to networks that aren't public"))
        #expect(!ended.errors.contains("hunter2"))
        for secret in Self.secrets { #expect(!ended.errors.contains(secret.dropFirst(6).prefix(8))) }
    }

    @Test func aTestThatFailsSaysWhy() async throws {
        _ = try await working({ _ in .init(503) }) { shop, _, port, _ in
            try await shop.succeed(["webhooks", "add", "shop", "https://127.0.0.1:\(port)"])

            let ended = try await shop.run(["webhooks", "test", "shop"])

            #expect(!ended.status.isSuccess)
            #expect(ended.errors.contains("answered 503"))
            #expect(try await shop.succeed(["webhooks", "show", "shop", "--json"]).contains("\"failed\":0"))
        }
    }

    @Test func operatorsActsAreKept() async throws {
        try await Shop.run { shop in
            try await shop.succeed([
                "webhooks", "add", "shop", "https://shop.example/", "--kinds", "order_fulfilled", "--from", "all",
            ])
            try await shop.succeed(["webhooks", "disable", "shop", "--why", "moves", "--operator", "eve"])
            #expect(try await shop.succeed(["webhooks", "list", "--json"]).contains("\"off_because\":\"operator\""))
            try await shop.succeed(["webhooks", "enable", "shop", "--why", "moved", "--operator", "eve"])
            try await shop.succeed([
                "webhooks", "replay", "shop", "--since", "2026-03-01T09:30:00Z", "--why", "lost", "--operator", "eve",
            ])
            #expect(try await shop.succeed(["webhooks", "resend", "shop", "--why", "mended", "--operator", "eve"]).contains(": 0"))

            let acts = try await shop.database.withConnection { admin in
                try await admin.execute(
                    "select concat_ws(' ', kind, about, who, why) from counterfoil.webhook_acts where who = 'eve' order by at"
                ).map { try $0.string(0) }
            }
            #expect(
                acts == [
                    "disabled eve moves", "enabled eve moved", "replayed 2026-03-01T09:30:00Z eve lost", "resent eve mended",
                ])
        }
    }

    static let mistakes: [(arguments: [String], says: String)] = [
        (["add", "shop", "http://shop.example/"], "https"), (["add", "Shop", "https://shop.example/"], "a-z"),
        (["add", "shop", "https://user:word@shop.example/"], "without a user"),
        (["add", "other", "https://shop.example/", "--rate", "0"], "1 to 1000"),
        (["add", "other", "https://shop.example/", "--kinds", "order_fulfiled"], "order_fulfilled"),
        (["add", "known", "https://shop.example/"], "is there"), (["show", "nobody"], "there is no endpoint nobody"),
        (["test", "nobody"], "there is no endpoint nobody"), (["enable", "nobody", "--why", "x"], "there is no endpoint nobody"),
        (["enable", "known"], "--why"), (["disable", "off", "--why", "x"], "off already"),
        (["enable", "restored", "--why", "x"], "--since"), (["resend", "known", "1_a", "--why", "x"], "no such event"),
        (["skip", "known", "1_a", "--why", "x"], "no such event"), (["replay", "known", "--since", "soon", "--why", "x"], "soon"),
    ]

    @Test func mistakesAreNamedAndChangeNothing() async throws {
        try await Shop.run { shop in
            for name in ["known", "off", "restored"] { try await shop.succeed(["webhooks", "add", name, "https://shop.example/"]) }
            try await shop.database.withConnection { admin in
                try await admin.executeScript(
                    """
                    update counterfoil.webhook_endpoints set off_since = now(), off_because = case name when 'off' then 'operator' else name end
                    where name <> 'known'
                    """)
            }
            for (arguments, says) in Self.mistakes {
                let ended = try await shop.run(["webhooks"] + arguments)

                #expect(!ended.status.isSuccess, "\(arguments)")
                #expect(ended.errors.contains(says), "\(arguments): \(ended.errors)")
            }
            let left = try await shop.database.withConnection { admin in
                try await admin.execute("select count(*) from counterfoil.webhook_acts where kind <> 'added'")[0].int64(0)
            }
            #expect(left == 0)
        }
    }
}
