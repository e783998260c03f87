// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Schema
import TestSupport
import Testing
import Verification
import VerificationQueue

/// Whose a payment is: a token tells, else the period before it, else who showed it first.
@Suite struct OwnersTests {
    private static let token = UUID()

    private static func period(_ id: String, at seconds: Int64, token: UUID? = nil) -> Payment {
        Payment(
            id: id, original: id == "1" ? nil : "1", webOrderLineItem: "w" + id, product: "plus", kind: "auto_renewable",
            purchasedAt: seconds, token: token)
    }

    /// Ann was granted the first period; orders `b` of Bob and `c` of Ann wait.
    private func subscribe(_ shop: Shop) async throws {
        try await shop.order("a", product: "plus")
        try await shop.order("b", product: "plus", account: "bob")
        try await shop.order("c", product: "plus")
        try #require(try await shop.insertGrant("a", Self.period("1", at: 0)))
    }

    @Test func aLaterPeriodBelongsToTheAccountOfThePeriodBefore() async throws {
        try await Shop.open { shop in
            try await subscribe(shop)

            #expect(try await !shop.insertGrant("b", Self.period("2", at: 10)))
            #expect(try await shop.insertGrant("c", Self.period("2", at: 10)))
        }
    }

    /// A stranger who uploads a stolen renewal first locks nobody out.
    @Test func whoShowedALaterPeriodFirstIsNotItsOwner() async throws {
        try await Shop.open { shop in
            try await subscribe(shop)
            try await shop.insertUnclaimed([("b", Self.period("2", at: 10))], reason: "owner_mismatch")

            let facts = try await shop.readLedger("c", Self.period("2", at: 10))
            #expect(facts == LedgerFacts(orderState: .open, renewedAccount: .ann))
            #expect(try await shop.insertGrant("c", Self.period("2", at: 10)))
        }
    }

    @Test func aTokenTakesALaterPeriodElsewhere() async throws {
        try await Shop.open { shop in
            try await subscribe(shop)
            try await shop.order("d", product: "plus", account: "bob", token: Self.token)

            #expect(try await shop.insertGrant("b", Self.period("2", at: 10, token: Self.token)))
        }
    }

    @Test func anEarlierPeriodTellsNothingOfTheOwner() async throws {
        try await Shop.open { shop in
            try await subscribe(shop)

            #expect(try await shop.insertGrant("b", Self.period("2", at: -10)))
        }
    }

    /// Each period paid after a refund is a payment of its own.
    @Test func aSubscriptionThatWasRefundedAndSubscribedAgainIsGranted() async throws {
        try await Shop.open { shop in
            try await subscribe(shop)
            try await shop.insertRevocation(Self.period("1", at: 0), at: 5)

            #expect(try await !shop.insertGrant("b", Self.period("2", at: 10)))
            #expect(try await shop.insertGrant("c", Self.period("2", at: 10)))
            #expect(try await shop.rows("select state from counterfoil.orders order by order_id") == ["(refunded)", "(open)", "(fulfilled)"])
            #expect(try await shop.faults() == [])
        }
    }

    @Test func aTokenThatOrdersOfTwoAccountsBearSpeaksForNobody() async throws {
        try await Shop.open { shop in
            try await shop.order("a", token: Self.token)
            try await shop.order("b", account: "bob", token: Self.token)
            try await shop.order("c", account: "eve")

            #expect(try await shop.insertGrant("c", Payment(id: "1", token: Self.token)))
        }
    }

    /// Another token than the order's.
    @Test(arguments: [("ann", true), ("bob", false)])
    func aTokenOfAnotherOrderPassesForItsAccountAlone(_ account: String, passes: Bool) async throws {
        try await Shop.open { shop in
            try await shop.order("other", account: account, token: Self.token)
            try await shop.order("a", token: UUID())
            let payment = Payment(id: "1", token: Self.token)

            #expect(try await shop.readLedger("a", payment).isAnotherAccounts == !passes)
            #expect(try await shop.insertGrant("a", payment) == passes)
        }
    }

    @Test func theOwnOrderIsLookedForOnlyWhereItIsAskedFor() async throws {
        try await Shop.open { shop in
            try await shop.order("own", token: Self.token)
            try await shop.run("update counterfoil.orders set created_at = '2020-01-01Z'")
            try await shop.order("a")
            let payment = Payment(id: "1", token: Self.token)

            #expect(try await shop.readLedger("a", payment).ownOrder == nil)
            #expect(try await shop.readLedger("a", payment, isElsewhere: true).ownOrder?.rawValue == "own")
        }
    }

    /// A receipt may lack the token that a signed transaction showed before.
    @Test func aTokenThatIsKnownSpeaksThoughThisProofLacksIt() async throws {
        try await Shop.open { shop in
            try await shop.order("a", token: Self.token)
            try await shop.order("b", account: "bob")
            try await shop.insertUnclaimed([("b", Payment(id: "1", token: Self.token))], reason: "owner_mismatch")

            #expect(try await shop.readLedger("b", Payment(id: "1")).isAnotherAccounts)
            #expect(try await !shop.insertGrant("b", Payment(id: "1")))
            #expect(try await shop.insertGrant("a", Payment(id: "1")))
        }
    }

    @Test func aTokenComesToLightAfterAReceiptThatLackedIt() async throws {
        try await Shop.open { shop in
            try await shop.order("a", token: Self.token)
            try await shop.order("b", account: "bob")
            try await shop.insertUnclaimed([("b", Payment(id: "1"))], reason: "purchase_before_order")
            try await shop.insertUnclaimed([("b", Payment(id: "1", token: Self.token))], reason: "owner_mismatch")

            #expect(try await !shop.insertGrant("b", Payment(id: "1")))
            #expect(try await shop.insertGrant("a", Payment(id: "1")))
        }
    }

    @Test func aTokenSpeaksForTheAccountThatAloneBearsIt() async throws {
        try await Shop.open { shop in
            for order in ["a", "b"] {
                try await shop.order(order, token: Self.token)
            }
            try await shop.order("c", account: "eve")
            try await shop.order("d")
            // Who showed it first doesn't outweigh it.
            try await shop.insertUnclaimed([("c", Payment(id: "1", token: Self.token))])

            #expect(try await shop.readLedger("c", Payment(id: "1", token: Self.token)).isAnotherAccounts)
            #expect(try await shop.insertGrant("d", Payment(id: "1", token: Self.token)))
        }
    }
}
