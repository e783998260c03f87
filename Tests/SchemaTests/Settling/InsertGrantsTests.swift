// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Testing
import Verification
import VerificationQueue

/// What the ledger lets be granted, and that it tells why of everything that it doesn't.
@Suite struct InsertGrantsTests {
    private static let token = UUID()
    private static let period = Payment(
        id: "2", original: "1", webOrderLineItem: "9", product: "plus", kind: "auto_renewable")

    @Test func aPaymentFulfilsAnOpenOrder() async throws {
        try await Shop.open { shop in
            try await shop.order("a")

            #expect(try await shop.insertGrant("a", Payment(id: "1")))

            let order = try await shop.rows(
                "select state, reason, transaction_id, environment, attempts, fulfilled_at = updated_at from counterfoil.orders"
            )
            #expect(order == ["(fulfilled,,1,production,1,t)"])
            #expect(
                try await shop.rows("select order_id, grant_key, account_id, job_id from counterfoil.grants")
                    == ["(a,transaction:1,ann,1)"]
            )
            #expect(try await shop.faults() == [])
        }
    }

    @Test(arguments: ["rejected", "review"])
    func aPaymentFulfilsAnOrderThatWasRefusedBefore(state: String) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.settleOrder("a", state, "owner_mismatch")

            #expect(try await shop.insertGrant("a", Payment(id: "1")))

            #expect(try await shop.value("select state || coalesce(reason, '-') from counterfoil.orders") == "fulfilled-")
        }
    }

    /// Something that stands against granting transaction 2 to order `b` of ann.
    struct Obstacle: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var payment = Payment(id: "2")
        var orderToken: UUID?
        /// Whether an operator may go over it.
        var isDoubtOnly = false
        /// What `read_payments` says.
        let facts: LedgerFacts
        let arrange: @Sendable (Shop) async throws -> Void

        /// A shop with the orders `a` and `b`, and this between them.
        func open(_ body: @Sendable (Shop) async throws -> Void) async throws {
            try await Shop.open { shop in
                try await shop.order("a")
                try await shop.order("b", product: payment.product, token: orderToken)
                try await arrange(shop)
                try await body(shop)
            }
        }
    }

    static let obstacles: [Obstacle] = [
        Obstacle(testDescription: "held by another order", facts: .granted("2", to: "a")) { shop in
            _ = try await shop.insertGrant("a", Payment(id: "2"))
        },
        Obstacle(
            testDescription: "its key is held by another order",
            payment: Payment(id: "2", original: "1", product: "pro", kind: "non_consumable"), facts: .granted("1", to: "a")
        ) { shop in
            _ = try await shop.insertGrant("a", Payment(id: "1", original: "1", product: "pro", kind: "non_consumable"))
        },
        Obstacle(
            testDescription: "its id is held under another key",
            payment: Payment(id: "2", webOrderLineItem: "9", product: "plus", kind: "auto_renewable"),
            facts: .granted("2", to: "a")
        ) { shop in
            _ = try await shop.insertGrant("a", Payment(id: "2", product: "plus", kind: "auto_renewable"))
        },
        Obstacle(
            testDescription: "bought for good, granted as a consumable under its first id",
            payment: Payment(id: "2", original: "1", product: "pro", kind: "non_consumable"), facts: .granted("1", to: "a")
        ) { shop in
            _ = try await shop.insertGrant("a", Payment(id: "1", product: "pro"))
        },
        Obstacle(
            testDescription: "listed as a consumable, restores what was granted as one",
            payment: Payment(id: "2", original: "1"), facts: .granted("1", to: "a")
        ) { shop in
            _ = try await shop.insertGrant("a", Payment(id: "1"))
        },
        Obstacle(
            testDescription: "listed as a consumable, granted for good under a restored id",
            payment: Payment(id: "2", product: "pro"), facts: .granted("3", to: "a")
        ) { shop in
            _ = try await shop.insertGrant("a", Payment(id: "3", original: "2", product: "pro", kind: "non_consumable"))
        },
        Obstacle(
            testDescription: "a period, granted under another id without its web order line item id",
            payment: period, facts: .granted("3", to: "a")
        ) { shop in
            _ = try await shop.insertGrant(
                "a", Payment(id: "3", original: "1", product: "plus", kind: "auto_renewable"))
        },
        Obstacle(
            testDescription: "the first period, granted without its web order line item id",
            payment: period, facts: .granted("1", to: "a")
        ) { shop in
            _ = try await shop.insertGrant("a", Payment(id: "1", product: "plus", kind: "auto_renewable"))
        },
        Obstacle(
            testDescription: "a period, granted under another id as a consumable", payment: period, facts: .granted("3", to: "a")
        ) { shop in
            _ = try await shop.insertGrant(
                "a", Payment(id: "3", original: "1", webOrderLineItem: "9", product: "plus", purchasedAt: 5))
        },
        Obstacle(
            testDescription: "a period, granted as bought for good", payment: period, facts: .granted("3", to: "a")
        ) { shop in
            _ = try await shop.insertGrant(
                "a", Payment(id: "3", original: "1", webOrderLineItem: "9", product: "plus", kind: "non_consumable"))
        },
        Obstacle(
            testDescription: "a first period, listed as a consumable, granted under another id",
            payment: Payment(id: "1", webOrderLineItem: "9", product: "plus"), facts: .granted("3", to: "a")
        ) { shop in
            _ = try await shop.insertGrant(
                "a", Payment(id: "3", original: "1", webOrderLineItem: "9", product: "plus", kind: "auto_renewable"))
        },
        Obstacle(testDescription: "paid already by another payment", facts: .orderPaid) { shop in
            _ = try await shop.insertGrant("b", Payment(id: "1"))
        },
        Obstacle(testDescription: "paid already, though it doesn't say so", facts: .orderPaid) { shop in
            _ = try await shop.insertGrant("b", Payment(id: "1"))
            try await shop.run("update counterfoil.orders set state = 'open' where order_id = 'b'")
        },
        Obstacle(testDescription: "cancelled", facts: LedgerFacts(orderState: .cancelled)) { shop in
            try await shop.run("select * from counterfoil.cancel_order('b', 'gone')")
        },
        Obstacle(testDescription: "refunded order", facts: LedgerFacts(orderState: .refunded)) { shop in
            try await shop.settleOrder("b", "refunded", "refunded", transaction: "1", environment: "production")
        },
        Obstacle(testDescription: "taken back", facts: LedgerFacts(refund: .any, orderState: .open)) { shop in
            try await shop.insertRevocation(Payment(id: "2"), at: 10)
        },
        Obstacle(
            testDescription: "a period of a subscription, taken back under another id",
            payment: Payment(id: "2", original: "1", webOrderLineItem: "9", product: "plus", kind: "auto_renewable"),
            facts: LedgerFacts(refund: .any, orderState: .open)
        ) { shop in
            try await shop.insertRevocation(Payment(id: "3", original: "1", webOrderLineItem: "9"), at: 10)
        },
        Obstacle(
            testDescription: "bought for good, its original taken back later",
            payment: Payment(id: "2", original: "1", product: "pro", kind: "non_consumable"),
            facts: LedgerFacts(refund: .any, orderState: .open)
        ) { shop in
            try await shop.insertRevocation(Payment(id: "1"), at: 10)
        },
        Obstacle(
            testDescription: "bought for good, its original taken back before",
            payment: Payment(id: "2", original: "1", product: "pro", kind: "non_consumable", purchasedAt: 20),
            isDoubtOnly: true, facts: LedgerFacts(isBoughtAgain: true, orderState: .open)
        ) { shop in
            try await shop.insertRevocation(Payment(id: "1"), at: 10)
        },
        Obstacle(
            testDescription: "the token of another account's order", payment: Payment(id: "2", token: token),
            isDoubtOnly: true, facts: LedgerFacts(isAnotherAccounts: true, orderState: .open)
        ) { shop in
            try await shop.order("bob's", account: "bob", token: token)
        },
        Obstacle(
            testDescription: "another token than the order's", payment: Payment(id: "2", token: UUID()), orderToken: token,
            isDoubtOnly: true, facts: LedgerFacts(isAnotherAccounts: true, orderState: .open)
        ) { _ in },
        Obstacle(
            testDescription: "shown by another account", isDoubtOnly: true,
            facts: LedgerFacts(isAnotherAccounts: true, orderState: .open)
        ) { shop in
            try await shop.order("bob's", account: "bob")
            try await shop.insertUnclaimed([("bob's", Payment(id: "2"))])
        },
        Obstacle(
            testDescription: "bought for good, shown by another account under another id",
            payment: Payment(id: "2", original: "1", product: "pro", kind: "non_consumable"),
            isDoubtOnly: true, facts: LedgerFacts(isAnotherAccounts: true, orderState: .open)
        ) { shop in
            try await shop.order("bob's", account: "bob")
            try await shop.insertUnclaimed([("bob's", Payment(id: "1", product: "pro", kind: "non_consumable"))])
        },
    ]

    @Test(arguments: obstacles)
    func whatIsRefusedIsToldByTheLedger(_ obstacle: Obstacle) async throws {
        try await obstacle.open { shop in
            let grants = try await shop.count("counterfoil.grants")

            #expect(try await !shop.insertGrant("b", obstacle.payment))

            #expect(try await shop.readLedger("b", obstacle.payment) == obstacle.facts)
            #expect(try await shop.count("counterfoil.grants") == grants)
        }
    }

    @Test(arguments: obstacles)
    func aPersonGoesOverDoubtsAndOverNothingElse(_ obstacle: Obstacle) async throws {
        try await obstacle.open { shop in
            let granted = try await shop.insertGrants([("b", obstacle.payment)], isOperatorDecision: true)

            #expect(granted == (obstacle.isDoubtOnly ? ["b"] : []))
            #expect(try await shop.count("counterfoil.unclaimed_transactions") == 0)
        }
    }

    /// Something that looks like an obstacle and is none.
    static let allowed: [Obstacle] = [
        Obstacle(testDescription: "nothing", facts: .nothing) { _ in },
        Obstacle(testDescription: "a revocation that was reversed", facts: .nothing) { shop in
            try await shop.insertRevocation(Payment(id: "2"), at: 10)
            try await shop.insertReversal(Payment(id: "2"), at: 20)
        },
        Obstacle(
            testDescription: "a period of a subscription after a refund",
            payment: Payment(
                id: "2", original: "1", webOrderLineItem: "9", product: "plus", kind: "auto_renewable", purchasedAt: 20),
            facts: .nothing
        ) { shop in
            try await shop.insertRevocation(Payment(id: "1"), at: 10)
        },
        Obstacle(
            testDescription: "a period of a subscription before a refund of another",
            payment: Payment(
                id: "2", original: "1", webOrderLineItem: "9", product: "plus", kind: "auto_renewable", purchasedAt: 5),
            facts: .nothing
        ) { shop in
            try await shop.insertRevocation(Payment(id: "1"), at: 10)
        },
        Obstacle(
            testDescription: "a token that only orders of this account bear", payment: Payment(id: "2", token: token),
            facts: .nothing
        ) { shop in
            try await shop.order("ann's", account: "ann", token: token)
        },
        Obstacle(
            testDescription: "shown by another account, with this order's token", payment: Payment(id: "2", token: token),
            orderToken: token, facts: .nothing
        ) { shop in
            try await shop.order("bob's", account: "bob")
            try await shop.insertUnclaimed([("bob's", Payment(id: "2"))])
        },
        Obstacle(testDescription: "unclaimed of the same account", facts: .nothing) { shop in
            try await shop.insertUnclaimed([("a", Payment(id: "2"))])
        },
        Obstacle(
            testDescription: "a period of a subscription whose first one is granted",
            payment: Payment(id: "2", original: "1", webOrderLineItem: "9", product: "plus", kind: "auto_renewable"),
            facts: .nothing
        ) { shop in
            try await shop.order("first", product: "plus")
            _ = try await shop.insertGrant(
                "first", Payment(id: "1", webOrderLineItem: "8", product: "plus", kind: "auto_renewable"))
        },
        Obstacle(
            testDescription: "a period of a subscription, another of which is granted under another key", payment: period,
            facts: .nothing
        ) { shop in
            for (order, id, item) in [("third", "3", nil), ("fourth", "4", "8")] as [(String, String, String?)] {
                try await shop.order(order, product: "plus")
                _ = try await shop.insertGrant(
                    order,
                    Payment(
                        id: id, original: "1", webOrderLineItem: item, product: "plus", kind: "auto_renewable", purchasedAt: 5))
            }
            try await shop.order("fifth", product: "plus")
            _ = try await shop.insertGrant(
                "fifth", Payment(id: "5", original: "1", webOrderLineItem: "7", product: "plus", kind: "non_consumable"))
        },
        Obstacle(
            testDescription: "a period of a subscription of which another account showed the first",
            payment: Payment(id: "2", original: "1", webOrderLineItem: "9", product: "plus", kind: "auto_renewable"),
            facts: .nothing
        ) { shop in
            try await shop.order("bob's", account: "bob")
            try await shop.insertUnclaimed(
                [("bob's", Payment(id: "1", webOrderLineItem: "8", product: "plus", kind: "auto_renewable"))])
        },
        Obstacle(
            testDescription: "bought for good, shown by this account first and by another later",
            payment: Payment(id: "2", original: "1", product: "pro", kind: "non_consumable"), facts: .nothing
        ) { shop in
            try await shop.order("bob's", account: "bob")
            try await shop.insertUnclaimed([("a", Payment(id: "1", product: "pro", kind: "non_consumable"))])
            try await shop.insertUnclaimed(
                [("bob's", Payment(id: "0", original: "1", product: "pro", kind: "non_consumable"))])
        },
        Obstacle(testDescription: "granted in the other environment", facts: .nothing) { shop in
            _ = try await shop.insertGrant("a", Payment(id: "2", environment: "sandbox"))
        },
    ]

    @Test(arguments: allowed)
    func whatTheLedgerHasNothingAgainstIsGranted(_ obstacle: Obstacle) async throws {
        try await obstacle.open { shop async throws in
            #expect(try await shop.readLedger("b", obstacle.payment) == obstacle.facts)
            #expect(try await shop.insertGrant("b", obstacle.payment))

            #expect(try await shop.count("counterfoil.unclaimed_transactions where transaction_id = '2'") == 0)
            #expect(try await shop.faults() == [])
        }
    }

    @Test func oneTransactionUnderTwoKeysInOneBatchIsGrantedOnce() async throws {
        try await Shop.open { shop in
            for order in ["a", "b"] {
                try await shop.order(order, product: "plus")
            }
            var other = Payment(id: "1", product: "plus", kind: "auto_renewable")
            let first = other
            other.webOrderLineItem = "9"

            #expect(try await shop.insertGrants([("a", first), ("b", other)]) == ["a"])

            #expect(try await shop.readLedger("b", other) == .granted("1", to: "a"))
        }
    }

    private func price(_ shop: Shop, of id: String) async throws -> String? {
        try await shop.value("select concat_ws(' ', price_milliunits, currency) from counterfoil.payments where transaction_id = '\(id)'")
    }

    @Test func aPriceIsKeptAsSignedAndIsNoPartOfTheDecision() async throws {
        try await Shop.open { shop in
            for order in ["a", "b", "c"] {
                try await shop.order(order)
            }
            #expect(try await shop.insertGrants([("a", Payment(id: "1", price: 1990)), ("b", Payment(id: "2"))]) == ["a", "b"])
            try await shop.insertUnclaimed([("c", Payment(id: "3", price: 0)), ("c", Payment(id: "4"))])

            #expect(try await price(shop, of: "1") == "1990 USD")
            #expect(try await price(shop, of: "2") == "")
            #expect(try await price(shop, of: "3") == "0 USD")
            #expect(try await price(shop, of: "4") == "")

            // A later proof may name it; one that doesn't, takes nothing away.
            try await shop.insertUnclaimed([("c", Payment(id: "3")), ("c", Payment(id: "4", price: 990))])
            #expect(try await price(shop, of: "3") == "0 USD")
            #expect(try await price(shop, of: "4") == "990 USD")
            #expect(try await shop.insertGrant("c", Payment(id: "3")))
            #expect(try await price(shop, of: "3") == "0 USD")
            #expect(try await shop.faults() == [])
        }
    }

    @Test func aBatchGrantsWhatItCan() async throws {
        try await Shop.open { shop in
            for order in ["a", "b", "c"] {
                try await shop.order(order)
            }
            try #require(try await shop.insertGrant("a", Payment(id: "1")))

            let granted = try await shop.insertGrants([("b", Payment(id: "1")), ("c", Payment(id: "3"))])

            #expect(granted == ["c"])
            #expect(try await shop.value("select state from counterfoil.orders where order_id = 'b'") == "open")
        }
    }

    @Test func anIDThatArrivesForAKnownPaymentBelongsToItsGrant() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try #require(
                try await shop.insertGrant("a", Payment(id: "1", product: "pro", kind: "non_consumable"))
            )

            for _ in 0..<2 {
                try await shop.insertNames([
                    Payment(id: "9", original: "1", product: "pro", kind: "non_consumable"),
                    Payment(id: "10", original: "8", product: "pro", kind: "non_consumable"),
                ])
            }

            #expect(
                try await shop.rows("select transaction_id, paid_order_id from counterfoil.payment_answers where paid_order_id is not null order by 1")
                    == ["(1,a)", "(9,a)"]
            )
        }
    }

    /// Its product is listed as a consumable by now.
    @Test func theFirstIDOfWhatIsBoughtForGoodBelongsToTheGrantOfARestoredOne() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try #require(try await shop.insertGrant("a", Payment(id: "2", original: "1", product: "pro", kind: "non_consumable")))

            try await shop.insertNames([Payment(id: "1", product: "pro")])

            #expect(
                try await shop.rows("select transaction_id, paid_order_id from counterfoil.payment_answers where paid_order_id is not null order by 1")
                    == ["(1,a)", "(2,a)"])
        }
    }

    @Test func anIDOfAPaymentThatWasGrantedAsAConsumableBelongsToItsGrantAndIsNotUnclaimed() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try await shop.insertUnclaimed([("a", Payment(id: "2", original: "1", product: "pro", kind: "non_consumable"))])
            try #require(try await shop.insertGrant("a", Payment(id: "1", product: "pro")))

            try await shop.insertNames([Payment(id: "2", original: "1", product: "pro", kind: "non_consumable")])

            #expect(
                try await shop.rows("select transaction_id, paid_order_id from counterfoil.payment_answers where paid_order_id is not null order by 1")
                    == ["(1,a)", "(2,a)"]
            )
            #expect(try await shop.count("counterfoil.unclaimed_transactions") == 0)
            #expect(try await shop.faults() == [])
        }
    }

    @Test func whatIsUnclaimedOfAPaymentGoesWithItsGrantUnderAnotherID() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try await shop.order("b", product: "pro")
            try await shop.insertUnclaimed(
                [
                    ("a", Payment(id: "1", product: "pro", kind: "non_consumable")),
                    ("a", Payment(id: "9", product: "pro", kind: "non_consumable")),
                ])

            #expect(try await shop.insertGrant("b", Payment(id: "2", original: "1", product: "pro", kind: "non_consumable")))

            #expect(try await shop.rows("select transaction_id from counterfoil.unclaimed_transactions") == ["(9)"])
        }
    }

    /// A receipt knows times to the second, and no line item; the grant has what its own proof says.
    @Test func aGrantHasTheFactsOfTheProofThatPays() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "plus")
            var shown = Payment(id: "1", product: "plus", kind: "auto_renewable", purchasedAt: 5)
            try await shop.insertUnclaimed([("a", shown)])
            shown.webOrderLineItem = "9"
            shown.purchasedAt = 6

            #expect(try await shop.insertGrant("a", shown))

            #expect(
                try await shop.rows(
                    "select grant_key, web_order_line_item_id, extract(second from purchased_at)::int % 10 from counterfoil.grants")
                    == ["(web_order:9,9,6)"])
        }
    }
}
