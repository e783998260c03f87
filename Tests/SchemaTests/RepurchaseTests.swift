// SPDX-License-Identifier: Apache-2.0

import Testing

/// What is refunded and bought again for good repeats its original transaction, and is a payment of its own; whatever becomes
/// of the refund.
@Suite struct RepurchaseTests {
    private static let first = Payment(id: "1", product: "pro", kind: "non_consumable")
    private static let again = Payment(id: "2", original: "1", product: "pro", kind: "non_consumable", purchasedAt: 20)

    private func unclaimed(_ shop: Shop) async throws -> [String] {
        try await shop.rows("select transaction_id from counterfoil.unclaimed_transactions order by 1")
    }

    /// Orders `a`, of the first purchase, and `b`; the first is refunded, bought again, and the refund reversed.
    private func reverse(_ shop: Shop, isGranted: Bool) async throws {
        try await shop.order("a", product: "pro")
        try await shop.order("b", product: "pro")
        if isGranted {
            try #require(try await shop.insertGrant("a", Self.first))
        } else {
            try await shop.insertUnclaimed([("a", Self.first)], reason: "token_missing")
        }
        try await shop.insertRevocation(Self.first, at: 10)
        try await shop.insertUnclaimed([("b", Self.again)], reason: "bought_again_after_revocation")
        try #require(try await unclaimed(shop) == ["(2)"])
        try await shop.insertReversal(Self.first, at: 12)
        try await shop.restoreUnclaimed(Self.first)
    }

    @Test func itIsToldAlsoWhenTheRefundWasReversed() async throws {
        try await Shop.open { shop in
            try await reverse(shop, isGranted: true)

            // Its key is the grant's, and it isn't that grant's payment: "revoked before".
            #expect(try await shop.readLedger("b", Self.again) == "a no yes no no open")
        }
    }

    @Test func itStaysUnclaimedWhenTheFirstPaymentIsGranted() async throws {
        try await Shop.open { shop in
            try await reverse(shop, isGranted: false)
            try #require(try await unclaimed(shop) == ["(1)", "(2)"])

            #expect(try await shop.insertGrants([("a", Self.first)], isDecidedByHand: true) == ["a"])

            #expect(try await unclaimed(shop) == ["(2)"])
        }
    }

    @Test func theFirstStaysUnclaimedWhenWhatWasBoughtAgainIsGranted() async throws {
        try await Shop.open { shop in
            try await reverse(shop, isGranted: false)

            #expect(try await shop.insertGrants([("b", Self.again)], isDecidedByHand: true) == ["b"])

            #expect(try await unclaimed(shop) == ["(1)"])
        }
    }

    @Test func theFirstIsUnclaimedAgainThoughWhatWasBoughtAgainIsGranted() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try await shop.order("b", product: "pro")
            try await shop.insertUnclaimed([("a", Self.first)], reason: "token_missing")
            try await shop.insertRevocation(Self.first, at: 10)
            try #require(try await shop.insertGrants([("b", Self.again)], isDecidedByHand: true) == ["b"])

            try await shop.insertReversal(Self.first, at: 12)
            try await shop.restoreUnclaimed(Self.first)

            #expect(try await unclaimed(shop) == ["(1)"])
            #expect(try await shop.faults() == [])
        }
    }

    @Test func itsRefundDoesNotStandAgainstTheFirstPayment() async throws {
        try await Shop.open { shop in
            try await reverse(shop, isGranted: false)

            try await shop.insertRevocation(Self.again, at: 30)

            #expect(try await shop.readLedger("a", Self.first) == "- no no no no open")
            #expect(try await shop.readLedger("b", Self.again) == "- yes yes no no open")
            #expect(try await shop.insertGrant("a", Self.first))
            #expect(try await shop.faults() == [])
        }
    }

    @Test func aRestoreOfWhatWasRefundedIsNotUnclaimed() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try await shop.insertRevocation(Self.first, at: 10)
            var restored = Self.again
            restored.purchasedAt = 5

            try await shop.insertUnclaimed([("a", restored)])
            #expect(try await unclaimed(shop) == [])

            try await shop.insertUnclaimed([("a", Self.again)])
            #expect(try await unclaimed(shop) == ["(2)"])
        }
    }
}
