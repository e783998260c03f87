// SPDX-License-Identifier: Apache-2.0

import Gateway
import Postgres
import TestSupport
import Testing

/// Who is let in, and to what.
@Suite struct KeyRouteTests {
    @Test(.timeLimit(.minutes(2)))
    func withoutAKeyThatHoldsNobodyIsAnswered() async throws {
        try await GatewayHost.with { host in
            let expired = try await GatewayHost.addKey(host.database, expiresIn: -1)
            let revoked = try await GatewayHost.addKey(host.database)
            try await host.run(
                "update counterfoil.gateway_keys set revoked_at = now(), revoked_by = 'eve' where prefix = '\(revoked.prefix(16))'")
            for (key, name) in [
                (nil, "key_unknown"), (GatewayKey().text, "key_unknown"), ("cf_live_x", "key_unknown"), (expired, "key_expired"),
                (revoked, "key_unknown"),
            ] as [(String?, String)] {
                let reply = try await host.call("PUT", "/v1/orders/a", json: GatewayHost.order(), key: .some(key))

                #expect(reply.status == 401)
                #expect(reply.problem == name)
                #expect(reply.headers["www-authenticate"] == "Bearer")
            }
            #expect(try await host.value("select count(*) from counterfoil.orders") == "0")
        }
    }

    /// Within the five seconds for which a gateway remembers it.
    @Test(.timeLimit(.minutes(2)))
    func aRevokedKeyEnds() async throws {
        try await GatewayHost.with { host in
            #expect(try await host.call("GET", "/v1/orders").status == 200)
            try await host.run("update counterfoil.gateway_keys set revoked_at = now(), revoked_by = 'eve'")

            try await eventually("the key is refused", within: .seconds(20)) {
                try await host.call("GET", "/v1/orders").problem == "key_unknown"
            }
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func aKeyIsForItsScopes() async throws {
        try await GatewayHost.with { host in
            try await host.call("PUT", "/v1/orders/a", json: GatewayHost.order())
            let cursor = try #require(try await host.call("GET", "/v1/changes/start?from=now").json["next"]?.text)
            let calls: [(String, String, String?, String)] = [
                ("PUT", "/v1/orders/a", GatewayHost.order(), "orders"), ("GET", "/v1/orders/a", nil, "read"),
                ("POST", "/v1/orders/a/proofs", #"{"proof":"x"}"#, "orders"),
                ("POST", "/v1/orders/a/cancel", #"{"why":"x"}"#, "orders"),
                ("GET", "/v1/orders", nil, "read"), ("GET", "/v1/uploads/1", nil, "read"),
                ("GET", "/v1/transactions?bundle_id=x&transaction_id=1", nil, "read"),
                ("GET", "/v1/subscriptions?bundle_id=x&original_transaction_id=1", nil, "read"),
                ("GET", "/v1/consumption-requests", nil, "feed"), ("GET", "/v1/subscriptions?bundle_id=x", nil, "read"),
                ("GET", "/v1/changes?after=\(cursor)", nil, "feed"), ("GET", "/v1/changes/start?from=now", nil, "feed"),
            ]
            for scope in KeyScope.allCases {
                let key = try await GatewayHost.addKey(host.database, scopes: [scope.rawValue])
                for (method, target, json, needed) in calls {
                    let reply = try await host.call(method, target, json: json, key: key)

                    #expect((reply.problem == "scope_missing") == (needed != scope.rawValue), "\(scope) \(method) \(target)")
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func aKeyIsForItsApps() async throws {
        try await GatewayHost.with { host in
            try await host.call("PUT", "/v1/orders/a", json: GatewayHost.order(#","proof":"x""#))
            let job = try #require(try await host.value("select id from counterfoil.jobs"))
            let other = try await GatewayHost.addKey(host.database, scopes: ["orders", "read"], bundles: ["com.example.other"])

            let put = try await host.call("PUT", "/v1/orders/b", json: GatewayHost.order(), key: other)
            #expect(put.status == 403)
            #expect(put.problem == "bundle_not_of_key")
            #expect(try await host.call("GET", "/v1/orders/a", key: other).problem == "order_unknown")
            #expect(
                try await host.call("POST", "/v1/orders/a/proofs", json: #"{"proof":"y"}"#, key: other).problem == "order_unknown")
            #expect(
                try await host.call("POST", "/v1/orders/a/cancel", json: #"{"why":"y"}"#, key: other).problem == "order_unknown")
            #expect(try await host.call("GET", "/v1/uploads/\(job)", key: other).problem == "upload_unknown")
            #expect(try await host.call("GET", "/v1/orders", key: other).json["orders"] == .array([]))
            let looked = try await host.call("GET", "/v1/transactions?bundle_id=\(GatewayHost.bundle)&transaction_id=1", key: other)
            #expect(looked.problem == "bundle_not_of_key")
            #expect(try await host.value("select count(*) from counterfoil.orders") == "1")
            #expect(try await host.value("select count(*) from counterfoil.jobs") == "1")
        }
    }

    /// They cost the database less than one look each.
    @Test(.timeLimit(.minutes(2)))
    func aThousandWrongKeysAreRefused() async throws {
        try await GatewayHost.with { host in
            try await host.call("GET", "/v1/orders")
            let began = ContinuousClock.now
            var names: [String: Int] = [:]
            for _ in 0..<1_000 {
                let reply = try await host.call("GET", "/v1/orders", key: GatewayKey().text)
                names[reply.problem ?? "", default: 0] += 1
            }

            #expect(Set(names.keys) == ["key_unknown", "rate_limited"])
            #expect(names["rate_limited", default: 0] > 500)
            // Who has a key is not held up by them, also where the gateway has to look it up again.
            try await eventually("it is looked up again", within: .seconds(20)) {
                #expect(try await host.call("GET", "/v1/orders").status == 200)
                for _ in 0..<20 { try await host.call("GET", "/v1/orders", key: GatewayKey().text) }
                return began + .seconds(6) < .now
            }
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func aKeyThatCallsTooOftenIsSlowedDown() async throws {
        var limits = GatewayLimits()
        limits.callsPerSecond = 1
        limits.callBurst = 3
        try await GatewayHost.with(limits: limits) { host in
            var statuses: [Int] = []
            for _ in 0..<5 { statuses.append(try await host.call("GET", "/v1/orders").status) }
            let other = try await GatewayHost.addKey(host.database)

            #expect(statuses.prefix(3) == [200, 200, 200])
            #expect(statuses.last == 429)
            let refused = try await host.call("GET", "/v1/orders")
            #expect(refused.problem == "rate_limited")
            #expect(refused.headers["retry-after"] == "1")
            #expect(try await host.call("GET", "/v1/orders", key: other).status == 200)
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func aUseIsNotedByTheDay() async throws {
        try await GatewayHost.with { host in
            #expect(try await host.value("select last_used_on from counterfoil.gateway_keys") == nil)
            try await host.call("GET", "/v1/orders")
            #expect(try await host.value("select last_used_on = current_date from counterfoil.gateway_keys") == "true")
        }
    }

    /// On all addresses, so on a network's too.
    @Test(.timeLimit(.minutes(2)))
    func aKeyThatCameInClearIsNoted() async throws {
        try await GatewayHost.with(shop: .network(host: "0.0.0.0", port: 0)) { host in
            let reply = try await host.call("GET", "/v1/orders", headers: ["forwarded": "for=127.0.0.1;proto=https"])

            #expect(reply.status == 403)
            #expect(reply.problem == "tls_required")
            #expect(reply.headers["location"] == nil)
            try await eventually("the key is marked") {
                try await host.value("select exposed_at is not null from counterfoil.gateway_keys") == "true"
            }
            let health = try await host.value("select finding from counterfoil.health where subject = 'keys of the gateway'")
            #expect(health?.contains(host.key.prefix(16)) == true)
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func theAccountIsAHeader() async throws {
        try await GatewayHost.with { host in
            for account in [nil, "", "a b", "~"] as [String?] {
                let reply = try await host.call("GET", "/v1/orders", account: account)

                #expect(reply.status == 400, "\(account ?? "none")")
                #expect(reply.problem == "malformed_request")
            }
        }
    }
}
