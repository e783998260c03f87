// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import Verification

@Suite struct DistinctTransactionsTests {
    private func distinct(_ transactions: [Transaction]) -> [Transaction] {
        VerifiedTransactions(transactions, mayBeIncomplete: true).distinct
    }

    @Test(arguments: [
        ("the revocation", makeTransaction("1", revokedAt: 2)),
        ("the token", makeTransaction("1", token: token)),
        ("the billing event", makeTransaction("1", webOrder: "w1")),
        ("the kind", makeTransaction("1", kind: .consumable)),
        ("the ownership", makeTransaction("1", ownership: .familyShared)),
        ("the original purchase", makeTransaction("1", paidAt: -5)),
        ("a refund of a part", makeTransaction("1", refund: refund(.part(40_000)))),
        ("a refund of nobody knows how much", makeTransaction("1", refund: refund(.unknown))),
        ("Advanced Commerce", makeTransaction("1", isAdvancedCommerce: true)),
    ])
    func whatOneOfTwoEntriesSaysIsKept(_ name: String, _ fuller: Transaction) {
        let bare = makeTransaction("1")

        #expect(distinct([bare, fuller]) == [fuller])
        #expect(distinct([fuller, bare]) == [fuller])
    }

    @Test func whatThreeEntriesSayIsKept() {
        let entries = [
            makeTransaction("1", token: token), makeTransaction("1", revokedAt: 2),
            makeTransaction("1", webOrder: "w1"),
        ]

        let whole = makeTransaction("1", webOrder: "w1", revokedAt: 2, token: token)
        #expect(distinct(entries) == [whole])
        #expect(distinct(entries.reversed()) == [whole])
    }

    @Test func endOfASubscriptionIsKept() {
        var fuller = makeTransaction("1", webOrder: "w1")
        fuller.expiresDate = moment(100)

        #expect(distinct([makeTransaction("1"), fuller]) == [fuller])
    }

    @Test func whoMadeThePurchaseIsKept() {
        var fuller = makeTransaction("1", webOrder: "w1")
        fuller.purchaseReason = .renewal

        #expect(distinct([makeTransaction("1"), fuller]) == [fuller])
        #expect(distinct([fuller, makeTransaction("1")]) == [fuller])
    }

    @Test func revokedEntryIsBelievedBeforeTheOneWithAToken() {
        let revoked = makeTransaction("1", quantity: 1, revokedAt: 2)
        let bearing = makeTransaction("1", quantity: 2, token: token)

        let kept = distinct([bearing, revoked])

        #expect(kept.map(\.quantity) == [1])
        #expect(kept.map(\.appAccountToken) == [token])
    }

    /// A receipt knows no parts, and shows any refund as the whole.
    @Test(arguments: [
        (Revocation.Share.part(40_000), Revocation.Share.whole, Revocation.Share.part(40_000)),
        (.unknown, .whole, .whole), (.unknown, .part(40_000), .part(40_000)),
    ])
    func partIsBelievedBeforeTheWhole(first: Revocation.Share, second: Revocation.Share, believed: Revocation.Share) {
        let entries = [
            makeTransaction("1", refund: refund(first), token: token), makeTransaction("1", refund: refund(second)),
        ]

        #expect(distinct(entries).map(\.revocation?.share) == [believed])
        #expect(distinct(entries.reversed()).map(\.revocation?.share) == [believed])
    }

    @Test func entryWithATokenIsBelievedBeforeTheOneWithout() {
        let bearing = makeTransaction("1", quantity: 1, token: token)
        let bare = makeTransaction("1", quantity: 2)

        #expect(distinct([bare, bearing]) == [bearing])
    }

    @Test(arguments: [
        ("another id", makeTransaction("2")),
        ("another app", makeTransaction("1", bundle: "elsewhere")),
        ("another environment", makeTransaction("1", environment: .sandbox)),
    ])
    func otherTransactionsStayApart(_ name: String, _ other: Transaction) {
        #expect(Set(distinct([makeTransaction("1"), other])) == [makeTransaction("1"), other])
    }

    @Test func transactionsComeOldestFirst() {
        let shuffled = [
            makeTransaction("3", at: 2), makeTransaction("2", at: 1), makeTransaction("4", at: 0),
            makeTransaction("1", at: 1),
        ]

        #expect(distinct(shuffled).map(\.id.rawValue) == ["4", "1", "2", "3"])
    }

    @Test(arguments: [
        MatchingCase.receipt(
            "one transaction shown twice is one candidate", [makeTransaction("1"), makeTransaction("1", token: token)],
            order: makeOrder(token: token), policy: AppPolicy(absentToken: .review), .candidates(["1"])),
        .receipt(
            "one refund shown twice, once without its date",
            [makeTransaction("1"), makeTransaction("1", revokedAt: 2)], .refunded("1"), revoked: ["1"]),
        .receipt(
            "family sharing stands in one entry only",
            [makeTransaction("1"), makeTransaction("1", ownership: .familyShared)], .rejected(.familyShared)),
        .receipt(
            "one payment for another product shown twice is unclaimed once",
            [makeTransaction("1", product: "gems"), makeTransaction("1", product: "gems", token: token)], .missing,
            unclaimed: ["1": .noOrder]),
    ])
    func transactionShownTwiceCountsOnce(_ row: MatchingCase) {
        row.check()
    }
}
