// SPDX-License-Identifier: Apache-2.0

import Schema
import TestSupport
import Testing
import Verification
import VerificationQueue

/// A refund takes back a share of a payment. The last word by Apple's own time counts, whatever came first.
@Suite struct RefundSharesTests {
    /// What was said of payment 1: when Apple said it, and of which share; nil where it isn't known.
    struct Word: Sendable {
        let asOf: Int64
        var share: Int32?
        var knowsNoShare = false
    }

    struct Story: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let words: [Word]
        /// What becomes of an order that was fulfilled before.
        let order: String
        /// What the payment's state says of it: whole, partly or nothing.
        let refund: String
    }

    static let stories: [Story] = [
        Story(testDescription: "the whole", words: [Word(asOf: 10, share: 100_000)], order: "refunded", refund: "whole"),
        Story(testDescription: "a part", words: [Word(asOf: 10, share: 33_500)], order: "fulfilled", refund: "partly 33500"),
        Story(testDescription: "nobody knows how much", words: [Word(asOf: 10, share: nil)], order: "fulfilled", refund: "partly"),
        Story(
            testDescription: "a larger share later", words: [Word(asOf: 10, share: 33_500), Word(asOf: 20, share: 60_000)],
            order: "fulfilled", refund: "partly 60000"),
        Story(
            testDescription: "shares are not added", words: [Word(asOf: 10, share: 60_000), Word(asOf: 20, share: 70_000)],
            order: "fulfilled", refund: "partly 70000"),
        Story(
            testDescription: "a smaller share later", words: [Word(asOf: 10, share: 100_000), Word(asOf: 20, share: 40_000)],
            order: "fulfilled", refund: "partly 40000"),
        Story(
            testDescription: "the whole at last", words: [Word(asOf: 10, share: 40_000), Word(asOf: 20, share: 100_000)],
            order: "refunded", refund: "whole"),
        Story(
            testDescription: "an older word comes late", words: [Word(asOf: 20, share: 100_000), Word(asOf: 10, share: 40_000)],
            order: "refunded", refund: "whole"),
        Story(
            testDescription: "what isn't known doesn't outweigh what is",
            words: [Word(asOf: 10, share: 100_000), Word(asOf: 20, share: nil)], order: "refunded", refund: "whole"),
        Story(
            testDescription: "who knows no share doesn't outweigh a part",
            words: [Word(asOf: 10, share: 40_000), Word(asOf: 20, share: 100_000, knowsNoShare: true)],
            order: "fulfilled", refund: "partly 40000"),
        Story(
            testDescription: "a part that comes late outweighs who knows no share",
            words: [Word(asOf: 20, share: 100_000, knowsNoShare: true), Word(asOf: 10, share: 40_000)],
            order: "fulfilled", refund: "partly 40000"),
        Story(
            testDescription: "the whole that was signed counts though a receipt said it before",
            words: [
                Word(asOf: 10, share: 100_000, knowsNoShare: true), Word(asOf: 20, share: 100_000), Word(asOf: 15, share: 40_000),
            ],
            order: "refunded", refund: "whole"),
        Story(
            testDescription: "who knows no share says the whole where nobody knew how much",
            words: [Word(asOf: 10, share: nil), Word(asOf: 20, share: 100_000, knowsNoShare: true)], order: "refunded",
            refund: "whole"),
        Story(
            testDescription: "who knows no share says the whole where nobody gave a part",
            words: [Word(asOf: 10, share: 100_000, knowsNoShare: true)], order: "refunded", refund: "whole"),
    ]

    private static let payment = Payment(id: "1")

    private func refund(_ shop: Shop) async throws -> String? {
        try await shop.value(
            """
            select case when is_refunded then 'whole' when is_partly_refunded then concat_ws(' ', 'partly', refunded_share)
                else 'nothing' end
            from counterfoil.payment_states where transaction_id = '1'
            """)
    }

    private func tell(_ story: Story, _ shop: Shop) async throws {
        for word in story.words {
            try await shop.insertRevocation(
                Self.payment, at: 5, asOf: word.asOf, share: word.share, knowsNoShare: word.knowsNoShare)
        }
    }

    @Test(arguments: stories)
    func theLastWordDecidesAboutAFulfilledOrder(_ story: Story) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try #require(try await shop.insertGrant("a", Self.payment))

            try await tell(story, shop)

            #expect(try await shop.value("select state from counterfoil.orders") == story.order)
            #expect(try await refund(shop) == story.refund)
            #expect(try await shop.faults() == [])
        }
    }

    @Test(arguments: stories)
    func theLastWordDecidesAboutAGrant(_ story: Story) async throws {
        try await Shop.open { shop in
            try await shop.order("a")

            try await tell(story, shop)

            let isWhole = story.refund == "whole"
            #expect(
                try await shop.readLedger("a", Self.payment)
                    == LedgerFacts(refund: isWhole ? .any : nil, isPartlyRefunded: !isWhole, orderState: .open))
            #expect(try await !shop.insertGrant("a", Self.payment))
            #expect(try await shop.insertGrants([("a", Self.payment)], isOperatorDecision: true) == (isWhole ? [] : ["a"]))
        }
    }

    @Test func aReversalIsTheLastWordOfItsTime() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.insertRevocation(Self.payment, at: 5, asOf: 10)
            try await shop.insertReversal(Self.payment, at: 10)

            #expect(try await refund(shop) == "nothing")

            // A proof from before it.
            try await shop.insertRevocation(Self.payment, at: 5, asOf: 8)
            #expect(try await refund(shop) == "nothing")
            // Apple says later that it stands refunded.
            try await shop.insertRevocation(Self.payment, at: 5, asOf: 20)
            #expect(try await refund(shop) == "whole")
        }
    }

    @Test func aDoubtAfterAReversalIsADoubt() async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.insertRevocation(Self.payment, at: 5, asOf: 10)
            try await shop.insertReversal(Self.payment, at: 15)

            try await shop.insertRevocation(Self.payment, at: 5, asOf: 20, share: nil)

            #expect(try await refund(shop) == "partly")
            #expect(try await !shop.insertGrant("a", Self.payment))
        }
    }

    @Test func aWordIsRepeatedWhereAnotherNameWasSpokenOfSince() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            let first = Payment(id: "1", product: "pro", kind: "non_consumable")
            let restored = Payment(id: "2", original: "1", product: "pro", kind: "non_consumable")
            try #require(try await shop.insertGrant("a", first))

            try await shop.insertRevocation(first, at: 5, asOf: 10)
            try await shop.insertRevocation(restored, at: 5, asOf: 20, share: 30_000)
            #expect(try await shop.value("select state from counterfoil.orders") == "fulfilled")
            try await shop.insertRevocation(first, at: 5, asOf: 30)

            #expect(try await shop.value("select state from counterfoil.orders") == "refunded")
        }
    }

    /// A receipt, or an import, may lack the original of a renewal; the ledger's first word for it counts.
    @Test(arguments: [true, false])
    func aRefundFindsItsPaymentThoughOneOfThemLacksTheOriginal(isGrantedFirst: Bool) async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "plus")
            let whole = Payment(id: "200", original: "100", webOrderLineItem: "9", product: "plus", kind: "auto_renewable")
            var lacking = whole
            lacking.original = nil

            if isGrantedFirst { try #require(try await shop.insertGrant("a", lacking)) }
            try await shop.insertRevocation(whole, at: 10)
            if !isGrantedFirst { #expect(try await !shop.insertGrant("a", lacking)) }

            #expect(try await shop.value("select state from counterfoil.orders") == (isGrantedFirst ? "refunded" : "open"))
            #expect(try await shop.faults() == [])
        }
    }

    /// Receipts know times to the second.
    @Test func aPeriodWithoutItsLineItemIsToldByTheSecond() async throws {
        try await Shop.open { shop in
            let answers = try await shop.rows(
                """
                select
                    counterfoil.is_one_payment(
                        'b', 'production', '1', 'auto_renewable', '9', '2026-01-01 10:00:00.4Z', 'auto_renewable', null, s.at) is true
                from (values ('2026-01-01 10:00:00Z'::timestamptz), ('2026-01-01 10:00:01Z')) s (at)
                """)

            #expect(answers == ["(t)", "(f)"])
        }
    }

    @Test func whatWasSaidIsNotWrittenAgain() async throws {
        try await Shop.open { shop in
            for asOf: Int64 in [10, 11, 12] {
                try await shop.insertRevocation(Self.payment, at: 5, asOf: asOf)
            }

            #expect(try await shop.count("counterfoil.revocations") == 1)
        }
    }

    @Test func aPartIsTheRefundOfEveryNameOfAPayment() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "pro")
            try #require(try await shop.insertGrant("a", Payment(id: "1", product: "pro", kind: "non_consumable")))

            try await shop.insertRevocation(
                Payment(id: "2", original: "1", product: "pro", kind: "non_consumable"), at: 5, share: 25_000)

            #expect(try await refund(shop) == "partly 25000")
            #expect(
                try await shop.rows("select detail from counterfoil.order_story where event = 'revocation'").first?
                    .contains("25 % of the payment") == true)
        }
    }
}
