// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Gateway
import TestSupport
import Testing

/// Apple's address.
@Suite struct NotificationRouteTests {
    private static func text(_ number: Int, bundle: String = GatewayHost.bundle) -> String {
        let claims = """
            {"notificationType":"TEST","notificationUUID":"00000000-0000-4000-8000-\(String(number + 100_000_000_000))",\
            "data":{"environment":"Production","bundleId":"\(bundle)"}}
            """
        return "eyJhbGciOiJFUzI1NiJ9." + PathID.encodeBase64URL(Array(claims.utf8)) + ".c2ln"
    }

    private func post(_ host: GatewayHost, _ text: String, to target: String = "/v1/apple/notifications") async throws
        -> GatewayHost.Reply
    {
        try await host.call(
            "POST", target, json: #"{"signedPayload":"\#(text)"}"#, account: nil, key: .some(nil), at: .apple)
    }

    @Test(.timeLimit(.minutes(2)))
    func aNotificationIsTakenOnce() async throws {
        try await GatewayHost.with { host in
            let stored = try await post(host, Self.text(1))
            let known = try await post(host, Self.text(1), to: "/v1/apple/notifications/puzzle")
            let unknown = try await post(host, Self.text(2, bundle: "com.example.nobody"))

            #expect([stored.status, known.status, unknown.status] == [200, 200, 200])
            #expect(stored.json["outcome"] == .string("stored"))
            #expect(known.json["outcome"] == .string("known"))
            #expect(unknown.json["outcome"] == .string("unknown_app"))
            #expect(try await host.value("select count(*) from counterfoil.jobs where kind = 'notification'") == "1")
        }
    }

    @Test(.timeLimit(.minutes(2)), arguments: ["", "{}", "x", #"{"signedPayload":"a.b.c"}"#, #"{"signedPayload":7}"#, "[]"])
    func whatIsNotInApplesFormIsRefused(body: String) async throws {
        try await GatewayHost.with { host in
            let reply = try await host.call(
                "POST", "/v1/apple/notifications", json: body, account: nil, key: .some(nil), at: .apple)

            #expect(reply.status == 400)
            #expect(reply.problem == "notification_unreadable")
            #expect(try await host.value("select count(*) from counterfoil.notifications") == "0")
            #expect(try await host.value("select sum(refused) from counterfoil.unreadable_notifications") == "1")
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func aLongOneIsRefused() async throws {
        try await GatewayHost.with { host in
            let reply = try await post(host, String(repeating: "x", count: 262_145))

            #expect(reply.status == 413)
            #expect(reply.problem == "notification_has_at_most_256_kib")
        }
    }

    /// What Apple signed is taken beyond the bound of what waits; what our verifier refuses isn't, and is never called wrong.
    @Test(.timeLimit(.minutes(2)))
    func theBoundIsForWhatAppleDidNotSign() async throws {
        let signed = Self.text(7)
        try await GatewayHost.with(signed: [signed]) { host in
            try await host.run(
                """
                insert into counterfoil.notifications (
                    notification_uuid, bundle_id, environment, type, source, payload, payload_hash, is_of_an_app
                )
                select gen_random_uuid(), '\(GatewayHost.bundle)', 'production', 'TEST', 'push', 'x', sha256(i::text::bytea), true
                from generate_series(1, 2000) i
                """)

            let refused = try await post(host, Self.text(8))
            let taken = try await post(host, signed)

            #expect(refused.status == 503)
            #expect(refused.problem == "at_most_2000_unverified_notifications")
            #expect(refused.headers["retry-after"] != nil)
            #expect(taken.status == 200)
            #expect(taken.json["outcome"] == .string("stored"))
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func applesListenerHasNothingElse() async throws {
        try await GatewayHost.with { host in
            for target in ["/v1/orders", "/livez", "/readyz", "/v1/openapi.json", "/v1/changes/start?from=now", "/problems/x"] {
                let reply = try await host.call("GET", target, at: .apple)

                #expect(reply.problem == "route_unknown", "\(target)")
            }
            #expect(try await host.call("GET", "/v1/apple/notifications", at: .apple).status == 405)
        }
    }
}
