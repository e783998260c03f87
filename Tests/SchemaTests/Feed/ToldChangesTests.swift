// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import TestSupport
import Testing

/// What the feed is told, and what it isn't.
@Suite struct ToldChangesTests {
    private static let facts = "kind, order_id, order_version, reason, refunded_share"

    @Test func aGrantIsToldWithWhatWasPaid() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            var reader = try await ChangeReader(shop.backend)

            try #require(try await shop.insertGrant("a", Payment(id: "1", quantity: 3)))

            #expect(
                try await reader.read(
                    "kind, order_id, order_version, account_id, bundle_id, product_id, quantity, environment, transaction_id, reason"
                ) == ["(order_fulfilled,a,1,ann,\(Shop.bundle),coins,3,production,1,)"])
            #expect(try await reader.read() == [])
        }
    }

    @Test func aChangeNamesItsPaymentsOwnFacts() async throws {
        try await Shop.open { shop in
            for order in ["a", "b"] { try await shop.order(order) }
            var reader = try await ChangeReader(shop.backend)
            let token = UUID()

            try #require(try await shop.insertGrant("a", Payment(id: "2", original: "1", token: token)))
            try await shop.settleOrder("b", "rejected", "wrong_app")
            try await shop.insertUnclaimed([("a", Payment(id: "3", kind: "non_renewing"))])

            let time = "2023-11-14 22:13:20"
            #expect(
                try await reader.read(
                    """
                    kind, original_transaction_id, product_kind, purchased_at at time zone 'utc', expires_at, \
                    upper(app_account_token::text)
                    """
                ) == [
                    "(order_fulfilled,1,consumable,\"\(time)\",,\(token.uuidString))", "(order_rejected,,,,,)",
                    "(payment_unclaimed,3,non_renewing,\"\(time)\",,)",
                ])
        }
    }

    @Test func everyMoveOfAnOrderIsToldOnce() async throws {
        try await Shop.open { shop in
            for order in ["a", "b", "c"] { try await shop.order(order) }
            var reader = try await ChangeReader(shop.backend)

            try await shop.settleOrder("a", "rejected", "wrong_app")
            try await shop.settleOrder("a", "rejected", "wrong_app")
            try await shop.settleOrder("a", "rejected", "bad_signature")
            try await shop.settleOrder("b", nil)
            try await shop.settleOrder("b", "review", "quantity_short", transaction: "7", environment: "sandbox")
            for _ in 1...2 { _ = try await shop.rows("select state from counterfoil.cancel_order('c', 'gone')", as: shop.backend) }

            #expect(
                try await reader.read(Self.facts) == [
                    "(order_rejected,a,1,wrong_app,)", "(order_rejected,a,2,bad_signature,)",
                    "(order_in_review,b,1,quantity_short,)",
                    "(order_cancelled,c,1,order_cancelled,)",
                ])
        }
    }

    /// An import is known by a row that only the owner writes.
    @Test func noSettingOfASessionSilencesTheFeed() async throws {
        try await Shop.open { shop in
            for order in ["a", "b", "c"] { try await shop.order(order) }
            var reader = try await ChangeReader(shop.backend)
            for session in [shop.backend, shop.worker, shop.admin] {
                _ = try await session.execute("select set_config('counterfoil.importing', 'on', false)")
            }
            let refusal = try await Refusal.of {
                _ = try await shop.backend.execute("select set_config('session_replication_role', 'replica', false)")
            }

            try #require(try await shop.insertGrant("a", Payment(id: "1")))
            try await shop.settleOrder("b", "rejected", "wrong_app")
            _ = try await shop.rows("select state from counterfoil.cancel_order('c', 'gone')", as: shop.backend)
            try await shop.insertRevocation(Payment(id: "1"), at: 10, share: 30_000)

            #expect(refusal == Refusal("42501"))
            #expect(
                try await reader.read("kind, order_id") == [
                    "(order_fulfilled,a)", "(order_rejected,b)", "(order_cancelled,c)", "(order_partly_refunded,a)",
                ])
        }
    }

    @Test func aRefundIsToldByWhatStands() async throws {
        try await Shop.open { shop in
            let payment = Payment(id: "1")
            try await shop.order("a")
            try #require(try await shop.insertGrant("a", payment))
            var reader = try await ChangeReader(shop.backend)

            try await shop.insertRevocation(payment, at: 10, share: 30_000)
            try await shop.insertRevocation(payment, at: 20)
            try await shop.insertRevocation(payment, at: 30, share: 50_000)
            try await shop.insertReversal(payment, at: 40)
            try await shop.settlePayments(payment)

            #expect(
                try await reader.read(Self.facts + ", transaction_id") == [
                    "(order_partly_refunded,a,2,,30,1)", "(order_refunded,a,3,refunded,100,1)",
                    "(order_partly_refunded,a,4,,50,1)", "(refund_reversed,a,5,,,1)",
                ])
            #expect(try await shop.value("select version from counterfoil.orders") == "5")
        }
    }

    /// A restore of a purchase names the same payment: what is refunded under its id is refunded of the grant.
    @Test func aPartThatIsRefundedUnderAnotherNameIsTold() async throws {
        try await Shop.open { shop in
            let bought = Payment(id: "5", kind: "non_consumable")
            let restored = Payment(id: "6", original: "5", kind: "non_consumable", purchasedAt: 5)
            try await shop.order("a")
            try #require(try await shop.insertGrant("a", bought))
            var reader = try await ChangeReader(shop.backend)

            try await shop.insertRevocation(restored, at: 10, share: 30_000)
            try await shop.insertReversal(restored, at: 20)

            #expect(
                try await reader.read(Self.facts + ", transaction_id") == [
                    "(order_partly_refunded,a,2,,30,5)", "(refund_reversed,a,3,,,5)",
                ])
        }
    }

    @Test func aPaymentThatNothingWasGrantedForIsToldOnce() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            var reader = try await ChangeReader(shop.backend)

            for _ in 1...2 { try await shop.insertUnclaimed([("a", Payment(id: "1", quantity: 2))]) }
            try await shop.insertUnclaimed([("a", Payment(id: "2"))], reason: "before_ledger")
            try await shop.insertUnclaimed([("a", Payment(id: "3"))], reason: "renewal")
            try await shop.insertRevocation(Payment(id: "4"), at: 10)

            #expect(
                try await reader.read("kind, order_id, order_version, account_id, product_id, quantity, transaction_id, reason")
                    == [
                        "(payment_unclaimed,a,,ann,coins,2,1,no_order)", "(subscription_renewed,a,,ann,coins,1,3,renewal)",
                    ])
        }
    }

    @Test func anImportIsNotTold() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            var reader = try await ChangeReader(shop.backend)

            try await shop.run(
                """
                select * from counterfoil.import_grants('\(Shop.bundle)', 'production', '[{
                    "order_id": "a", "account_id": "ann", "product_id": "coins", "product_kind": "consumable",
                    "transaction_id": "1", "purchased_at": "2026-01-01T00:00:00Z"
                }]')
                """)

            #expect(try await shop.count("counterfoil.grants") == 1)
            #expect(try await reader.read() == [])
        }
    }

    /// A program of before this feed moves an order without its version.
    @Test func whoDoesNotKnowOfTheFeedTellsItToo() async throws {
        try await Shop.open { shop in
            for order in ["a", "b"] { try await shop.order(order) }
            var reader = try await ChangeReader(shop.backend)

            _ = try await shop.worker.execute(
                "update counterfoil.orders set state = 'rejected', reason = 'wrong_app', updated_at = now()")
            _ = try await shop.worker.execute("update counterfoil.orders set attempts = attempts + 1")

            #expect(
                try await reader.read(Self.facts).sorted() == [
                    "(order_rejected,a,1,wrong_app,)", "(order_rejected,b,1,wrong_app,)",
                ])
            // Only open orders go to review.
            try await shop.settleOrder("a", "rejected", "bad_signature")
            #expect(try await reader.read(Self.facts) == ["(order_rejected,a,2,bad_signature,)"])
        }
    }

    /// A program may forget to tell, and leave the versions: then a trigger does both for each order.
    @Test func manyOrdersThatNobodyToldOfAreTold() async throws {
        try await Shop.open { shop in
            try await shop.fill(jobs: 1, orders: 2000)
            try await shop.worker.executeScript("set statement_timeout = '20s'")

            _ = try await shop.worker.execute("update counterfoil.orders set state = 'rejected', reason = 'x'")

            #expect(try await shop.count("counterfoil.changes where versions = '{1}'") == 2000)
            #expect(try await shop.count("counterfoil.orders where version = 1") == 2000)
        }
    }

    /// The statement that grants tells the feed, and the trigger doesn't tell it again.
    @Test(arguments: [1, 99, 100, 101, 250])
    func grantsAreToldAHundredInARow(count: Int) async throws {
        try await Shop.open { shop in
            for number in 1...count { try await shop.order("o\(number)") }

            _ = try await shop.insertGrants((1...count).map { ("o\($0)", Payment(id: "\($0)")) })

            var reader = try await ChangeReader(shop.backend, from: "-infinity")
            let told = try await reader.read("kind, order_id, order_version", atMost: 10_000)
            #expect(Set(told) == Set((1...count).map { "(order_fulfilled,o\($0),1)" }))
            #expect(told.count == count)
            #expect(try await shop.count("counterfoil.changes") == (count + 99) / 100)
        }
    }

    /// A program that grants, and knows nothing of the feed.
    @Test func aGrantThatNobodyToldIsTold() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            var reader = try await ChangeReader(shop.backend)

            try await shop.run(
                """
                update counterfoil.orders
                set state = 'fulfilled', fulfilled_at = now(), transaction_id = '1', environment = 'production'
                """)

            #expect(try await reader.read("kind, order_version") == ["(order_fulfilled,1)"])
        }
    }
}
