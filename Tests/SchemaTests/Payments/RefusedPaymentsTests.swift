// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Testing
import Verification
import VerificationQueue

/// What becomes of payments that fulfil no order: unclaimed, taken back; and of their orders.
@Suite struct RefusedPaymentsTests {
    private func unclaimed(_ shop: Shop) async throws -> [String] {
        try await shop.rows(
            "select transaction_id, reason, order_id, account_id, product_kind from counterfoil.unclaimed_transactions order by 1"
        )
    }

    /// `state reason transaction` of order `a`.
    private func order(_ shop: Shop) async throws -> String? {
        try await shop.value(
            "select concat_ws(' ', state, reason, transaction_id) from counterfoil.orders where order_id = 'a'")
    }

    // MARK: Unclaimed

    @Test func theFirstToShowAPaymentIsRemembered() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.order("b", account: "bob")

            try await shop.insertUnclaimed([("a", Payment(id: "1"))], reason: "order_cancelled")
            try await shop.insertUnclaimed([("b", Payment(id: "1"))], reason: "no_order")

            #expect(try await unclaimed(shop) == ["(1,order_cancelled,a,ann,consumable)"])
        }
    }

    @Test func whatTheLedgerHoldsIsNotUnclaimed() async throws {
        try await Shop.open { shop in
            for name in ["a", "b"] {
                try await shop.order(name, product: "pro")
            }
            let pro = Payment(id: "1", product: "pro", kind: "non_consumable")
            try #require(try await shop.insertGrant("a", pro))
            var restored = pro
            restored.id = "2"
            restored.original = "1"
            try await shop.insertRevocation(Payment(id: "3"), at: 10)

            try await shop.insertUnclaimed([("b", pro), ("b", restored), ("b", Payment(id: "3"))])

            #expect(try await unclaimed(shop) == [])
        }
    }

    @Test func whatIsBoughtAgainAfterARefundIsUnclaimed() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            let pro = Payment(id: "1", product: "pro", kind: "non_consumable")
            try #require(try await shop.insertGrant("a", pro))
            try await shop.insertRevocation(pro, at: 10)

            try await shop.insertUnclaimed(
                [("a", Payment(id: "2", original: "1", product: "pro", kind: "non_consumable", purchasedAt: 20))])

            #expect(try await unclaimed(shop) == ["(2,no_order,a,ann,non_consumable)"])
        }
    }

    private static func period(_ id: String, item: String?, of original: String = "1", purchasedAt: Int64 = 0) -> Payment {
        Payment(
            id: id, original: original, webOrderLineItem: item, product: "plus", kind: "auto_renewable", purchasedAt: purchasedAt)
    }

    /// A further period of Ann's subscription.
    struct Period: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var grantedOriginal = "1"
        var product = "plus"
        /// Who shows it.
        var account = "ann"
        var refundedAt: Int64?
        /// Apple's word of it.
        var word: String?
        /// When the first period ends.
        var endsAt: Int64?
        let isRenewal: Bool
    }

    @Test(arguments: [
        Period(testDescription: "the account was granted the first", isRenewal: true),
        Period(testDescription: "another account shows it", account: "bob", isRenewal: true),
        Period(testDescription: "nobody was granted it", grantedOriginal: "8", isRenewal: false),
        Period(testDescription: "it was taken back in between", refundedAt: 10, isRenewal: false),
        // Paid for something that nobody has delivered.
        Period(testDescription: "the customer bought it", word: "purchase", isRenewal: false),
        Period(testDescription: "of what the customer changed to", product: "premium", word: "purchase", isRenewal: false),
        Period(testDescription: "of what it was renewed as", product: "premium", word: "renewal", isRenewal: true),
        Period(testDescription: "of another plan, without Apple's word", product: "premium", isRenewal: true),
        Period(testDescription: "renewed, and taken back in between", refundedAt: 10, word: "renewal", isRenewal: true),
        Period(testDescription: "renewed, and nobody was granted it", grantedOriginal: "8", word: "renewal", isRenewal: false),
        Period(testDescription: "another account shows it, renewed", account: "bob", word: "renewal", isRenewal: true),
        Period(testDescription: "sixty days after the end", endsAt: 20 - 5_184_000, isRenewal: true),
        Period(testDescription: "later than that", endsAt: 19 - 5_184_000, isRenewal: false),
        Period(testDescription: "later than that, and renewed", word: "renewal", endsAt: 19 - 5_184_000, isRenewal: true),
    ])
    func whoseSubscriptionIsRenewedIsAFact(_ example: Period) async throws {
        try await Shop.open { shop in
            try await shop.order("a", account: example.account)
            try await shop.order("b", product: "plus")
            var first = Self.period(example.grantedOriginal, item: "10", of: example.grantedOriginal)
            first.expiresAt = example.endsAt
            if let end = example.endsAt { first.purchasedAt = end - 1 }
            try #require(try await shop.insertGrant("b", first))
            if let refundedAt = example.refundedAt {
                try await shop.insertRevocation(first, at: refundedAt)
            }
            var shown = Self.period("2", item: "11", purchasedAt: 20)
            shown.product = example.product
            shown.reason = example.word

            for order in ["a", nil] {
                let renewed = try await shop.readPayment(order, shown).optionalString(16)
                #expect(renewed == (example.isRenewal ? "ann" : nil))
            }
        }
    }

    /// What no client shows has the account of the subscription that it renews, and else none.
    @Test(arguments: [("renewal", "ann"), ("no_order", nil), ("before_ledger", nil), ("refunded", nil)] as [(String, String?)])
    func aRenewalThatAppleTellsIsItsSubscriptionsAccounts(_ reason: String, _ account: String?) async throws {
        try await Shop.open { shop in
            try await shop.order("b", product: "plus")
            try #require(try await shop.insertGrant("b", Self.period("1", item: "10")))

            try await shop.insertTold(Self.period("2", item: "11", purchasedAt: 20), reason: reason)

            #expect(
                try await shop.rows("select reason, account_id, shown_by from counterfoil.ledger where transaction_id = '2'")
                    == ["(\(reason),\(account ?? ""),)"])
        }
    }

    /// What was guessed ends with Apple's word, whichever text bears it: as it is shown first, then, and then again without the
    /// word.
    @Test(arguments: [
        (first: nil, then: "purchase", reason: "no_order"), (nil, "renewal", "renewal"), ("purchase", nil, "no_order"),
        ("renewal", nil, "renewal"),
    ] as [(first: String?, then: String?, reason: String)])
    func aGuessEndsWithApplesWord(_ example: (first: String?, then: String?, reason: String)) async throws {
        try await Shop.open { shop in
            for order in ["a", "c", "d"] { try await shop.order(order) }
            try await shop.order("b", product: "plus")
            try #require(try await shop.insertGrant("b", Self.period("1", item: "10")))
            for (order, word) in [("a", example.first), ("c", example.then), ("d", nil)] {
                var shown = Self.period("2", item: "11", purchasedAt: 20)
                shown.reason = word
                let isRenewal = try await shop.readPayment(order, shown).optionalString(16) != nil
                try await shop.insertUnclaimed([(order, shown)], reason: isRenewal ? "renewal" : "no_order")
            }

            #expect(try await unclaimed(shop) == ["(2,\(example.reason),a,ann,auto_renewable)"])
            #expect(
                try await shop.value("select purchase_reason from counterfoil.payments where transaction_id = '2'")
                    == (example.first ?? example.then))
        }
    }

    /// A refund of what was taken for a renewal names it, and says nothing else of it.
    @Test func aRefundThatNamesAPurchaseLeavesNoRenewal() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.order("b", product: "plus")
            try #require(try await shop.insertGrant("b", Self.period("1", item: "10")))
            var shown = Self.period("2", item: "11", purchasedAt: 20)
            try await shop.insertUnclaimed([("a", shown)], reason: "renewal")
            shown.reason = "purchase"

            try await shop.insertRevocation(shown, at: 30)
            try await shop.insertReversal(shown, at: 40)

            #expect(try await unclaimed(shop) == ["(2,no_order,a,ann,auto_renewable)"])
        }
    }

    /// A stranger's showing makes nobody an owner, whether it comes before the owner's, or after.
    @Test(arguments: [["a", "b"], ["b", "a"]])
    func whoShowsAnothersRenewalTakesNothing(order: [String]) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.order("b", account: "bob")
            for name in order {
                try await shop.insertUnclaimed(
                    [(name, Self.period("2", item: "11", purchasedAt: 20))], reason: name == "a" ? "renewal" : "owner_mismatch")
            }

            #expect(try await unclaimed(shop) == ["(2,renewal,a,ann,auto_renewable)"])
        }
    }

    /// Its order was left open for it when another payment was refunded.
    @Test func whatAnOrderMayCountOnIsNoRenewal() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "plus")
            try await shop.order("b", product: "plus")
            let renewal = Self.period("2", item: "11", purchasedAt: 20)
            try await shop.insertUnclaimed([("a", renewal)])

            try await shop.insertUnclaimed([("b", renewal)], reason: "renewal")

            #expect(try await unclaimed(shop) == ["(2,no_order,a,ann,auto_renewable)"])
        }
    }

    /// A product was listed as of another kind when it was granted.
    @Test(arguments: [
        (Payment(id: "3", original: "2", product: "pro", kind: "non_consumable"), Payment(id: "2", product: "pro")),
        (Payment(id: "1", product: "pro"), Payment(id: "2", original: "1", product: "pro", kind: "non_consumable")),
    ])
    func whatTheLedgerHoldsUnderAnotherKeyIsNotUnclaimed(_ payments: (granted: Payment, shown: Payment)) async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try #require(try await shop.insertGrant("a", payments.granted))

            try await shop.insertUnclaimed([("a", payments.shown)])

            #expect(try await unclaimed(shop) == [])
        }
    }

    /// Its subscription was refunded before, which makes an original transaction odd, and no period.
    @Test func aGrantedPeriodIsNotUnclaimedUnderAnotherID() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "plus")
            try await shop.insertRevocation(Self.period("1", item: "8"), at: 10)
            let period = Self.period("2", item: "9", purchasedAt: 20)
            #expect(try await shop.insertGrants([("a", period)], isOperatorDecision: true) == ["a"])

            try await shop.insertUnclaimed([("a", Self.period("6", item: "9", purchasedAt: 20))])

            #expect(try await unclaimed(shop) == [])
        }
    }

    /// Nobody listed its product, and a receipt doesn't say of which kind it is.
    @Test func aGrantedPeriodIsNotUnclaimedUnderAnotherIDWithoutItsKind() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "plus")
            try await shop.run("delete from counterfoil.products where product_id = 'plus'")
            try #require(try await shop.insertGrant("a", Self.period("2", item: "9")))
            var shown = Self.period("6", item: "9")
            shown.kind = "consumable"

            try await shop.insertUnclaimed([("a", shown)])

            #expect(try await unclaimed(shop) == [])
            #expect(try await shop.faults() == [])
        }
    }

    @Test func whatIsUnclaimedOfAPeriodGoesWithItsGrantUnderAnotherID() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "plus")
            try await shop.insertUnclaimed([("a", Self.period("6", item: "9")), ("a", Self.period("7", item: "10"))])

            try #require(try await shop.insertGrant("a", Self.period("2", item: "9")))

            #expect(try await shop.rows("select transaction_id from counterfoil.unclaimed_transactions") == ["(7)"])
            // Its client still holds it.
            #expect(
                try await shop.rows(
                    "select transaction_id, order_id from counterfoil.transaction_status where status = 'granted' order by 1")
                    == ["(2,a)", "(6,a)"])
        }
    }

    /// Its first period is known under another id only.
    /// Only a token that names the order proves whose it is.
    @Test func aPeriodThatAnotherAccountShowedFirstIsNotGrantedUnderAnotherID() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.order("b", product: "plus", account: "bob")
            try await shop.insertUnclaimed([("a", Self.period("1", item: "10"))], reason: "token_missing")

            #expect(
                try await shop.readLedger("b", Self.period("2", item: "10"))
                    == LedgerFacts(isAnotherAccounts: true, orderState: .open))
            #expect(try await !shop.insertGrant("b", Self.period("2", item: "10")))
            #expect(try await unclaimed(shop).count == 1)
            // Another period is another payment.
            #expect(try await shop.insertGrant("b", Self.period("3", item: "11", purchasedAt: 5)))
        }
    }

    @Test func aLaterProofTellsThatItIsARenewal() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.order("b", product: "plus")
            let renewal = Self.period("2", item: "11", purchasedAt: 20)
            try await shop.insertUnclaimed([("a", renewal)])

            try await shop.insertUnclaimed([("b", renewal)], reason: "renewal")
            try await shop.insertUnclaimed([("b", renewal)])

            #expect(try await unclaimed(shop) == ["(2,renewal,a,ann,auto_renewable)"])
        }
    }

    @Test func noLaterProofTakesBackWhatAPersonHasToDecide() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            let renewal = Self.period("2", item: "11")
            try await shop.insertUnclaimed([("a", renewal)], reason: "owner_mismatch")

            try await shop.insertUnclaimed([("a", renewal)], reason: "renewal")

            #expect(try await unclaimed(shop) == ["(2,owner_mismatch,a,ann,auto_renewable)"])
        }
    }

    @Test func whatRenewsOneOrderMayBeLeftToAPersonForAnother() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "plus")
            try await shop.order("b", product: "plus")
            let renewal = Self.period("2", item: "11", purchasedAt: 20)
            try await shop.insertUnclaimed([("a", renewal)], reason: "renewal")

            try await shop.insertUnclaimed([("b", renewal)], reason: "wrong_product")
            #expect(try await unclaimed(shop) == ["(2,renewal,a,ann,auto_renewable)"])
            try await shop.insertUnclaimed([("b", renewal)], reason: "quantity_short")

            #expect(try await unclaimed(shop) == ["(2,quantity_short,a,ann,auto_renewable)"])
        }
    }

    @Test func twoOrdersOfOneBatchMayShowOnePayment() async throws {
        try await Shop.open { shop in
            for order in ["a", "b"] {
                try await shop.order(order)
            }

            try await shop.insertUnclaimed([("b", Payment(id: "1")), ("a", Payment(id: "1")), ("b", Payment(id: "2"))])

            #expect(try await unclaimed(shop) == ["(1,no_order,a,ann,consumable)", "(2,no_order,b,ann,consumable)"])
        }
    }

    // MARK: Taken back

    @Test(arguments: ["fulfilled", "open"])
    func aRefundMakesTheOrderThatItPaidForRefunded(state: String) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            if state == "fulfilled" {
                try #require(try await shop.insertGrant("a", Payment(id: "1")))
            }

            try await shop.insertRevocation(Payment(id: "1"), at: 10)

            #expect(try await order(shop) == (state == "fulfilled" ? "refunded refunded 1" : "open"))
            #expect(try await shop.faults() == [])
        }
    }

    /// A person was to decide about it; another order's proof, or an operator, tells of the refund.
    @Test(arguments: [
        ("quantity_short", nil as String?, "refunded refunded 1"), ("owner_mismatch", nil, "review owner_mismatch 1"),
        ("quantity_short", "coins", "review quantity_short 1"), ("quantity_short", "gems", "refunded refunded 1"),
    ])
    func aRefundEndsTheReviewOfAnOrderUnlessAnotherPaymentIsItsOwn(
        reason: String, other: String?, expected: String
    ) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.insertUnclaimed([("a", Payment(id: "1"))], reason: reason)
            if let other { try await shop.insertUnclaimed([("a", Payment(id: "2", product: other))], reason: "quantity_short") }
            try await shop.settleOrder("a", "review", reason, transaction: "1")

            try await shop.insertRevocation(Payment(id: "1"), at: 10)
            #expect(try await order(shop) == expected)
            #expect(try await shop.faults() == [])

            if expected.hasPrefix("refunded") {
                try await shop.insertReversal(Payment(id: "1"), at: 20)
                try await shop.settlePayments(Payment(id: "1"))
                #expect(try await order(shop) == "review refund_reversed 1")
                #expect(try await shop.faults() == [])
            }
        }
    }

    /// A proof denies a refund: its order waits for an operator, however often the payment is shown. A later refund ends that.
    @Test func aRefundThatWasKnownDoesNotEndTheReviewOfAProofThatDeniesIt() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.insertRevocation(Payment(id: "1"), at: 10)
            try await shop.insertUnclaimed([("a", Payment(id: "1"))], reason: "refund_reversed")
            try await shop.settleOrder("a", "review", "refund_reversed", transaction: "1")

            try await shop.settlePayments(Payment(id: "1"))
            #expect(try await order(shop) == "review refund_reversed 1")

            try await shop.insertRevocation(Payment(id: "1"), at: 20)
            #expect(try await order(shop) == "refunded refunded 1")
            #expect(try await shop.faults() == [])
        }
    }

    /// A proof denies the refund of an order that is over: it stays so until the refund is reversed.
    @Test func aRefundedOrderWhosePaymentIsKeptAsReversedWaitsForTheReversal() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.insertRevocation(Payment(id: "1"), at: 10)
            try await shop.settleOrder("a", "refunded", "refunded", transaction: "1", environment: "production")
            try await shop.insertUnclaimed([("a", Payment(id: "1"))], reason: "refund_reversed")

            try await shop.settlePayments(Payment(id: "1"))
            #expect(try await order(shop) == "refunded refunded 1")
            #expect(try await shop.faults() == [])

            try await shop.insertReversal(Payment(id: "1"), at: 20)
            try await shop.settlePayments(Payment(id: "1"))
            #expect(try await order(shop) == "review refund_reversed 1")
            #expect(try await unclaimed(shop) == ["(1,refund_reversed,a,ann,consumable)"])
            #expect(try await shop.faults() == [])
        }
    }

    @Test func aRefundOfTheOriginalTakesBackWhatWasGrantedUnderARestoredID() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try #require(
                try await shop.insertGrant("a", Payment(id: "2", original: "1", product: "pro", kind: "non_consumable")))

            try await shop.insertRevocation(Payment(id: "1"), at: 10)

            #expect(try await order(shop) == "refunded refunded 2")
            #expect(
                try await shop.rows("select status from counterfoil.transaction_status where transaction_id = '2'") == ["(revoked)"]
            )
        }
    }

    /// What else is known of the subscription stays: a further period, granted or not.
    @Test func aRefundOfAPeriodTakesItBackUnderAnyID() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "plus")
            try await shop.order("b", product: "plus")
            try #require(try await shop.insertGrant("a", Self.period("2", item: "9")))
            try #require(try await shop.insertGrant("b", Self.period("3", item: "10")))
            try await shop.insertUnclaimed([("b", Self.period("4", item: "11"))], reason: "order_already_paid")

            try await shop.insertRevocation(Self.period("5", item: "9"), at: 10)

            #expect(try await order(shop) == "refunded refunded 2")
            #expect(try await shop.value("select state from counterfoil.orders where order_id = 'b'") == "fulfilled")
            #expect(
                try await shop.rows("select status from counterfoil.transaction_status where transaction_id in ('2', '5')")
                    == ["(revoked)", "(revoked)"])
            #expect(try await unclaimed(shop).count == 1)
            // An old proof shows it without its refund.
            try await shop.insertUnclaimed([("b", Self.period("6", item: "9"))])
            try await shop.insertNames([Self.period("5", item: "9")])
            #expect(try await unclaimed(shop).count == 1)
            #expect(try await shop.faults() == [])
        }
    }

    /// Where Apple named the period later only.
    @Test func aRefundThatWasRecordedWithoutItsPeriodIsRecordedAgain() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "plus")
            try await shop.order("b", product: "plus")
            try #require(try await shop.insertGrant("a", Self.period("2", item: "9")))
            try await shop.insertRevocation(Self.period("5", item: nil), at: 10)

            for _ in 0..<2 {
                try await shop.insertRevocation(Self.period("5", item: "9"), at: 10)
            }

            #expect(try await order(shop) == "refunded refunded 2")
            #expect(try await shop.count("counterfoil.revocations") == 2)
            try await shop.insertReversal(Self.period("5", item: nil), at: 20)
            #expect(try await shop.count("counterfoil.payment_states where state = 'refunded'") == 0)
        }
    }

    @Test func aRefundOfAPeriodTakesWhatIsUnclaimedOfIt() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "plus")
            try await shop.insertUnclaimed([("a", Self.period("2", item: "9")), ("a", Self.period("3", item: nil, purchasedAt: 5))])

            try await shop.insertRevocation(Self.period("5", item: "9"), at: 10)

            #expect(try await shop.rows("select transaction_id from counterfoil.unclaimed_transactions") == ["(3)"])
        }
    }

    /// It was granted as a consumable, by mistake: only when its restored id is seen again is it known whose that is.
    @Test func anIDThatWasTakenBackTakesItsGrantBackOnceItIsKnown() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try #require(try await shop.insertGrant("a", Payment(id: "1", product: "pro")))
            try await shop.insertRevocation(Payment(id: "2", original: "1"), at: 10)
            #expect(try await order(shop) == "fulfilled 1")

            try await shop.insertNames([Payment(id: "2", original: "1", product: "pro", kind: "non_consumable")])

            #expect(try await order(shop) == "refunded refunded 1")
            #expect(try await shop.faults() == [])
        }
    }

    @Test func anOldRefundTakesNothingBackThatWasBoughtLater() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try await shop.run(
                """
                insert into counterfoil.payments (
                    order_number, granted_at, bundle_id, environment, payment_key, transaction_id, original_transaction_id,
                    product_id, product_kind, quantity, purchased_at, account_id
                )
                values (
                    \(orderNumber("a")), now(), '\(Shop.bundle)', 'production', 'original:1', '2', '1', 'pro',
                    'non_consumable', 1, now(), 'ann'
                );
                update counterfoil.orders
                set state = 'fulfilled', transaction_id = '2', environment = 'production', fulfilled_at = now()
                """
            )

            try await shop.insertRevocation(Payment(id: "1"), at: 10)

            #expect(try await order(shop) == "fulfilled 2")
            #expect(try await shop.faults() == [])
        }
    }

    @Test func aRefundThatIsShownAgainChangesNothing() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try #require(try await shop.insertGrant("a", Payment(id: "1")))
            try await shop.insertRevocation(Payment(id: "1"), at: 10)
            // The reversal as an operator enters it.
            try await shop.insertReversal(Payment(id: "1"), at: 20)
            try await shop.run("update counterfoil.orders set state = 'fulfilled', reason = null")

            try await shop.insertRevocation(Payment(id: "1"), at: 10)

            #expect(try await order(shop) == "fulfilled 1")
            #expect(try await shop.count("counterfoil.revocations") == 2)
        }
    }

    @Test func aRefundedPaymentIsNoLongerUnclaimed() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.insertUnclaimed([("a", Payment(id: "1"))])

            try await shop.insertRevocation(Payment(id: "1"), at: 10)

            #expect(try await unclaimed(shop) == [])
        }
    }

    /// A product that is bought for good, and a subscription, whose periods are payments of their own.
    @Test(arguments: [("non_consumable", 0), ("auto_renewable", 1)])
    func aRefundUnderAnotherIDTakesTheSamePayment(kind: String, left: Int) async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try await shop.insertUnclaimed([("a", Payment(id: "1", product: "pro", kind: kind))])

            try await shop.insertRevocation(Payment(id: "2", original: "1", purchasedAt: 5), at: 10)

            #expect(try await unclaimed(shop).count == left)
        }
    }

    @Test func whatIsBoughtAfterARefundStaysUnclaimed() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try await shop.insertUnclaimed(
                [("a", Payment(id: "2", original: "1", product: "pro", kind: "non_consumable", purchasedAt: 20))])

            try await shop.insertRevocation(Payment(id: "1"), at: 10)

            #expect(try await unclaimed(shop).count == 1)
        }
    }

    // MARK: Orders

    /// An order's state, the outcome of an attempt, and the state after it.
    static let moves: [(from: String, to: String?, becomes: String)] = [
        ("open", nil, "open"), ("open", "rejected", "rejected"), ("open", "review", "review"), ("open", "refunded", "refunded"),
        ("rejected", nil, "rejected"), ("rejected", "review", "review"), ("rejected", "refunded", "refunded"),
        ("review", nil, "review"), ("review", "rejected", "review"), ("review", "refunded", "refunded"),
        ("fulfilled", "rejected", "fulfilled"), ("fulfilled", "review", "fulfilled"), ("fulfilled", "refunded", "fulfilled"),
        ("refunded", "rejected", "refunded"), ("refunded", "review", "refunded"),
        ("cancelled", "rejected", "cancelled"), ("cancelled", "review", "cancelled"), ("cancelled", "refunded", "cancelled"),
    ]

    @Test(arguments: moves)
    func anOutcomeMovesOnlyTheOrdersThatItMay(_ move: (from: String, to: String?, becomes: String)) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.run(
                """
                update counterfoil.orders
                set state = '\(move.from)', reason = 'before', transaction_id = '1', environment = 'production', fulfilled_at = now()
                """
            )

            try await shop.settleOrder("a", move.to, "after", transaction: "2", environment: "sandbox")

            let moved = move.to == move.becomes && move.from != move.becomes
            #expect(try await order(shop) == "\(move.becomes) \(moved ? "after 2" : "before 1")")
            #expect(try await shop.value("select attempts from counterfoil.orders") == "1")
        }
    }

    struct OtherPayment: Sendable {
        var product = "plus"
        var reason = "no_order"
        /// How long before the order it was paid.
        var age = "1 minute"
        var isRecovery = false
        let isLeftOpen: Bool
    }

    @Test(arguments: [
        OtherPayment(isLeftOpen: true), OtherPayment(product: "coins", isLeftOpen: false),
        OtherPayment(reason: "renewal", isLeftOpen: false), OtherPayment(age: "1 hour", isLeftOpen: false),
        OtherPayment(age: "1 hour", isRecovery: true, isLeftOpen: true),
        // A person may decide that it counts.
        OtherPayment(reason: "purchase_before_order", age: "1 hour", isLeftOpen: true),
        // Its receipt shows old ones with such reasons, too.
        OtherPayment(reason: "subscription_unconfirmed", isLeftOpen: true),
        OtherPayment(reason: "subscription_unconfirmed", age: "1 hour", isLeftOpen: false),
        OtherPayment(reason: "owner_mismatch", age: "1 hour", isLeftOpen: false),
    ])
    func aRefundLeavesAnOrderOpenThatAnotherPaymentMayStillFulfil(_ other: OtherPayment) async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "plus")
            let payment = Payment(id: "2", product: other.product, kind: "auto_renewable")
            try await shop.insertUnclaimed([("a", payment)], reason: other.reason)
            try await shop.run(
                """
                update counterfoil.orders set
                    recovery = \(other.isRecovery),
                    created_at = (select purchased_at from counterfoil.unclaimed_transactions) + interval '\(other.age)'
                """
            )

            try await shop.settleOrder("a", "refunded", "refunded", transaction: "1", environment: "production")

            #expect(try await order(shop) == (other.isLeftOpen ? "open" : "refunded refunded 1"))
            #expect(try await shop.faults() == [])
        }
    }

    @Test func proofsOfRefusedOrdersAreKeptAndPruned() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            for _ in 0..<2 {
                _ = try await shop.worker.execute(
                    SQLFile.keepProofs.statement,
                    [
                        .int8Array([1, 2]), .textArray(["a", "a"]), .textArray([nil, "7"]), .textArray(["eyJ1", "eyJ2"]),
                        .textArray(["bad_signature", "owner_mismatch"]), .int4(3), .int8(1 << 20),
                    ]
                )
            }
            #expect(try await shop.count("counterfoil.proofs") == 2)
            try await shop.run("update counterfoil.proofs set kept_at = now() - interval '91 days' where job_id = 1")

            let pruned = try await shop.worker.execute(SQLFile.pruneProofs.statement, [.double(90 * 86_400), .int4(500)])

            #expect(pruned.affectedRows == 1)
            #expect(try await shop.rows("select job_id, transaction_id, proof from counterfoil.proofs") == ["(2,7,eyJ2)"])
        }
    }
}
