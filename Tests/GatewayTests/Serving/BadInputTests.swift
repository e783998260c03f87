// SPDX-License-Identifier: Apache-2.0

import Gateway
import NIOCore
import NIOPosix
import Postgres
import TestSupport
import Testing

/// What no client should send, byte by byte.
@Suite struct BadInputTests {
    /// Sends bytes, and returns all that comes back until the other side closes.
    ///
    /// - Parameter pause: between two bytes of `slowly`, which come after the others.
    private func exchange(
        _ host: GatewayHost, _ text: String, slowly: String = "", pause: Duration = .zero, at audience: Route.Audience = .shop
    ) async throws -> String {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: host.port(audience)) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: text))
            return await withThrowingTaskGroup(of: String?.self) { group in
                group.addTask {
                    for byte in slowly.utf8 {
                        try await Task.sleep(for: pause)
                        try await outbound.write(ByteBuffer(bytes: [byte]))
                    }
                    return nil
                }
                group.addTask {
                    var all = ""
                    for try await buffer in inbound { all += String(buffer: buffer) }
                    return all
                }
                // The other side closes, also while the slow part goes on.
                while let result = await group.nextResult() {
                    if case .success(let text?) = result {
                        group.cancelAll()
                        return text
                    }
                }
                return ""
            }
        }
    }

    private func head(_ host: GatewayHost, _ method: String, _ target: String, _ fields: String = "") -> String {
        "\(method) \(target) HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \(host.key)\r\nCounterfoil-Account: ann\r\n\(fields)"
    }

    private var hasty: ConnectionDeadlines {
        var deadlines = ConnectionDeadlines()
        deadlines.header = .milliseconds(500)
        deadlines.bodyInterval = .milliseconds(300)
        deadlines.idle = .milliseconds(700)
        return deadlines
    }

    @Test(.timeLimit(.minutes(2)))
    func aHeaderThatTricklesIsEnded() async throws {
        try await GatewayHost.with(deadlines: hasty) { host in
            let began = ContinuousClock.now
            let answer = try await exchange(
                host, "GET /v1/orders HTTP/1.1\r\n", slowly: String(repeating: "x", count: 500), pause: .milliseconds(20))

            #expect(answer.hasPrefix("HTTP/1.1 408 "))
            #expect(answer.contains("/problems/request_too_slow"))
            #expect(.now - began < .seconds(5))
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func aBodyThatTricklesIsEnded() async throws {
        try await GatewayHost.with(deadlines: hasty) { host in
            let answer = try await exchange(
                host, head(host, "PUT", "/v1/orders/a", "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n"),
                slowly: String(repeating: " ", count: 500), pause: .milliseconds(20))

            #expect(answer.hasPrefix("HTTP/1.1 408 "))
            #expect(answer.contains("/problems/request_too_slow"))
            #expect(try await host.value("select count(*) from counterfoil.orders") == "0")
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func halfABodyIsNone() async throws {
        try await GatewayHost.with(deadlines: hasty) { host in
            let body = GatewayHost.order()
            let answer = try await exchange(
                host,
                head(
                    host, "PUT", "/v1/orders/a", "Content-Type: application/json\r\nContent-Length: \(body.utf8.count + 1)\r\n\r\n")
                    + body)

            #expect(answer.contains("/problems/request_too_slow"))
            #expect(try await host.value("select count(*) from counterfoil.orders") == "0")
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func anIdleConnectionIsEnded() async throws {
        try await GatewayHost.with(deadlines: hasty) { host in
            let answer = try await exchange(host, "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")

            #expect(answer.hasPrefix("HTTP/1.1 200 "))
            #expect(answer.contains("alive"))
        }
    }

    @Test(
        .timeLimit(.minutes(2)),
        arguments: [
            "garbage\r\n\r\n", "GET /livez HTTP/9.9\r\n\r\n", "GET /livez\r\n\r\n",
            "GET /livez HTTP/1.1\r\nHost x\r\n\r\n", "\u{0}\r\n\r\n",
            "PUT /v1/orders/a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
            "PUT /v1/orders/a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef",
            "PUT /v1/orders/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "GET /livez HTTP/1.1\r\nX: " + String(repeating: "x", count: 20_000) + "\r\n\r\n",
            "GET /livez HTTP/1.1\r\n" + String(repeating: "X: y\r\n", count: 70) + "\r\n",
        ])
    func whatIsNoHTTPIsRefusedAndEnded(text: String) async throws {
        try await GatewayHost.with(deadlines: hasty) { host in
            let answer = try await exchange(host, text)

            #expect(answer.hasPrefix("HTTP/1.1 4"), "\(answer.prefix(300))")
            #expect(!answer.contains("HTTP/1.1 2"))
            #expect(try await host.call("GET", "/livez", key: .some(nil)).status == 200)
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func anOlderHTTPIsAnswered() async throws {
        try await GatewayHost.with(deadlines: hasty) { host in
            let answer = try await exchange(host, "GET /livez HTTP/1.0\r\n\r\n")

            #expect(answer.contains(" 200 "))
            #expect(answer.lowercased().contains("content-length: 6"))
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func aProofOfOneByteTooMuchIsRefused() async throws {
        try await GatewayHost.with { host in
            try await host.call("PUT", "/v1/orders/a", json: GatewayHost.order())
            let most = [UInt8](repeating: UInt8(ascii: "x"), count: 4_194_304)
            let type = ["content-type": "text/plain"]

            let taken = try await host.call("POST", "/v1/orders/a/proofs", body: most, headers: type)
            let refused = try await host.call("POST", "/v1/orders/a/proofs", body: most + [UInt8(ascii: "x")], headers: type)
            let empty = try await host.call("POST", "/v1/orders/a/proofs", body: [], headers: type)

            #expect(taken.status == 202)
            #expect(refused.status == 413)
            #expect(refused.problem == "proof_has_1_byte_to_4_mib")
            #expect(empty.problem == "proof_has_1_byte_to_4_mib")
            #expect(try await host.value("select count(*) from counterfoil.jobs") == "1")
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func bodiesInHandAreBounded() async throws {
        var limits = GatewayLimits()
        limits.bodyBytes = 1_000
        try await GatewayHost.with(limits: limits) { host in
            let long = GatewayHost.order(#","proof":"\#(String(repeating: "x", count: 2_000))""#)
            let refused = try await host.call("PUT", "/v1/orders/a", json: long)
            // What was refused is not in hand any more.
            let taken = try await host.call("PUT", "/v1/orders/a", json: GatewayHost.order())

            #expect(refused.problem == "too_many_bytes")
            #expect(refused.status == 503)
            #expect(taken.status == 201)
        }
    }

    @Test(.timeLimit(.minutes(2)), arguments: ["", "text/html", "application/x-www-form-urlencoded", "multipart/form-data"])
    func aWrongMediaTypeIsRefused(type: String) async throws {
        try await GatewayHost.with { host in
            let body = Array(GatewayHost.order().utf8)
            let headers = ["content-type": type]
            for (method, target) in [("PUT", "/v1/orders/a"), ("POST", "/v1/orders/a/proofs"), ("POST", "/v1/orders/a/cancel")] {
                let reply = try await host.call(method, target, body: body, headers: headers)

                #expect(reply.status == 415, "\(target)")
                #expect(reply.problem == "unsupported_media_type")
            }
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func anUnknownRouteOrMethodIsRefused() async throws {
        try await GatewayHost.with { host in
            for target in ["/", "/v1", "/metrics", "/v1/orders/a/b/c", "/v1/apple/notifications", "/problems/nothing", "/v1/me"] {
                #expect(try await host.call("GET", target).problem == "route_unknown", "\(target)")
            }
            for (method, target, allow) in [
                ("DELETE", "/v1/orders/a", "GET, PUT"), ("GET", "/v1/orders/a/proofs", "POST"), ("PATCH", "/v1/orders", "GET"),
                ("OPTIONS", "/v1/orders/a", "GET, PUT"), ("POST", "/livez", "GET"), ("TRACE", "/v1/orders/a", "GET, PUT"),
            ] {
                let reply = try await host.call(method, target)

                #expect(reply.status == 405, "\(method) \(target)")
                #expect(reply.headers["allow"] == allow)
            }
            #expect(try await host.call("GET", "/v1/orders/%zz").problem == "malformed_request")
            #expect(try await host.call("GET", "/v1/orders/a%00b").problem == "malformed_request")
            #expect(try await host.call("GET", "/v1/orders/%25%25").problem == "malformed_request")
            let many = String(repeating: "%25", count: 200)
            for id in ["..", ".", "%2e%2e", "a%2Fb", "%C3%A4%252F%C3%B6", "%ff", "~", "~Lg=", "", many] {
                let problem = try await host.call("GET", "/v1/orders/\(id)").problem
                #expect(problem == "malformed_request" || problem == "route_unknown", "\(id)")
            }
            #expect(try await host.call("GET", "/v1/orders/a?wait=31").problem == "malformed_request")
            #expect(try await host.call("GET", "/v1/orders/a?weit=3").problem == "unknown_member")
        }
    }

    /// Sessions that end are made anew; a statement that was under way is answered.
    @Test(.timeLimit(.minutes(2)))
    func sessionsThatEndAreAnsweredAndMadeAnew() async throws {
        try await GatewayHost.with { host in
            var statuses: Set<Int> = []
            for _ in 0..<10 {
                try await endSessions(host)
                statuses.insert(try await host.call("PUT", "/v1/orders/a", json: GatewayHost.order()).status)
            }

            #expect(statuses.isSubset(of: [200, 201, 503]))
            try await eventually("it answers again") { try await host.call("GET", "/v1/orders/a").status == 200 }
            #expect(try await host.value("select count(*) from counterfoil.orders") == "1")
        }
    }

    private func endSessions(_ host: GatewayHost) async throws {
        try await host.run(
            """
            select pg_terminate_backend(pid) from pg_stat_activity
            where usename = 'counterfoil_gateway' and datname = current_database()
            """)
    }

    /// What the server refuses is answered as one that is away, and nothing of it stays.
    @Test(.timeLimit(.minutes(2)), arguments: ["53100", "53200", "57P03"])
    func aServerInTroubleIsAnswered(state: String) async throws {
        try await GatewayHost.with { host in
            try await host.run(
                """
                create function public.fill_disk() returns trigger language plpgsql as
                $$ begin raise exception 'could not extend file "base/1/2"' using errcode = '\(state)'; end $$;
                create trigger fill_disk before insert on counterfoil.orders for each row execute function public.fill_disk();
                create trigger fill_disk before insert on counterfoil.notifications for each row execute function public.fill_disk()
                """)

            let order = try await host.call("PUT", "/v1/orders/a", json: GatewayHost.order())
            let claims =
                #"{"notificationType":"TEST","notificationUUID":"00000000-0000-4000-8000-000000000001","data":{"environment":"Production","bundleId":"\#(GatewayHost.bundle)"}}"#
            let told = try await host.call(
                "POST", "/v1/apple/notifications",
                json: #"{"signedPayload":"eyJhbGciOiJFUzI1NiJ9.\#(PathID.encodeBase64URL(Array(claims.utf8))).c2ln"}"#,
                account: nil,
                key: .some(nil), at: .apple)

            for reply in [order, told] {
                #expect(reply.status == 503)
                #expect(reply.problem == "database_unavailable")
                #expect(reply.json["detail"] == nil)
                #expect((1...5).contains(Int(reply.headers["retry-after"] ?? "") ?? 0))
            }
            #expect(try await host.value("select count(*) from counterfoil.orders") == "0")
            try await host.run("drop function public.fill_disk() cascade")
            #expect(try await host.call("PUT", "/v1/orders/a", json: GatewayHost.order()).status == 201)
        }
    }

    /// No session can be made: it says so, and goes on by itself.
    @Test(.timeLimit(.minutes(3)))
    func aDatabaseThatIsGoneIsAnsweredAndFoundAgain() async throws {
        try await GatewayHost.with { host in
            try await host.call("PUT", "/v1/orders/a", json: GatewayHost.order())
            let name = try #require(try await host.value("current_database()"))
            try await host.database.withConnection { admin in
                try await admin.executeScript("update pg_database set datallowconn = false where datname = '\(name)'")
                try await admin.executeScript(
                    "select pg_terminate_backend(pid) from pg_stat_activity where datname = '\(name)' and pid <> pg_backend_pid()")

                let reply = try await host.call("GET", "/v1/orders/a")
                let notified = try await host.call(
                    "POST", "/v1/apple/notifications", json: #"{"signedPayload":"e30.e30.x"}"#, account: nil, key: .some(nil),
                    at: .apple)

                #expect(reply.problem == "database_unavailable")
                #expect(notified.problem == "database_unavailable")
                try await eventually("a proxy sends nothing here") {
                    try await host.call("GET", "/readyz", key: .some(nil)).status == 503
                }
                #expect(try await host.call("GET", "/livez", key: .some(nil)).status == 200)
                try await admin.executeScript("update pg_database set datallowconn = true where datname = '\(name)'")
            }
            try await eventually("it answers again") { try await host.call("GET", "/v1/orders/a").status == 200 }
            try await eventually("a proxy sends requests again") {
                try await host.call("GET", "/readyz", key: .some(nil)).status == 200
            }
        }
    }

    /// A standby, or a primary that was fenced.
    @Test(.timeLimit(.minutes(2)))
    func aServerThatOnlyReadsIsAnsweredByName() async throws {
        try await GatewayHost.with { host in
            let name = try #require(try await host.value("current_database()"))
            try await host.run("alter database \"\(name)\" set default_transaction_read_only = on")
            try await endSessions(host)

            try await eventually("it is refused by name") {
                try await host.call("PUT", "/v1/orders/a", json: GatewayHost.order()).problem == "not_primary"
            }
        }
    }

    /// A migration of a later version that this program can't work beside, and one that it lacks.
    @Test(
        .timeLimit(.minutes(2)),
        arguments: [
            (
                "insert into counterfoil.migrations (id, name, checksum, breaking) values (9999, '9999_later', 'x', true)",
                "schema_is_newer"
            ),
            ("update counterfoil.migrations set id = 9998 where id = 16", "database_unavailable"),
        ])
    func aSchemaThatDoesNotFitIsAnswered(change: String, name: String) async throws {
        try await GatewayHost.with { host in
            #expect(try await host.call("GET", "/v1/orders").status == 200)
            try await host.run(
                "insert into counterfoil.migrations (id, name, checksum, breaking) values (9000, '9000_later', 'x', false)")
            try await host.run(change)

            try await eventually("it answers no more") { try await host.call("GET", "/v1/orders").problem == name }

            #expect(
                try await host.call(
                    "POST", "/v1/apple/notifications", json: "{}", account: nil, key: .some(nil), at: .apple
                ).problem == name)
            try await eventually("a proxy sends nothing here") {
                try await host.call("GET", "/readyz", key: .some(nil)).status == 503
            }
            try await host.run(
                "delete from counterfoil.migrations where id = 9999; update counterfoil.migrations set id = 16 where id = 9998")
            try await eventually("it answers again") { try await host.call("GET", "/v1/orders").status == 200 }
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func aLockThatStaysIsAnswered() async throws {
        try await GatewayHost.with { host in
            try await host.database.withConnection { admin in
                try await admin.executeScript("begin; lock table counterfoil.orders in access exclusive mode")

                let reply = try await host.call("PUT", "/v1/orders/a", json: GatewayHost.order())

                #expect(reply.status == 503)
                #expect(reply.problem == "database_unavailable")
                #expect((1...5).contains(Int(reply.headers["retry-after"] ?? "") ?? 0))
                try await admin.executeScript("rollback")
            }
            #expect(try await host.call("PUT", "/v1/orders/a", json: GatewayHost.order()).status == 201)
        }
    }

    /// A thousand connections that never end their header delay nobody.
    @Test(.timeLimit(.minutes(2)))
    func slowHeadersDelayNobody() async throws {
        try await GatewayHost.with { host in
            let port = try host.port()
            var slow: [any Channel] = []
            for _ in 0..<1_000 {
                let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .connect(host: "127.0.0.1", port: port).get()
                try await channel.writeAndFlush(ByteBuffer(string: "GET /v1/orders HTTP/1.1\r\nX:"))
                slow.append(channel)
            }
            var longest = Duration.zero
            for _ in 0..<50 {
                let began = ContinuousClock.now
                #expect(try await host.call("GET", "/v1/orders").status == 200)
                longest = max(longest, .now - began)
            }

            #expect(longest < .seconds(2))
            for channel in slow { try? await channel.close() }
        }
    }
}
