// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Rehearsal
import Synchronization
import TestSupport
import Testing

@testable import Webhooks

/// Workers send to real receivers over HTTPS.
@Suite(.timeLimit(.minutes(3))) struct WebhookSenderTests {
    @Test func eventsArriveSignedAndInTheOrderOfEachOrder() async throws {
        try await WebhookShop.open { shop in
            try await shop.receiving { receiver, port in
                try await shop.add("shop", at: "https://127.0.0.1:\(port)/hooks?x=1")
                let orders = (1...30).map { "order-\($0)" }
                try await shop.buy(orders)
                for order in orders.prefix(10) { try await shop.refund(order) }

                try await shop.sending { try await shop.untilNothingWaits("shop") }

                let calls = receiver.calls
                #expect(calls.count == 40)
                #expect(Set(calls.map(\.id)).count == 40)
                let secrets = try shop.secrets("shop")
                for call in calls {
                    let timestamp = try #require(Int64(call.timestamp))
                    #expect(abs(Double(timestamp) - Date().timeIntervalSince1970) < 120)
                    #expect(call.signature == secrets.signature(id: call.id, timestamp: timestamp, body: call.body))
                    #expect(call.contentType == "application/json")
                    #expect(call.id.hasPrefix((call.member("id") ?? "?") + "_"))
                    #expect(call.body.utf8.count <= 1024)
                    for secret in ["token", "price", "proof", "jws"] { #expect(!call.body.contains(secret)) }
                }
                for order in orders.prefix(10) {
                    #expect(calls.filter { $0.order == order }.map { $0.member("type") } == ["order_fulfilled", "order_refunded"])
                }
            }
        }
    }

    @Test func aPoisonEventHoldsUpItsOrderAlone() async throws {
        let isMended = Mutex(false)
        try await WebhookShop.open { shop in
            try await shop.receiving({ call in
                .init(call.order == "bad" && !isMended.withLock { $0 } ? 500 : 200)
            }) { receiver, port in
                try await shop.add("shop", at: "https://127.0.0.1:\(port)")
                try await shop.buy(["bad", "good-1"])
                try await shop.refund("bad")
                try await shop.buy(["good-2"])

                try await shop.sending {
                    try await shop.waitUntil("(select handled = 2 and waiting = 1 and behind = 1 from counterfoil.webhook_status)")
                    #expect(
                        try await shop.value("select error from counterfoil.webhook_events where next_at < 'infinity'")
                            == "answered 500")
                    isMended.withLock { $0 = true }
                    try await shop.run("update counterfoil.webhook_events set next_at = now() where next_at < 'infinity'")
                    try await shop.untilNothingWaits("shop")
                }

                let handled = receiver.calls.filter { $0.order == "bad" }.suffix(2)
                #expect(handled.map { $0.member("type") } == ["order_fulfilled", "order_refunded"])
                #expect(receiver.calls.filter { $0.order != "bad" }.count == 2)
                // Each try bears the id of the first.
                #expect(
                    Set(receiver.calls.filter { $0.member("type") == "order_fulfilled" && $0.order == "bad" }.map(\.id)).count == 1)
            }
        }
    }

    @Test func slowAndFailingEndpointsHoldUpNoOther() async throws {
        try await WebhookShop.open { shop in
            try await shop.receiving({ call in
                var reply = WebhookReceiver.Reply(call.path == "/fails" ? 500 : 200)
                if call.path == "/slow" { reply.delay = .seconds(30) }
                return reply
            }) { receiver, port in
                for name in ["fails", "slow", "good"] { try await shop.add(name, at: "https://127.0.0.1:\(port)/\(name)") }
                try await shop.buy((1...60).map { "order-\($0)" })

                try await shop.sending { try await shop.untilNothingWaits("good") }

                #expect(Set(receiver.calls.filter { $0.path == "/good" }.map(\.id)).count == 60)
                #expect(try await shop.value("select handled from counterfoil.webhook_status where name = 'good'") == "60")
            }
        }
    }

    /// Twenty failures stop the cursor, and what waits goes on once the receiver takes something again.
    @Test func anEndpointThatFailsAlwaysStopsAndLosesNothing() async throws {
        let isMended = Mutex(false)
        try await WebhookShop.open { shop in
            try await shop.receiving({ _ in .init(isMended.withLock { $0 } ? 200 : 500) }) { receiver, port in
                try await shop.add("shop", at: "https://127.0.0.1:\(port)")
                try await shop.buy((1...40).map { "order-\($0)" })

                try await shop.sending {
                    try await shop.waitUntil("(select failures_in_a_row >= 40 from counterfoil.webhook_status)")
                    #expect(try await shop.state("shop") == "stopped")
                    try await shop.buy((41...80).map { "order-\($0)" })
                    try await shop.run("update counterfoil.webhook_endpoints set read_at = now() - interval '1 hour'")
                    #expect(try await shop.value("select unread from counterfoil.webhook_status") == "40")
                    isMended.withLock { $0 = true }
                    // What waits is due in five minutes; a probe finds the receiver mended.
                    try await shop.run(
                        """
                        update counterfoil.webhook_events set next_at = now() + interval '5 minutes';
                        update counterfoil.webhook_endpoints set probe_at = now()
                        """)
                    try await shop.untilNothingWaits("shop")
                }

                #expect(try await shop.state("shop") == "on")
                #expect(try await shop.value("select handled from counterfoil.webhook_status") == "80")
                #expect(Set(receiver.calls.map(\.order)).count == 80)
            }
        }
    }

    @Test func anAddressThatIsGoneIsOffUntilItIsEnabled() async throws {
        let isMended = Mutex(false)
        try await WebhookShop.open { shop in
            try await shop.receiving({ _ in .init(isMended.withLock { $0 } ? 200 : 410) }) { receiver, port in
                try await shop.add("shop", at: "https://127.0.0.1:\(port)")
                try await shop.buy(["a"])

                try await shop.sending {
                    try await shop.waitUntil("(select state = 'off' from counterfoil.webhook_status)")
                    #expect(try await shop.state("shop") == "off gone")
                    try await shop.buy(["b"])
                    isMended.withLock { $0 = true }
                    try await shop.enable("shop")
                    try await shop.untilNothingWaits("shop")
                }

                #expect(receiver.calls.map(\.order).sorted() == ["a", "a", "b"])
                #expect(Set(receiver.calls.filter { $0.order == "a" }.map(\.id)).count == 1)
            }
        }
    }

    @Test(arguments: [("30", 20.0...31.0), ("7200", 3500.0...3601.0), ("soon", -1e9...1.0)])
    func anAnswerThatAsksForAPauseGetsIt(_ retryAfter: String, _ seconds: ClosedRange<Double>) async throws {
        try await WebhookShop.open { shop in
            try await shop.receiving({ _ in
                var reply = WebhookReceiver.Reply(429)
                reply.headers["Retry-After"] = retryAfter
                return reply
            }) { _, port in
                try await shop.add("shop", at: "https://127.0.0.1:\(port)", rate: 40)
                try await shop.buy(["a"])

                try await shop.sending { try await shop.waitUntil("(select failed = 1 from counterfoil.webhook_status)") }

                let pause = try await shop.value(
                    "select greatest(extract(epoch from paused_until - now()), -1e9) from counterfoil.webhook_endpoints")
                #expect(seconds.contains(try #require(pause.flatMap(Double.init))))
                #expect(try await shop.value("select pace from counterfoil.webhook_endpoints") == "20")
            }
        }
    }

    @Test func aRedirectIsNotFollowed() async throws {
        try await WebhookShop.open { shop in
            try await shop.receiving({ call in
                var reply = WebhookReceiver.Reply(call.path == "/there" ? 200 : 307)
                reply.headers["Location"] = "/there"
                return reply
            }) { receiver, port in
                try await shop.add("shop", at: "https://127.0.0.1:\(port)/here")
                try await shop.buy(["a"])

                try await shop.sending { try await shop.waitUntil("(select failed = 1 from counterfoil.webhook_status)") }

                #expect(receiver.calls.map(\.path) == ["/here"])
                #expect(
                    try await shop.value("select last_error from counterfoil.webhook_status")
                        == "answered 307: redirects aren't followed")
            }
        }
    }

    @Test(arguments: ["127.0.0.1", "localhost"])
    func anAddressThatIsNotPublicIsNotCalled(_ host: String) async throws {
        try await WebhookShop.open { shop in
            try await shop.receiving { receiver, port in
                try await shop.add("shop", at: "https://\(host):\(port)")
                try await shop.buy(["a"])
                var configuration = shop.configuration
                configuration.privateNetworks = []

                try await shop.sending(configuration) {
                    try await shop.waitUntil("(select failed = 1 from counterfoil.webhook_status)")
                }

                #expect(receiver.calls.isEmpty)
                #expect(try await shop.value("select last_error from counterfoil.webhook_status")?.contains("isn't public") == true)
            }
        }
    }

    @Test func aNameIsCalledAtAnAddressThatWasChecked() async throws {
        try await WebhookShop.open { shop in
            try await shop.receiving { receiver, port in
                try await shop.add("shop", at: "https://localhost:\(port)")
                try await shop.buy(["a"])

                try await shop.sending {
                    // Where the name leads to ::1 first, the next call takes the other address.
                    try await eventually("the call arrives") {
                        try await shop.run("update counterfoil.webhook_events set next_at = now() where lease_expires_at is null")
                        return !receiver.calls.isEmpty
                    }
                    try await shop.untilNothingWaits("shop")
                }
            }
        }
    }

    @Test func aCertificateOfAnUnknownAuthorityIsRefused() async throws {
        try await WebhookShop.open { shop in
            try await shop.receiving { receiver, port in
                try await shop.add("shop", at: "https://127.0.0.1:\(port)")
                try await shop.buy(["a"])
                var configuration = shop.configuration
                configuration.additionalTLSRoots = nil

                try await shop.sending(configuration) {
                    try await shop.waitUntil("(select failed = 1 from counterfoil.webhook_status)")
                }

                #expect(receiver.calls.isEmpty)
                #expect(try await shop.value("select last_error from counterfoil.webhook_status")?.hasPrefix("TLS failed") == true)
            }
        }
    }

    @Test func aLongAnswerCountsByItsStatusAndLeavesAShortError() async throws {
        try await WebhookShop.open { shop in
            try await shop.receiving({ call in
                var reply = WebhookReceiver.Reply(call.order == "a" ? 200 : 500)
                reply.body = String(repeating: "line\r\n\u{1b}[31m", count: 100_000)
                return reply
            }) { _, port in
                try await shop.add("shop", at: "https://127.0.0.1:\(port)")
                try await shop.buy(["a", "b"])

                try await shop.sending {
                    try await shop.waitUntil("(select handled = 1 and failed = 1 from counterfoil.webhook_status)")
                }

                let error = try #require(try await shop.value("select last_error from counterfoil.webhook_status"))
                #expect(error.hasPrefix("answered 500: line"))
                #expect(error.count < 330)
                #expect(error.allSatisfy { !$0.isNewline && $0 != "\u{1b}" })
            }
        }
    }

    @Test func anAnswerThatComesSlowlyForEverIsAFailure() async throws {
        try await WebhookShop.open { shop in
            try await shop.receiving({ _ in
                var reply = WebhookReceiver.Reply(200)
                reply.body = "a"
                reply.drip = .seconds(60)
                return reply
            }) { _, port in
                try await shop.add("shop", at: "https://127.0.0.1:\(port)")
                try await shop.buy(["a"])
                var configuration = shop.configuration
                configuration.callTimeout = .seconds(1)

                try await shop.sending(configuration) {
                    try await shop.waitUntil("(select failed = 1 from counterfoil.webhook_status)")
                }

                #expect(try await shop.value("select last_error from counterfoil.webhook_status") == "no whole answer within 1 s")
            }
        }
    }

    /// A call that a stop cuts off is due at once for the next worker, and no try of it counts.
    @Test func aStopHandsBackWhatIsUnderWay() async throws {
        let isMended = Mutex(false)
        try await WebhookShop.open { shop in
            try await shop.receiving({ _ in
                var reply = WebhookReceiver.Reply(200)
                if !isMended.withLock({ $0 }) { reply.delay = .seconds(60) }
                return reply
            }) { receiver, port in
                try await shop.add("shop", at: "https://127.0.0.1:\(port)")
                try await shop.buy(["a"])
                let log = EventLog<WebhookSender.Event>()

                try await shop.sending(log: log) { try await eventually("a call is under way") { !receiver.calls.isEmpty } }

                #expect(
                    log.all.contains {
                        if case .settled(_, _, .released, "waits") = $0 { true } else { false }
                    })
                #expect(
                    try await shop.value(
                        "select count(*) from counterfoil.webhook_events where tries = 0 and lease_expires_at is null")
                        == "1")
                isMended.withLock { $0 = true }
                try await shop.sending { try await shop.untilNothingWaits("shop") }
                #expect(Set(receiver.calls.map(\.id)).count == 1)
            }
        }
    }

    @Test func bothSecretsSignWhileOneIsReplaced() async throws {
        try await WebhookShop.open { shop in
            try await shop.receiving { receiver, port in
                try await shop.add("shop", at: "https://127.0.0.1:\(port)")
                try shop.write([WebhookSecrets.makeLine(), WebhookSecrets.makeLine()], for: "shop")
                try await shop.buy(["a"])

                try await shop.sending { try await shop.untilNothingWaits("shop") }

                #expect(receiver.calls.first?.signature.split(separator: " ").count == 2)
            }
        }
    }

    @Test func anEndpointWithoutASecretIsNotServedAndSaysSo() async throws {
        try await WebhookShop.open { shop in
            try await shop.receiving { receiver, port in
                try await shop.add("shop", at: "https://127.0.0.1:\(port)", hasSecret: false)
                try await shop.run("update counterfoil.webhook_endpoints set read_at = now() - interval '1 hour'")
                try await shop.buy(["a"])

                try await shop.sending {
                    try await shop.waitUntil("(select last_error is not null from counterfoil.webhook_status)")
                    #expect(
                        try await shop.value("select last_error from counterfoil.webhook_status")
                            == "no worker serves it: shop.webhook-secret is missing or can't be read")
                    #expect(receiver.calls.isEmpty)
                    // A file that comes later is found without a restart.
                    try shop.write([WebhookSecrets.makeLine()], for: "shop")
                    try await shop.untilNothingWaits("shop")
                }
            }
        }
    }
}
