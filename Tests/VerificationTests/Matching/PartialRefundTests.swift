// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

@Suite struct PartialRefundTests {
    @Test(arguments: [
        MatchingCase.signed(
            "a part", makeTransaction("1", refund: refund(.part(40_000))), .candidates([.init("1", .partlyRefunded)]),
            partlyRevoked: ["1"]),
        .signed(
            "nobody knows how much", makeTransaction("1", refund: refund(.unknown)),
            .candidates([.init("1", .partlyRefunded)]), partlyRevoked: ["1"]),
        .signed(
            "a reason without a date", makeTransaction("1", refund: refund(.unknown, isDated: false)),
            .candidates([.init("1", .partlyRefunded)]), partlyRevoked: ["1"]),
        .signed(
            "some seats", makeTransaction("1", refund: refund(.unknown, seats: 2, isDated: false)),
            .candidates([.init("1", .partlyRefunded)]), partlyRevoked: ["1"]),
        .signed("the whole", makeTransaction("1", refund: refund(.whole)), .refunded("1"), revoked: ["1"]),
        .signed(
            "the whole, seat by seat", makeTransaction("1", refund: refund(.whole, seats: 12)), .refunded("1"), revoked: ["1"]),
        .signed(
            "a part of what the client named", makeTransaction("1", refund: refund(.part(1))), hint: "1",
            .candidates([.init("1", .partlyRefunded)]), partlyRevoked: ["1"]),
        .signed(
            "a part of another product's payment", makeTransaction("1", product: "gems", refund: refund(.part(1))),
            .candidates([.init("1", .partlyRefunded)]), partlyRevoked: ["1"]),
        .signed(
            "a part in another app", makeTransaction("1", bundle: "elsewhere", refund: refund(.part(1))), .rejected(.wrongApp)),
        .signed(
            "a part in the sandbox, where nobody paid",
            makeTransaction("1", environment: .sandbox, refund: refund(.part(1))), .rejected(.sandboxNotAllowed),
            partlyRevoked: ["1"]),
        .signed(
            "a part of what a family member paid",
            makeTransaction("1", refund: refund(.part(1)), ownership: .familyShared), .rejected(.familyShared)),
    ])
    func paymentThatIsRefundedInPartIsKeptForAPerson(_ row: MatchingCase) {
        row.check()
    }

    @Test(arguments: [
        MatchingCase.receipt(
            "another payment pays before it",
            [makeTransaction("1", at: 1, refund: refund(.part(1))), makeTransaction("2", at: 2)],
            .candidates(["2", .init("1", .partlyRefunded)]), partlyRevoked: ["1"]),
        .receipt(
            "it outweighs a refund", [makeTransaction("1", refund: refund(.part(1))), makeTransaction("2", revokedAt: 2)],
            .candidates([.init("1", .partlyRefunded)]), revoked: ["2"], partlyRevoked: ["1"]),
        .receipt(
            "an old one says nothing of the order", [makeTransaction("1", at: -600, refund: refund(.part(1)))], .missing,
            unclaimed: ["1": .partlyRefunded], partlyRevoked: ["1"]),
        .receipt(
            "a later period was not bought again after it",
            [
                makeTransaction("1", webOrder: "w1", at: 1, refund: refund(.part(1))),
                makeTransaction("2", original: "1", webOrder: "w2", at: 3),
            ],
            order: makeOrder(kind: .autoRenewable), .candidates(["2", .init("1", .partlyRefunded)]), partlyRevoked: ["1"]),
    ])
    func refundInPartLeavesOtherPayments(_ row: MatchingCase) {
        row.check()
    }

    /// Anybody may know an id: the payment isn't kept under the order's account.
    @Test func bareIDOfAPartlyRefundedPaymentGoesToAPerson() {
        let found = VerifiedTransactions(
            [makeTransaction("1", refund: refund(.part(1)), token: token)], mayBeIncomplete: false, provesPossession: false,
            isConfirmed: true)

        let judgement = OrderMatching.judge(found, for: makeOrder(token: token), policy: AppPolicy(), hint: nil)

        #expect(judgement.verdict == .review(.partlyRefunded))
        #expect(judgement.others.isEmpty && !judgement.revoked.contains(where: \.isRefunded))
        #expect(judgement.revoked.map(\.id.rawValue) == ["1"])
    }
}
