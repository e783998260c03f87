// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification

/// Transactions that the database can't keep, beside others that it can.
@Suite struct UnstorableMatchingTests {
    private static let sandbox = AppPolicy(allowsSandbox: true)

    @Test(arguments: [
        MatchingCase.signed("a payment is left to an operator", makeTransaction("1\0"), .review(.unknownAnswer)),
        .signed("too many units, too", makeTransaction("1", quantity: 2_147_483_648), .review(.unknownAnswer)),
        .signed("it isn't unclaimed", makeTransaction("1\0", product: "gems"), .review(.unknownAnswer)),
        .signed("the product may be the unreadable part", makeTransaction("1", product: "coins\0"), .review(.unknownAnswer)),
        .signed("its refund isn't recorded", makeTransaction("1\0", revokedAt: 2), .review(.unknownAnswer)),
        .signed("another app's stays another app's", makeTransaction("1\0", bundle: "elsewhere"), .rejected(.wrongApp)),
        .signed("a bundle id with a NUL is another app's", makeTransaction("1", bundle: "shop\0"), .rejected(.wrongApp)),
        .signed("nobody paid in the sandbox", makeTransaction("1\0", environment: .sandbox), .rejected(.sandboxNotAllowed)),
        .signed(
            "a refund in the denied sandbox isn't recorded", makeTransaction("1\0", environment: .sandbox, revokedAt: 2),
            .rejected(.sandboxNotAllowed)),
        .signed(
            "a sandbox purchase counts where the policy allows it", makeTransaction("1\0", environment: .sandbox), policy: sandbox,
            .review(.unknownAnswer)),
        .receipt("another of the receipt pays", [makeTransaction("1\0"), makeTransaction("2")], .candidates(["2"])),
        .receipt(
            "what else the receipt shows is kept",
            [makeTransaction("1\0"), makeTransaction("2", product: "gems"), makeTransaction("3", product: "gems", revokedAt: 2)],
            .review(.unknownAnswer), unclaimed: ["2": .noOrder], revoked: ["3"]),
        .receipt(
            "it outweighs a refund that the client didn't name", [makeTransaction("1\0"), makeTransaction("2", revokedAt: 2)],
            .review(.unknownAnswer), revoked: ["2"]),
        .receipt(
            "it doesn't outweigh the refund that the client named", [makeTransaction("1\0"), makeTransaction("2", revokedAt: 2)],
            hint: "2", .refunded("2"), revoked: ["2"]),
        .receipt("a receipt that lacks what the client named is an old one", [makeTransaction("1\0")], hint: "2", .missing),
        .receipt(
            "it may be what the client named", [makeTransaction("1", original: "1\0")], hint: "1", .review(.unknownAnswer)),
        .receipt(
            "the denied sandbox doesn't hide it",
            [makeTransaction("1\0"), makeTransaction("2", environment: .sandbox, product: "gems")],
            .review(.unknownAnswer)),
    ])
    func aTransactionThatCanNotBeKeptIsLeftToAnOperator(_ row: MatchingCase) {
        row.check()
    }

    @Test func itIsDescribedWhateverPays() {
        let judgement = MatchingCase.receipt("", [makeTransaction("1\0"), makeTransaction("2")], .missing)
            .judge([makeTransaction("1\0"), makeTransaction("2")])

        #expect(judgement.unstorable.count == 1)
        #expect(judgement.others.isEmpty)
    }

    @Test func aBareIDThatCanNotBeKeptIsLeftToAnOperator() {
        let judgement = OrderMatching.judge(
            VerifiedTransactions([makeTransaction("1", quantity: .max)], mayBeIncomplete: false, provesPossession: false),
            for: makeOrder(), policy: AppPolicy(), hint: nil)

        #expect(judgement.verdict == .review(.unknownAnswer))
        #expect(judgement.unstorable.count == 1)
    }
}
