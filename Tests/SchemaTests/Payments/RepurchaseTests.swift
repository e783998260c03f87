// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification
import VerificationQueue

/// What is refunded and bought again for good repeats its original transaction, and is a payment of its own; whatever becomes
/// of the refund.
@Suite struct RepurchaseTests {
    private static let first = Payment(id: "1", product: "pro", kind: "non_consumable")
    private static let again = Payment(id: "2", original: "1", product: "pro", kind: "non_consumable", purchasedAt: 20)
    private static let restoredAgain = Payment(
        id: "3", original: "1", product: "pro", kind: "non_consumable", purchasedAt: 25)

    private func orders(_ shop: Shop) async throws -> [String] {
        try await shop.rows("select order_id, state from counterfoil.orders order by 1")
    }

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
        try await shop.insertReversal(Self.first, at: 30)
        try await shop.settlePayments(Self.first)
    }

    @Test func itIsToldAlsoWhenTheRefundWasReversed() async throws {
        try await Shop.open { shop in
            try await reverse(shop, isGranted: true)

            // Its key is the grant's, and it isn't that grant's payment: "revoked before".
            #expect(try await shop.readLedger("b", Self.again) == LedgerFacts(isBoughtAgain: true, orderState: .open))
        }
    }

    @Test func itStaysUnclaimedWhenTheFirstPaymentIsGranted() async throws {
        try await Shop.open { shop in
            try await reverse(shop, isGranted: false)
            try #require(try await unclaimed(shop) == ["(1)", "(2)"])

            #expect(try await shop.insertGrants([("a", Self.first)], isOperatorDecision: true) == ["a"])

            #expect(try await unclaimed(shop) == ["(2)"])
        }
    }

    @Test func theFirstStaysUnclaimedWhenWhatWasBoughtAgainIsGranted() async throws {
        try await Shop.open { shop in
            try await reverse(shop, isGranted: false)

            #expect(try await shop.insertGrants([("b", Self.again)], isOperatorDecision: true) == ["b"])

            #expect(try await unclaimed(shop) == ["(1)"])
        }
    }

    @Test func theFirstIsUnclaimedAgainThoughWhatWasBoughtAgainIsGranted() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try await shop.order("b", product: "pro")
            try await shop.insertUnclaimed([("a", Self.first)], reason: "token_missing")
            try await shop.insertRevocation(Self.first, at: 10)
            try #require(try await shop.insertGrants([("b", Self.again)], isOperatorDecision: true) == ["b"])

            try await shop.insertReversal(Self.first, at: 30)
            try await shop.settlePayments(Self.first)

            #expect(try await unclaimed(shop) == ["(1)"])
            #expect(try await shop.faults() == [])
        }
    }

    @Test func itsRefundDoesNotStandAgainstTheFirstPayment() async throws {
        try await Shop.open { shop in
            try await reverse(shop, isGranted: false)

            try await shop.insertRevocation(Self.again, at: 40)

            #expect(try await shop.readLedger("a", Self.first) == .nothing)
            #expect(
                try await shop.readLedger("b", Self.again)
                    == LedgerFacts(refund: .any, isBoughtAgain: true, orderState: .open))
            #expect(try await shop.insertGrant("a", Self.first))
            #expect(try await shop.faults() == [])
        }
    }

    /// The first payment holds the key of its original transaction.
    @Test func aPersonGrantsWhatWasBoughtAgain() async throws {
        try await Shop.open { shop in
            try await reverse(shop, isGranted: true)
            try await shop.order("c", product: "pro")
            var again = Self.again
            again.isBoughtAgain = true
            var restored = Self.restoredAgain
            restored.isBoughtAgain = true

            #expect(try await shop.insertGrants([("b", again)], isOperatorDecision: true) == ["b"])

            #expect(try await unclaimed(shop) == [])
            #expect(try await shop.faults() == [])
            // Its own restores are its own.
            #expect(
                try await shop.readLedger("c", restored)
                    == LedgerFacts(holder: .grant(of: "2", to: "b"), isBoughtAgain: true, orderState: .open))
            #expect(try await shop.insertGrants([("c", restored)], isOperatorDecision: true) == [])
            #expect(try await shop.readLedger("c", Self.first) == .granted("1", to: "a"))
        }
    }

    /// Told by when it was bought: nobody had shown it before.
    @Test func itsRefundTakesOnlyWhatWasBoughtAgain() async throws {
        try await Shop.open { shop in
            try await reverse(shop, isGranted: true)
            var again = Self.again
            again.isBoughtAgain = true
            try #require(try await shop.insertGrants([("b", again)], isOperatorDecision: true) == ["b"])

            try await shop.insertRevocation(Self.restoredAgain, at: 40)

            #expect(try await orders(shop) == ["(a,fulfilled)", "(b,refunded)"])
            #expect(try await shop.faults() == [])
        }
    }

    @Test func aLaterRefundOfTheFirstPaymentLeavesWhatWasBoughtAgain() async throws {
        try await Shop.open { shop in
            try await reverse(shop, isGranted: true)

            try await shop.insertRevocation(Self.first, at: 40)

            #expect(try await shop.value("select state from counterfoil.orders where order_id = 'a'") == "refunded")
            #expect(try await unclaimed(shop) == ["(2)"])
            #expect(try await shop.readLedger("b", Self.again) == LedgerFacts(isBoughtAgain: true, orderState: .open))
            #expect(try await shop.faults() == [])
        }
    }

    /// A restore may bear a later date than the refund that was reversed before it.
    @Test func aRestoreAfterAReversalIsTheFirstPayment() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try await shop.order("b", product: "pro")
            try #require(try await shop.insertGrant("a", Self.first))
            try await shop.insertRevocation(Self.first, at: 10)
            try await shop.insertReversal(Self.first, at: 12)

            #expect(try await shop.readLedger("b", Self.again) == .granted("1", to: "a"))

            try await shop.insertRevocation(Self.again, at: 30)
            #expect(try await shop.rows("select state from counterfoil.payment_states where transaction_id = '1'") == ["(refunded)"])
        }
    }

    // MARK: A refund that comes to light late

    /// Order `a` was granted the first purchase; what was bought again was answered as a restore of it, to order `b`.
    private func takeForARestore(_ shop: Shop) async throws {
        try await shop.order("a", product: "pro")
        try await shop.order("b", product: "pro")
        try #require(try await shop.insertGrant("a", Self.first))
        try #require(try await shop.readLedger("b", Self.again) == .granted("1", to: "a"))
        try await shop.insertNames([Self.again])
        try await shop.insertUnclaimed([("b", Self.again)])
        try await shop.settleOrder("b", "rejected", "already_owned", transaction: "2")
    }

    private func status(_ shop: Shop) async throws -> [String] {
        try await shop.rows(
            "select transaction_id, status, reason, order_id, client_action from counterfoil.transaction_status order by 1")
    }

    @Test func whatWasTakenForARestoreIsUnclaimedOnceTheRefundIsKnown() async throws {
        try await Shop.open { shop in
            try await takeForARestore(shop)
            #expect(try await status(shop) == ["(1,granted,,a,finish)", "(2,granted,,a,finish)"])
            #expect(try await unclaimed(shop) == [])
            #expect(try await shop.faults() == [])

            try await shop.insertRevocation(Self.first, at: 10)

            #expect(
                try await status(shop)
                    == ["(1,revoked,refunded,a,finish)", "(2,unclaimed,bought_again_after_revocation,,contact_support)"])
            #expect(
                try await shop.rows("select order_id, state, reason from counterfoil.orders order by 1")
                    == ["(a,refunded,refunded)", "(b,review,bought_again_after_revocation)"])
            #expect(try await shop.rows("select order_id from counterfoil.orders_in_review") == ["(b)"])
            #expect(try await shop.faults() == [])
            var again = Self.again
            again.isBoughtAgain = true
            #expect(try await shop.insertGrants([("b", again)], isOperatorDecision: true) == ["b"])
        }
    }

    /// Its own refund came first, and was taken for the first payment's.
    @Test func whatWasTakenForARestoreAndBackIsUnclaimedOnceThatIsReversed() async throws {
        try await Shop.open { shop in
            try await takeForARestore(shop)
            try await shop.insertRevocation(Self.again, at: 40)
            #expect(try await shop.value("select state from counterfoil.orders where order_id = 'a'") == "refunded")

            try await shop.insertRevocation(Self.first, at: 10)
            #expect(try await unclaimed(shop) == [])
            #expect(try await shop.value("select state from counterfoil.orders where order_id = 'b'") == "rejected")

            try await shop.insertReversal(Self.again, at: 50)
            try await shop.settlePayments(Self.again)
            #expect(try await unclaimed(shop) == ["(2)"])
            #expect(try await shop.faults() == [])
        }
    }

    @Test func aRestoreFromBeforeTheRefundStaysOne() async throws {
        try await Shop.open { shop in
            try await takeForARestore(shop)

            try await shop.insertRevocation(Self.first, at: 25)

            #expect(try await status(shop) == ["(1,revoked,refunded,a,finish)", "(2,revoked,refunded,a,finish)"])
            #expect(try await unclaimed(shop) == [])
            #expect(try await shop.value("select state from counterfoil.orders where order_id = 'b'") == "rejected")
        }
    }

    /// An old proof came after a newer one.
    @Test func theFirstPaymentThatWasTakenForARestoreTakesNothingElseBack() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try await shop.order("b", product: "pro")
            try #require(try await shop.insertGrant("b", Self.again))
            try #require(try await shop.readLedger("a", Self.first) == .granted("2", to: "b"))
            try await shop.insertNames([Self.first])
            try await shop.insertUnclaimed([("a", Self.first)])

            try await shop.insertRevocation(Self.first, at: 10)

            #expect(try await shop.value("select state from counterfoil.orders where order_id = 'b'") == "fulfilled")
            #expect(try await status(shop) == ["(1,revoked,refunded,,finish)", "(2,granted,,b,finish)"])
            #expect(try await shop.faults() == [])
        }
    }

    /// It was unclaimed, and went with the grant of what seemed the same payment: in a settlement, or in an import.
    @Test(arguments: [false, true])
    func whatWentWithAGrantIsUnclaimedOnceTheRefundIsKnown(isImported: Bool) async throws {
        try await Shop.open { shop in
            try await shop.order("b", product: "pro")
            try await shop.insertUnclaimed([("b", Self.again)], reason: "token_missing")
            if isImported {
                try await shop.run(
                    """
                    select counterfoil.import_grants('\(Shop.bundle)', 'production', jsonb_build_array(jsonb_build_object(
                        'order_id', 'a', 'account_id', 'ann', 'product_id', 'pro', 'product_kind', 'non_consumable',
                        'transaction_id', '1', 'purchased_at', to_timestamp(1700000000))))
                    """)
            } else {
                try await shop.order("a", product: "pro")
                try #require(try await shop.insertGrant("a", Self.first))
            }
            #expect(try await unclaimed(shop) == [])
            #expect(try await status(shop) == ["(1,granted,,a,finish)", "(2,granted,,a,finish)"])

            try await shop.insertRevocation(Self.first, at: 10)

            #expect(try await unclaimed(shop) == ["(2)"])
            #expect(try await shop.faults() == [])
        }
    }

    /// Its product was listed as of another kind when it was shown: what isn't the grant's for sure never becomes its id.
    @Test func whatIsOfAnotherDateIsNoIDOfAGrantForGood() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try await shop.order("b", product: "pro")
            try #require(try await shop.insertGrant("a", Self.first))
            try await shop.insertRevocation(Self.first, at: 10)
            var again = Self.again
            again.kind = "consumable"

            try await shop.insertNames([again])
            try await shop.insertUnclaimed([("b", again)])

            #expect(try await unclaimed(shop) == ["(2)"])
            #expect(try await shop.readLedger("b", Self.again) == LedgerFacts(isBoughtAgain: true, orderState: .open))
        }
    }

    @Test func aRenewalOfWhatWasListedAsAConsumableIsNoIDOfTheFirstPeriod() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try await shop.order("b", product: "pro")
            let first = Payment(id: "1", webOrderLineItem: "8", product: "pro")
            var renewal = Payment(id: "2", original: "1", webOrderLineItem: "9", product: "pro", purchasedAt: 20)
            try #require(try await shop.insertGrant("a", first))

            try await shop.insertNames([renewal])
            try await shop.insertUnclaimed([("b", renewal)])

            #expect(try await unclaimed(shop) == ["(2)"])
            renewal.kind = "auto_renewable"
            #expect(try await shop.insertGrant("b", renewal))
        }
    }

    /// By hand it was recorded as of now, and took along what was bought again before that.
    @Test func anEarlierRefundGivesBackWhatALaterOneTookTooMuch() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try await shop.order("b", product: "pro")
            try await shop.insertUnclaimed([("a", Self.first), ("b", Self.again)], reason: "token_missing")
            try await shop.insertRevocation(Self.first, at: 45)
            #expect(try await unclaimed(shop) == [])

            try await shop.insertRevocation(Self.first, at: 10)

            #expect(try await unclaimed(shop) == ["(2)"])
        }
    }

    /// A person gave it to an order, since another payment had its key.
    @Test func theFirstPaymentUnderItsOwnKeyIsTakenBackUnderARestoredID() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try await shop.order("b", product: "pro")
            try #require(try await shop.insertGrant("b", Self.again))
            try await shop.insertRevocation(Self.first, at: 10)
            try await shop.insertReversal(Self.first, at: 30)
            #expect(try await shop.readLedger("a", Self.first) == LedgerFacts(isBoughtAgain: true, orderState: .open))
            var first = Self.first
            first.isBoughtAgain = true
            try #require(try await shop.insertGrants([("a", first)], isOperatorDecision: true) == ["a"])
            var restored = Self.first
            restored.id = "3"
            restored.original = "1"
            restored.purchasedAt = 5

            try await shop.insertRevocation(restored, at: 50)

            #expect(try await orders(shop) == ["(a,refunded)", "(b,fulfilled)"])
            #expect(try await shop.faults() == [])
        }
    }

    /// It was shown first when it seemed to be taken back; nobody had granted anything.
    @Test func whatSeemedTakenBackWhenItWasShownIsUnclaimedOnceAnEarlierRefundIsKnown() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try await shop.order("b", product: "pro")
            try await shop.insertUnclaimed([("a", Self.first)], reason: "token_missing")
            try await shop.insertRevocation(Self.first, at: 45)
            try #require(try await shop.readLedger("b", Self.again) == LedgerFacts(refund: .any, orderState: .open))
            try await shop.insertUnclaimed([("b", Self.again)], reason: "refund_reversed")
            try await shop.settleOrder("b", "refunded", "refunded", transaction: "2", environment: "production")
            #expect(try await unclaimed(shop) == [])

            try await shop.insertRevocation(Self.first, at: 10)

            #expect(try await unclaimed(shop) == ["(2)"])
            #expect(
                try await shop.rows("select state, reason from counterfoil.orders where order_id = 'b'")
                    == ["(review,refund_reversed)"])
            #expect(try await shop.rows("select order_id from counterfoil.orders_in_review") == ["(b)"])
            #expect(try await shop.faults() == [])
        }
    }

    /// Of one time they are one payment, whatever is refunded later.
    @Test func whatIsOfTheSameTimeIsAnIDOfTheGrantForGood() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try await shop.order("b", product: "pro")
            var other = Self.again
            other.id = "3"
            try await shop.insertUnclaimed([("a", other)], reason: "token_missing")
            try #require(try await shop.insertGrant("b", Self.again))

            try await shop.insertNames([other])
            try await shop.insertUnclaimed([("a", other)])

            #expect(try await status(shop) == ["(2,granted,,b,finish)", "(3,granted,,b,finish)"])
            #expect(try await shop.faults() == [])
        }
    }

    /// A receipt whose list of products says otherwise than the proof before it.
    @Test func whatIsKnownAsARestoreIsNotUnclaimedAsAConsumable() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try await shop.order("b", product: "pro")
            try #require(try await shop.insertGrant("a", Payment(id: "1", product: "pro")))
            try await shop.insertUnclaimed([("b", Self.again)])
            try #require(try await shop.count("counterfoil.payment_states where state = 'restored'") == 1)
            var listed = Self.again
            listed.kind = "consumable"

            try await shop.insertUnclaimed([("b", listed)])

            #expect(try await unclaimed(shop) == [])
            #expect(try await shop.faults() == [])
        }
    }

    @Test func aRestoreOfWhatWasRefundedIsNotUnclaimed() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try await shop.insertRevocation(Self.first, at: 10)
            var restored = Self.again
            restored.id = "3"
            restored.purchasedAt = 5

            try await shop.insertUnclaimed([("a", restored)])
            #expect(try await unclaimed(shop) == [])

            try await shop.insertUnclaimed([("a", Self.again)])
            #expect(try await unclaimed(shop) == ["(2)"])
        }
    }
}
