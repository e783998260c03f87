// SPDX-License-Identifier: Apache-2.0

import Gateway
import Postgres
import TestSupport
import Testing

/// Requests that wait for news.
@Suite struct WaitRouteTests {
    private func upload(_ host: GatewayHost, _ order: String = "a") async throws -> GatewayHost.Reply {
        try await host.call("PUT", "/v1/orders/\(order)", json: GatewayHost.order(#","proof":"eyJ 1""#))
    }

    private func timed(_ body: () async throws -> GatewayHost.Reply) async throws -> (reply: GatewayHost.Reply, Duration) {
        let began = ContinuousClock.now
        return (try await body(), .now - began)
    }

    @Test(.timeLimit(.minutes(2)))
    func aWaitEndsWithTheOrdersNews() async throws {
        try await GatewayHost.with { host in
            _ = try await upload(host)
            async let waiting = timed { try await host.call("GET", "/v1/orders/a?wait=25") }
            try await eventually("it waits") { host.gateway.snapshot().waits == 1 }

            try await host.reject("a")

            let (reply, took) = try await waiting
            #expect(reply.status == 200)
            #expect(reply.json["client_action"] == .string("resend_proof"))
            #expect(reply.headers["preference-applied"] == "wait=25")
            #expect(took < .seconds(15))
            #expect(host.gateway.snapshot().waits == 0)
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func aWaitEndsByItself() async throws {
        try await GatewayHost.with { host in
            _ = try await upload(host)

            let (reply, took) = try await timed { try await host.call("GET", "/v1/orders/a", headers: ["prefer": "wait=1"]) }
            let same = try await host.call("GET", "/v1/orders/a", headers: ["if-none-match": reply.headers["etag"] ?? ""])
            let sameWaited = try await host.call(
                "GET", "/v1/orders/a?wait=1", headers: ["if-none-match": reply.headers["etag"] ?? ""])

            #expect(reply.status == 200)
            #expect(reply.json["client_action"] == .string("wait"))
            #expect(took >= .milliseconds(900))
            #expect(took < .seconds(10))
            #expect(same.status == 304)
            #expect(sameWaited.status == 304)
            #expect(same.headers["etag"] == reply.headers["etag"])
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func whoHasAnotherAnswerDoesNotWait() async throws {
        try await GatewayHost.with { host in
            _ = try await upload(host)

            let (other, took) = try await timed {
                try await host.call("GET", "/v1/orders/a?wait=30", headers: ["if-none-match": "\"other\""])
            }
            try await host.reject("a")
            let (over, tookOver) = try await timed { try await host.call("GET", "/v1/orders/a?wait=30") }

            #expect(other.status == 200)
            #expect(over.status == 200)
            #expect(took < .seconds(10))
            #expect(tookOver < .seconds(10))
        }
    }

    /// Two of another account's, and one of nobody's, are answered at once.
    @Test(.timeLimit(.minutes(2)))
    func nobodyWaitsForWhatIsNotHis() async throws {
        try await GatewayHost.with { host in
            _ = try await upload(host)

            let (reply, took) = try await timed { try await host.call("GET", "/v1/orders/a?wait=30", account: "bob") }

            #expect(reply.problem == "order_unknown")
            #expect(took < .seconds(10))
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func oneWaitTooManyIsRefused() async throws {
        var limits = GatewayLimits()
        limits.waits = 3
        try await GatewayHost.with(limits: limits) { host in
            _ = try await upload(host)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<3 { group.addTask { try await host.call("GET", "/v1/orders/a?wait=20").status } }
                try await eventually("three wait") { host.gateway.snapshot().waits == 3 }

                let refused = try await host.call("GET", "/v1/orders/a?wait=20")
                let polled = try await host.call("GET", "/v1/orders/a")

                #expect(refused.status == 503)
                #expect(refused.problem == "too_many_waits")
                #expect((1...5).contains(Int(refused.headers["retry-after"] ?? "") ?? 0))
                #expect(polled.status == 200)
                try await host.reject("a")
                for try await status in group { #expect(status == 200) }
            }
        }
    }

    /// A hundred who wait hold no connection, and are looked up together.
    @Test(.timeLimit(.minutes(2)))
    func whoWaitsHoldsNoConnection() async throws {
        try await GatewayHost.with { host in
            _ = try await upload(host)
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<100 { group.addTask { try await host.call("GET", "/v1/orders/a?wait=20").status } }
                try await eventually("they wait") { host.gateway.snapshot().waits == 100 }
                try await eventually("no connection is lent") { host.pool.connections.lent == 0 }

                try await host.reject("a")

                for try await status in group { #expect(status == 200) }
            }
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func stoppingAnswersWithWhatIs() async throws {
        try await GatewayHost.with { host in
            _ = try await upload(host)
            async let waiting = timed { try await host.call("GET", "/v1/orders/a?wait=30") }
            try await eventually("it waits") { host.gateway.snapshot().waits == 1 }

            await host.stop()

            let (reply, took) = try await waiting
            #expect(reply.status == 200)
            #expect(reply.json["client_action"] == .string("wait"))
            #expect(took < .seconds(15))
        }
    }

    /// An upload's wait looks by itself.
    @Test(.timeLimit(.minutes(2)))
    func anUploadIsWaitedFor() async throws {
        try await GatewayHost.with { host in
            let job = try #require(try await upload(host).json["job_id"]?.text)

            let (reply, took) = try await timed { try await host.call("GET", "/v1/uploads/\(job)?wait=1") }

            #expect(reply.status == 200)
            #expect(took >= .milliseconds(900))
        }
    }

    // MARK: The feed

    private func start(_ host: GatewayHost, _ from: String = "now") async throws -> String {
        try #require(try await host.call("GET", "/v1/changes/start?from=\(from)", account: nil).json["next"]?.text)
    }

    private func kinds(_ reply: GatewayHost.Reply) -> [String] {
        guard case .array(let changes)? = reply.json["changes"] else { return [] }
        return changes.compactMap { $0["kind"]?.text }
    }

    @Test(.timeLimit(.minutes(2)))
    func aReaderOfTheFeedWaitsForItsNextChange() async throws {
        try await GatewayHost.with { host in
            _ = try await upload(host)
            let cursor = try await start(host)
            async let waiting = timed { try await host.call("GET", "/v1/changes?after=\(cursor)&wait=25", account: nil) }

            try await host.reject("a")

            let (reply, took) = try await waiting
            #expect(kinds(reply) == ["order_rejected"])
            #expect(took < .seconds(15))
            let next = try #require(reply.json["next"]?.text)
            #expect(kinds(try await host.call("GET", "/v1/changes?after=\(next)", account: nil)) == [])
            #expect(kinds(try await host.call("GET", "/v1/changes?after=\(cursor)", account: nil)) == ["order_rejected"])
            // A filter leaves it out, and the cursor moves past it.
            let filtered = try await host.call("GET", "/v1/changes?after=\(cursor)&kinds=order_fulfilled", account: nil)
            #expect(kinds(filtered) == [])
            let past = try #require(filtered.json["next"]?.text)
            #expect(kinds(try await host.call("GET", "/v1/changes?after=\(past)", account: nil)) == [])
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func aKeyReadsTheChangesOfItsAppsAlone() async throws {
        try await GatewayHost.with { host in
            _ = try await upload(host)
            try await host.reject("a")
            let cursor = try await start(host, "oldest")
            let other = try await GatewayHost.addKey(host.database, bundles: ["com.example.other"])

            #expect(kinds(try await host.call("GET", "/v1/changes?after=\(cursor)", account: nil)) == ["order_rejected"])
            #expect(kinds(try await host.call("GET", "/v1/changes?after=\(cursor)", account: nil, key: other)) == [])
            let refused = try await host.call(
                "GET", "/v1/changes?after=\(cursor)&bundle_id=\(GatewayHost.bundle)", account: nil, key: other)
            #expect(refused.problem == "bundle_not_of_key")
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func anUnknownCursorComesWithOneThatBeginsAnew() async throws {
        try await GatewayHost.with { host in
            let cursor = try await start(host)
            let known = try #require(PathID.decodeBase64URL(cursor))
            // As a failover leaves it: the same form, of another server.
            let slash = try #require(known.firstIndex(of: "/"))
            let unknown = PathID.encodeBase64URL(Array(("another" + known[slash...]).utf8))

            let reply = try await host.call("GET", "/v1/changes?after=\(unknown)", account: nil)
            let next = try #require(reply.json["next"]?.text)

            #expect(reply.status == 410)
            #expect(reply.problem == "cursor_unknown")
            #expect(try await host.call("GET", "/v1/changes?after=\(next)", account: nil).status == 200)
            for garbage in ["x", "", "eA", "%00"] {
                let status = try await host.call("GET", "/v1/changes?after=\(garbage)", account: nil).status
                #expect(status == 410 || status == 400)
            }
            #expect(try await host.call("GET", "/v1/changes/start?from=2026-03-01T09:30:00Z", account: nil).status == 200)
            #expect(
                try await host.call("GET", "/v1/changes/start?from=9999-99-99T09:30:00Z", account: nil).problem
                    == "malformed_request")
        }
    }
}
