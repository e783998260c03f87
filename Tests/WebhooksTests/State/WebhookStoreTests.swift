// SPDX-License-Identifier: Apache-2.0

import EventSources
import Logging
import Postgres
import Rehearsal
import Schema
import TestSupport
import Testing
import VerificationQueue

@testable import Webhooks

/// What the database decides about events: which are due, what a result does to them and to their endpoint.
@Suite struct WebhookStoreTests {
    private static func withStore(_ body: @Sendable (WebhookShop, WebhookStore) async throws -> Void) async throws {
        try await WebhookShop.open { shop in
            let pool = PostgresPool(
                configuration: try PostgresConfiguration(url: shop.url("counterfoil_worker")), size: 2, logger: .test)
            try await endingLast(pool.close) {
                try await shop.add("shop", at: "https://shop.example/")
                // The first second's allowance.
                try await shop.run("update counterfoil.webhook_endpoints set allowance = 1000")
                try await body(shop, WebhookStore(pool: pool))
            }
        }
    }

    private static func take(_ store: WebhookStore, atMost limit: Int = 100, lease: Duration = .seconds(60)) async throws
        -> [WebhookEvent]
    {
        try await store.take(["shop"], atMost: limit, lease: lease).events
    }

    private static func settleAll(_ store: WebhookStore, _ result: WebhookResult) async throws -> Int {
        let events = try await take(store)
        for event in events { _ = try await store.settle(event, result, chance: 0) }
        return events.count
    }

    private static func skip(_ event: String, _ shop: WebhookShop) async throws -> Int {
        try await shop.admin.withTransaction { connection in
            let number = try await connection.execute(SQLFile.lockWebhookEndpoint.statement, [.text("shop")])[0].int32(0)
            return try await connection.execute(SQLFile.skipWebhookEvent.statement, [.int4(number), .text(event)]).count
        }
    }

    private static func resend(_ event: String?, _ shop: WebhookShop) async throws -> Int {
        let number = try await shop.admin.execute(SQLFile.lockWebhookEndpoint.statement, [.text("shop")])[0].int32(0)
        return try await shop.admin.execute(SQLFile.resendWebhookEvents.statement, [.int4(number), .text(event)]).count
    }

    @Test func oneOfEachOrderIsUnderWay() async throws {
        try await Self.withStore { shop, store in
            try await shop.buy(["a", "b"])
            try await shop.refund("a")

            let first = try await Self.take(store)
            let meanwhile = try await Self.take(store)

            #expect(first.map(\.name) == ["shop", "shop"])
            #expect(meanwhile.isEmpty)
            #expect(try await store.settle(first[0], .handled, chance: 0) == "handled")
            #expect(try await Self.take(store).count == 1)
        }
    }

    /// They name neither an order nor a payment: one account's wait for nobody else's.
    @Test func oneOfEachAccountIsUnderWay() async throws {
        try await Self.withStore { shop, store in
            try await shop.buy(["a", "b"])
            #expect(try await Self.settleAll(store, .handled) == 2)
            try await shop.run(
                """
                select counterfoil.move_account('account a', 'ann', 'eve', 'one person');
                select counterfoil.move_account('account b', 'bob', 'eve', 'one person');
                select counterfoil.move_account('ann', 'cat', 'eve', 'one person')
                """)

            let first = try await Self.take(store)

            #expect(
                first.map { WebhookReceiver.Call.member("account_id", of: $0.body) ?? "" }.sorted() == [
                    "account a", "account b", "ann", "bob", "cat",
                ])
            #expect(try await shop.value("select key from counterfoil.webhook_events where next_at = 'infinity'") == "account ann")
            // What the shop must know to obey.
            let moved = try #require(first.first { $0.body.contains("\"account_id\" : \"account a\"") })
            #expect(moved.body.contains(#""from_account": "account a""#) && moved.body.contains(#""to_account": "ann""#))
        }
    }

    @Test func aLeaseThatRanOutIsClaimedAgainAndTheStaleTokenSettlesNothing() async throws {
        try await Self.withStore { shop, store in
            try await shop.buy(["a"])
            let stale = try #require(try await Self.take(store, lease: .milliseconds(1)).first)
            let event = try #require(try await Self.take(store).first)

            #expect(event.id == stale.id)
            #expect(try await store.settle(stale, .handled, chance: 0) == "lost")
            #expect(try await store.settle(stale, .failed("late"), chance: 0) == "lost")
            #expect(try await store.settle(event, .handled, chance: 0) == "handled")
            #expect(try await store.settle(event, .handled, chance: 0) == "lost")
            #expect(try await shop.value("select handled from counterfoil.webhook_status") == "1")
        }
    }

    @Test func paceAndCallsAtOnceBoundAClaim() async throws {
        try await Self.withStore { shop, store in
            try await shop.buy((1...30).map { "order-\($0)" })
            try await shop.run("update counterfoil.webhook_endpoints set in_flight = 3")
            #expect(try await Self.take(store, atMost: 2).count == 2)
            #expect(try await Self.take(store).count == 1)
            #expect(try await Self.take(store).isEmpty)

            // A second's allowance, which grows with the pace.
            try await shop.run(
                """
                update counterfoil.webhook_endpoints set in_flight = 100, pace = 0.1, allowance = 0, allowance_at = clock_timestamp();
                """)
            #expect(try await Self.take(store).isEmpty)
            try await shop.run(
                "update counterfoil.webhook_endpoints set pace = 5, allowance_at = clock_timestamp() - interval '1 hour'")
            #expect(try await Self.take(store).count == 5)
        }
    }

    @Test func aPauseHoldsEverythingButATest() async throws {
        try await Self.withStore { shop, store in
            try await shop.buy(["a"])
            try await shop.run("update counterfoil.webhook_endpoints set paused_until = now() + interval '1 hour'")
            #expect(try await Self.take(store).isEmpty)

            _ = try await shop.admin.execute(SQLFile.insertWebhookTest.statement, [.text("shop"), .text("test_1")])
            #expect(try await Self.take(store).map(\.id) == ["test_1"])
        }
    }

    @Test func aTestIsSentToAnEndpointThatIsOffAndItsFailureCountsForNothing() async throws {
        try await Self.withStore { shop, store in
            try await shop.run("update counterfoil.webhook_endpoints set off_since = now(), off_because = 'operator'")
            _ = try await shop.admin.execute(SQLFile.insertWebhookTest.statement, [.text("shop"), .text("test_1")])
            #expect(try await store.names().map(\.name) == ["shop"])

            let test = try #require(try await Self.take(store).first)
            #expect(try await store.settle(test, .failed("no"), chance: 0) == "given_up")

            let row = try await shop.admin.execute(SQLFile.readWebhookTest.statement, [.text("test_1")])[0]
            #expect(try row.bool(0))
            #expect(try row.optionalString(1) == "no")
            #expect(try await Self.take(store).isEmpty)
            #expect(try await store.names().isEmpty)
            #expect(try await shop.value("select failed + waiting + given_up from counterfoil.webhook_status") == "0")
        }
    }

    @Test func aThousandEventsStopTheCursor() async throws {
        try await Self.withStore { shop, store in
            try await shop.run("update counterfoil.webhook_endpoints set paused_until = 'infinity'")
            try await shop.run("select shop_test.buy('order-' || n) from generate_series(1, 1100) n")

            for _ in 1...4 { _ = try await Self.take(store) }

            #expect(try await shop.value("select count(*) from counterfoil.webhook_events") == "1000")
            #expect(try await shop.state("shop") == "stopped")
        }
    }

    @Test func anEventIsGivenUpAfterTenTriesAndHoldsUpItsOrderUntilItIsSentOrSkipped() async throws {
        try await Self.withStore { shop, store in
            try await shop.buy(["a"])
            try await shop.refund("a")
            for _ in 1...10 {
                #expect(try await Self.settleAll(store, .failed("poison")) == 1)
                try await shop.run("update counterfoil.webhook_events set next_at = now() where next_at < 'infinity'")
            }
            #expect(try await shop.value("select given_up || ' ' || behind from counterfoil.webhook_status") == "1 1")
            #expect(try await Self.take(store).isEmpty)

            #expect(try await Self.resend("no such", shop) == 0)
            #expect(try await Self.resend(nil, shop) == 1)
            let again = try #require(try await Self.take(store).first)
            #expect(again.tries == 0)
            #expect(try await store.settle(again, .failed("poison"), chance: 0) == "waits")

            #expect(try await Self.skip(again.id, shop) == 1)
            let next = try #require(try await Self.take(store).first)
            #expect(next.body.contains("order_refunded"))
        }
    }

    /// Nothing is given up by an endpoint that takes nothing: it would have to be sent again by hand.
    @Test func whileAllCallsFailNothingIsGivenUp() async throws {
        try await Self.withStore { shop, store in
            try await shop.buy(["a"])
            _ = try await Self.take(store)
            try await shop.run(
                "update counterfoil.webhook_events set tries = 20, lease_expires_at = null; update counterfoil.webhook_endpoints set failures = 19"
            )
            #expect(try await Self.settleAll(store, .failed("down")) == 1)

            #expect(try await shop.value("select waiting || ' ' || given_up from counterfoil.webhook_status") == "1 0")
            #expect(
                try await shop.value("select next_at > now() + interval '23 hours' from counterfoil.webhook_events") == "true")
        }
    }

    @Test func aProbeComesOnceAMinuteAndCountsNoTry() async throws {
        try await Self.withStore { shop, store in
            try await shop.buy(["a", "b"])
            _ = try await Self.take(store)
            try await shop.run(
                """
                update counterfoil.webhook_events set lease_expires_at = null, next_at = now() + interval '1 hour', tries = 3;
                update counterfoil.webhook_endpoints set failures = 20
                """)
            #expect(try await Self.settleAll(store, .failed("down")) == 1)
            #expect(try await Self.take(store).isEmpty)
            #expect(try await shop.value("select string_agg(tries::text, ' ') from counterfoil.webhook_events") == "3 3")

            try await shop.run("update counterfoil.webhook_endpoints set probe_at = now()")
            #expect(try await Self.settleAll(store, .handled) == 1)
            #expect(try await Self.take(store).count == 1)
        }
    }

    @Test func nothingHandledFor120HoursSwitchesOffAndEnableLosesNothing() async throws {
        try await Self.withStore { shop, store in
            try await shop.buy(["a"])
            _ = try await Self.take(store)
            try await shop.run(
                """
                update counterfoil.webhook_events set lease_expires_at = null;
                update counterfoil.webhook_endpoints set failures = 30, failing_since = now() - interval '119 hours'
                """)
            #expect(try await Self.settleAll(store, .failed("down")) == 1)
            #expect(try await shop.state("shop") == "stopped")
            try await shop.run(
                """
                update counterfoil.webhook_events set next_at = now();
                update counterfoil.webhook_endpoints set failing_since = now() - interval '121 hours'
                """)
            let event = try #require(try await Self.take(store).first)
            #expect(try await store.settle(event, .failed("down"), chance: 0) == "off")

            #expect(try await shop.state("shop") == "off failing")
            #expect(try await shop.value("select level from counterfoil.health where subject = 'webhook shop'") == "critical")
            #expect(try await shop.admin.execute(SQLFile.checks.first { $0.name == "webhooks_lost" }!.statement).count == 1)
            let measured = try await store.measure()
            #expect(measured.endpoints[.lost] == 1)
            try await shop.buy(["b"])
            #expect(try await Self.take(store).isEmpty)

            try await shop.enable("shop")
            try await shop.run("update counterfoil.webhook_endpoints set allowance = 10")
            #expect(try await Self.settleAll(store, .handled) == 2)
            #expect(try await shop.value("select level from counterfoil.health where subject = 'webhook shop'") == "ok")
        }
    }

    /// One event that fails for days, and nobody else's: the endpoint isn't lost.
    @Test func fewFailuresSwitchNothingOff() async throws {
        try await Self.withStore { shop, store in
            try await shop.buy(["a"])
            try await shop.run(
                "update counterfoil.webhook_endpoints set failures = 10, failing_since = now() - interval '200 hours'")
            #expect(try await Self.settleAll(store, .failed("down")) == 1)

            #expect(try await shop.state("shop") == "on")
        }
    }

    @Test func aReplayTellsAllAgainUnderTheSameIDs() async throws {
        try await Self.withStore { shop, store in
            try await shop.buy(["a", "b"])
            let first = try await Self.take(store)
            for event in first { _ = try await store.settle(event, .handled, chance: 0) }
            let number = first[0].endpoint

            _ = try await shop.admin.execute(
                SQLFile.replayWebhookChanges.statement, [.int4(number), .text("-infinity")])
            let again = try await Self.take(store)

            #expect(again.map(\.id) == first.map(\.id))
            #expect(again.map(\.body) == first.map(\.body))
        }
    }

    @Test func aReplayDoublesNothingThatWaits() async throws {
        try await Self.withStore { shop, store in
            try await shop.buy(["a", "b"])
            let events = try await Self.take(store)
            _ = try await store.settle(events[0], .failed("no"), chance: 0)
            _ = try await shop.admin.execute(
                SQLFile.replayWebhookChanges.statement, [.int4(events[0].endpoint), .text("-infinity")])

            #expect(try await Self.take(store).isEmpty)

            #expect(try await shop.value("select count(*) from counterfoil.webhook_events") == "2")
        }
    }

    /// As after a failover: the cursor is of another timeline.
    @Test func aCursorThatIsUnknownBeginsAnewByItself() async throws {
        try await Self.withStore { shop, store in
            try await shop.buy(["a"])
            let told = try await Self.take(store)
            for event in told { _ = try await store.settle(event, .handled, chance: 0) }
            try await shop.buy(["b"])
            try await shop.run(
                "update counterfoil.webhook_endpoints set cursor = regexp_replace(cursor, '[.][0-9A-F]{8}/', '.00000009/')")

            let (events, anew) = try await store.take(["shop"], atMost: 100, lease: .seconds(60))

            #expect(anew == ["shop"])
            #expect(Set(events.map(\.id)).isSuperset(of: told.map(\.id)))
            #expect(events.count == 2)
            #expect(try await shop.value("select began_anew_at is not null from counterfoil.webhook_status") == "true")
        }
    }

    @Test func aRestoreSwitchesAllEndpointsOff() async throws {
        try await Self.withStore { shop, store in
            try await shop.buy(["a"])
            try await shop.run("update counterfoil.feed set server = '1.2.3'; select counterfoil.adopt_changes()")

            #expect(try await Self.take(store).isEmpty)
            #expect(try await shop.state("shop") == "off restored")
            #expect(try await shop.value("select level from counterfoil.health where subject = 'webhook shop'") == "critical")

            try await shop.enable("shop", since: "-infinity")
            #expect(try await Self.take(store).count == 1)
        }
    }

    @Test func onlyWhatWasAskedForIsSentAndTheCursorPassesTheRest() async throws {
        try await Self.withStore { shop, store in
            try await shop.add("refunds", at: "https://shop.example/", kinds: ["order_refunded"])
            try await shop.add("others", at: "https://shop.example/", bundles: ["com.example.other"])
            try await shop.buy(["a", "b"])
            try await shop.refund("b")

            let events = try await store.take(["refunds", "others"], atMost: 100, lease: .seconds(60)).events

            #expect(events.map(\.name) == ["refunds"])
            #expect(events.allSatisfy { $0.body.contains("order_refunded") })
            #expect(
                try await shop.value(
                    "select sum(counterfoil.unread_changes(cursor, null, null)) from counterfoil.webhook_endpoints where name <> 'shop'"
                )
                    == "0")
        }
    }

    @Test func nobodyButAWorkerTakesAndSettles() async throws {
        try await WebhookShop.open { shop in
            for role in ["counterfoil_backend", "counterfoil_reader", "counterfoil_gateway"] {
                let refusal = await #expect(throws: PostgresError.self) {
                    try await PostgresConnection.withConnection(to: shop.url(role)) { connection in
                        _ = try await connection.execute("select counterfoil.take_webhooks('{}', 1, 1)")
                    }
                }
                #expect(refusal?.sqlState == .insufficientPrivilege, "\(role)")
            }
        }
    }
}
