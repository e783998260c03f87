// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

@Suite struct OrderMatchingTests {
    @Test(arguments: [
        MatchingCase.signed("a purchase of the order's product pays", makeTransaction("1"), .candidates(["1"])),
        .signed(
            "another app's transaction is never ours to claim", makeTransaction("1", bundle: "elsewhere"),
            .rejected(.wrongApp)),
        .signed(
            "another app outweighs the sandbox", makeTransaction("1", bundle: "elsewhere", environment: .sandbox),
            .rejected(.wrongApp)),
        .signed(
            "another app's refund is not recorded", makeTransaction("1", bundle: "elsewhere", revokedAt: 2),
            .rejected(.wrongApp)),
        .signed(
            "nobody paid in the sandbox", makeTransaction("1", environment: .sandbox), .rejected(.sandboxNotAllowed)),
        .signed(
            "the sandbox outweighs a wrong product", makeTransaction("1", environment: .sandbox, product: "gems"),
            .rejected(.sandboxNotAllowed)),
        .signed(
            "the sandbox outweighs a refund, which is recorded all the same",
            makeTransaction("1", environment: .sandbox, revokedAt: 2), .rejected(.sandboxNotAllowed), revoked: ["1"]),
        .signed(
            "the sandbox outweighs family sharing",
            makeTransaction("1", environment: .sandbox, ownership: .familyShared), .rejected(.sandboxNotAllowed)),
        .signed(
            "a sandbox purchase pays where the policy allows it", makeTransaction("1", environment: .sandbox),
            policy: AppPolicy(allowsSandbox: true), .candidates(["1"])),
        .signed(
            "a sandbox purchase of another product counts where the policy allows it",
            makeTransaction("1", environment: .sandbox, product: "gems"), policy: AppPolicy(allowsSandbox: true),
            .candidates([.init("1", .wrongProduct)])),
        .signed(
            "a family member's purchase pays for nothing", makeTransaction("1", ownership: .familyShared),
            .rejected(.familyShared)),
        .signed(
            "a family member's purchase of another product is a wrong product, and unpaid",
            makeTransaction("1", product: "gems", ownership: .familyShared), .rejected(.wrongProduct)),
        .signed(
            "the end of family sharing is no refund to this customer",
            makeTransaction("1", revokedAt: 2, ownership: .familyShared), .rejected(.familyShared)),
        .signed(
            "a payment taken back refunds the order", makeTransaction("1", revokedAt: 2), .refunded("1"),
            revoked: ["1"]),
        .signed(
            "an old purchase that was taken back doesn't end an order that another may pay",
            makeTransaction("1", at: -600, revokedAt: -300), .review(.purchaseBeforeOrder), revoked: ["1"]),
        .signed(
            "an old purchase that the client named may be the order's refund",
            makeTransaction("1", at: -600, revokedAt: -300), hint: "1", .refunded("1"), revoked: ["1"]),
        .signed(
            "a refund of a payment without a token ends the order", makeTransaction("1", revokedAt: 2),
            order: makeOrder(token: token), policy: AppPolicy(absentToken: .review), .refunded("1"), revoked: ["1"]),
        .signed(
            "of a refund of another product the ledger knows more", makeTransaction("1", product: "gems", revokedAt: 2),
            .refunded("1"), revoked: ["1"]),
        .signed(
            "of a payment for another product the ledger knows more", makeTransaction("1", product: "gems"),
            .candidates([.init("1", .wrongProduct)])),
        .signed(
            "a hint does not make another product fit", makeTransaction("1", product: "gems"), hint: "1",
            .candidates([.init("1", .wrongProduct)])),
        .signed(
            "a hint that names another transaction changes nothing", makeTransaction("1"), hint: "2",
            .candidates(["1"])),
        .signed(
            "an old purchase with a signature of its own is left to a person", makeTransaction("1", at: -600),
            .candidates([.init("1", .purchaseBeforeOrder)])),
    ])
    func singleTransactionIsJudged(_ row: MatchingCase) {
        row.check()
    }

    /// Anybody may know an id: nothing is kept of what it shows, and the ledger isn't asked.
    @Test(arguments: [makeTransaction("1", product: "gems"), makeTransaction("1", product: "gems", revokedAt: 2)])
    func bareIDOfAnotherProductIsRejected(_ transaction: Transaction) {
        let judgement = OrderMatching.judge(
            VerifiedTransactions([transaction], mayBeIncomplete: false, provesPossession: false), for: makeOrder(),
            policy: AppPolicy(), hint: nil)

        #expect(judgement.verdict == .rejected(.wrongProduct))
        #expect(judgement.others == [])
    }

    @Test func whatTheClientNamedIsNotAwaitedForEver() {
        let judgement = OrderMatching.judge(
            VerifiedTransactions([makeTransaction("1")], mayBeIncomplete: true), for: makeOrder(), policy: AppPolicy(),
            hint: TransactionID(rawValue: "2"), awaitsHinted: false)

        guard case .candidates = judgement.verdict else {
            Issue.record("not offered: \(judgement.verdict)")
            return
        }
    }

    /// Also one whose entries can't be read.
    @Test(
        arguments: [
            (nil, Verdict.missing), (makeOrder().bundleID, .missing),
            (BundleID(rawValue: "elsewhere"), .rejected(.wrongApp)),
        ] as [(BundleID?, Verdict)], [0, 1])
    func anEmptyReceiptOfAnotherAppIsRefusedAtOnce(_ row: (app: BundleID?, verdict: Verdict), skipped: Int) {
        let receipt = VerifiedTransactions([], mayBeIncomplete: true, bundleID: row.app, skipped: skipped)

        #expect(OrderMatching.judge(receipt, for: makeOrder(), policy: AppPolicy(), hint: nil).verdict == row.verdict)
    }

    @Test func proofOfOneTransactionThatShowsNoneIsLookedAtAgain() {
        MatchingCase(testDescription: "empty", transactions: [], isReceipt: false, expected: .missing).check()
    }

    @Test(arguments: [
        MatchingCase.receipt("an empty receipt is looked at again", [], .missing),
        .receipt(
            "a receipt without the product is looked at again", [makeTransaction("1", product: "gems")], .missing,
            unclaimed: ["1": .noOrder]),
        .receipt(
            "other products beside the right one are unclaimed",
            [makeTransaction("1", product: "gems"), makeTransaction("2")], .candidates(["2"]),
            unclaimed: ["1": .noOrder]),
        .receipt(
            "other products that were refunded or shared are not unclaimed",
            [
                makeTransaction("1", product: "gems", revokedAt: 2),
                makeTransaction("2", product: "gems", ownership: .familyShared),
            ], .missing, revoked: ["1"]),
        .receipt(
            "a receipt of another app", [makeTransaction("1", bundle: "elsewhere")], .rejected(.wrongApp)),
        .receipt(
            "another app's transaction beside ours is passed over",
            [makeTransaction("1", bundle: "elsewhere", at: 0), makeTransaction("2")], .candidates(["2"])),
        .receipt(
            "another app's transaction beside another product is passed over",
            [makeTransaction("1", bundle: "elsewhere"), makeTransaction("2", product: "gems")], .missing,
            unclaimed: ["2": .noOrder]),
        .receipt(
            "a sandbox receipt, all of it",
            [
                makeTransaction("1", environment: .sandbox),
                makeTransaction("2", environment: .sandbox, product: "gems"),
            ], .rejected(.sandboxNotAllowed)),
        .receipt(
            "a family member's purchase beside a payment",
            [makeTransaction("1", ownership: .familyShared), makeTransaction("2", at: 2)], .candidates(["2"])),
        .receipt(
            "a family member's purchase beside an old payment that is not offered",
            [makeTransaction("1", ownership: .familyShared), makeTransaction("2", at: -600)], .missing,
            unclaimed: ["2": .noOrder]),
        .receipt(
            "a family member's purchase alone of its product",
            [makeTransaction("1", ownership: .familyShared), makeTransaction("2", product: "gems")],
            .rejected(.familyShared), unclaimed: ["2": .noOrder]),
        .receipt(
            "a family member's purchase from before the order", [makeTransaction("1", at: -600, ownership: .familyShared)],
            .missing),
        .receipt(
            "a family member's purchase from before the order, named",
            [makeTransaction("1", at: -600, ownership: .familyShared)], hint: "1", .rejected(.familyShared)),
        .receipt(
            "a consumable beside which the one that the client named is missing", [makeTransaction("1")], hint: "2",
            .missing, unclaimed: ["1": .noOrder]),
        .receipt(
            "a family member's purchase beside which the one that the client named is missing",
            [makeTransaction("1", ownership: .familyShared)], hint: "2", .missing),
        .receipt(
            "what a restore may show under another id than the client named", [makeTransaction("1")],
            order: makeOrder(kind: .nonConsumable), hint: "2", .candidates(["1"])),
        .receipt(
            "a receipt that shows what the client named, of another product",
            [makeTransaction("1"), makeTransaction("2", product: "gems")], hint: "2", .candidates(["1"]),
            unclaimed: ["2": .noOrder]),
        .receipt(
            "a family member's purchase beside the refund of ours",
            [makeTransaction("1", ownership: .familyShared), makeTransaction("2", revokedAt: 2)], .refunded("2"),
            revoked: ["2"]),
    ])
    func receiptIsSorted(_ row: MatchingCase) {
        row.check()
    }

    @Test(arguments: [
        MatchingCase.receipt(
            "the oldest payment pays first",
            [makeTransaction("1", at: 3), makeTransaction("2", at: 1), makeTransaction("3", at: 2)],
            .candidates(["2", "3", "1"])),
        .receipt(
            "of payments of one moment the smaller id pays first",
            [makeTransaction("b"), makeTransaction("a"), makeTransaction("c")], .candidates(["a", "b", "c"])),
        .receipt(
            "the payment that the client named pays first",
            [makeTransaction("1", at: 1), makeTransaction("2", at: 2), makeTransaction("3", at: 3)], hint: "2",
            .candidates(["2", "1", "3"])),
        .receipt(
            "the client may name it by an id that is not its original id",
            [makeTransaction("1", at: 1), makeTransaction("2", original: "0", at: 2)],
            order: makeOrder(kind: .nonRenewing), hint: "2",
            .candidates(["2", "1"])),
        .receipt(
            "the client may name it by its original id",
            [makeTransaction("1", at: 1), makeTransaction("2", original: "0", at: 2)],
            order: makeOrder(kind: .nonRenewing), hint: "0",
            .candidates(["2", "1"])),
        .receipt(
            "a payment with the order's token pays before the one that the client named",
            [makeTransaction("1", at: 1), makeTransaction("2", at: 2)].map { transaction in
                var transaction = transaction
                transaction.appAccountToken = transaction.id.rawValue == "2" ? otherToken : token
                return transaction
            },
            order: makeOrder(token: token), hint: "2", .candidates(["1", "2"])),
        .receipt(
            "of payments with other tokens the named one comes first, then the oldest",
            [
                makeTransaction("1", at: 1, token: otherToken), makeTransaction("2", at: 2, token: otherToken),
                makeTransaction("3", at: 3, token: otherToken),
            ],
            order: makeOrder(token: token), hint: "3",
            .candidates(["3", "1", "2"])),
    ])
    func candidatesComeInOrderOfPreference(_ row: MatchingCase) {
        row.check()
    }

    @Test(arguments: [
        MatchingCase.receipt(
            "an old payment alone says nothing about the order", [makeTransaction("1", at: -600)], .missing,
            unclaimed: ["1": .noOrder]),
        .receipt(
            "an old payment behind a new one is left out", [makeTransaction("1", at: -600), makeTransaction("2")],
            .candidates(["2"]), unclaimed: ["1": .noOrder]),
        .receipt(
            "an old payment that the client named stays, for a person", [makeTransaction("1", at: -600)], hint: "1",
            .candidates([.init("1", .purchaseBeforeOrder)])),
        .receipt(
            "an old payment that the client named stays behind a new one",
            [makeTransaction("1", at: -600), makeTransaction("2"), makeTransaction("3", at: -600)], hint: "1",
            .candidates(["2", .init("1", .purchaseBeforeOrder)]), unclaimed: ["3": .noOrder]),
        .receipt(
            "only the named one of two old payments stays",
            [makeTransaction("1", at: -600), makeTransaction("2", at: -500)], hint: "2",
            .candidates([.init("2", .purchaseBeforeOrder)]), unclaimed: ["1": .noOrder]),
        .receipt(
            "an old non-consumable stays, for the ledger may know it", [makeTransaction("1", at: -600)],
            order: makeOrder(kind: .nonConsumable), .candidates([.init("1", .purchaseBeforeOrder)])),
        .receipt(
            "an old non-renewing subscription stays, for the ledger may know it", [makeTransaction("1", at: -600)],
            order: makeOrder(kind: .nonRenewing), .candidates([.init("1", .purchaseBeforeOrder)])),
        .receipt(
            "an old non-consumable behind a new one is left out",
            [makeTransaction("1", at: -600), makeTransaction("2")], order: makeOrder(kind: .nonConsumable),
            .candidates(["2"]), unclaimed: ["1": .noOrder]),
        .receipt(
            "an old non-consumable and its restore are one payment, and stay together",
            [makeTransaction("1", at: -600), makeTransaction("2", original: "1")],
            order: makeOrder(kind: .nonConsumable), .candidates(["2", .init("1", .purchaseBeforeOrder)])),
        .receipt(
            "an old subscription period says nothing about the order",
            [makeTransaction("1", webOrder: "w1", at: -600)], order: makeOrder(kind: .autoRenewable), .missing,
            unclaimed: ["1": .noOrder]),
        .receipt(
            "an old payment of an unknown kind says nothing about the order", [makeTransaction("1", at: -600)],
            order: makeOrder(kind: nil), .missing, unclaimed: ["1": .unknownProduct]),
        .receipt(
            "an old payment with another objection besides says nothing either",
            [makeTransaction("1", at: -600, token: otherToken)], order: makeOrder(quantity: 2, token: token),
            .missing, unclaimed: ["1": .noOrder]),
        .receipt(
            "an unconfirmed subscription period from before the order says nothing",
            [makeTransaction("1", at: -600)], order: makeOrder(kind: .autoRenewable), .missing,
            unclaimed: ["1": .subscriptionUnconfirmed]),
        .receipt(
            "a payment from before order and ledger says nothing", [makeTransaction("1", at: -600)],
            policy: AppPolicy(ledgerStartsAt: moment(-300)), .missing, unclaimed: ["1": .beforeLedger]),
        .receipt(
            "a new payment with another token is better than an old one",
            [makeTransaction("1", at: -600), makeTransaction("2", token: otherToken)], order: makeOrder(token: token),
            .candidates(["2"]), unclaimed: ["1": .noOrder]),
        .receipt(
            "a recovery order is made for an old payment", [makeTransaction("1", at: -600)],
            order: makeOrder(isRecovery: true), .candidates(["1"])),
        .receipt(
            "a payment within the tolerance is not old", [makeTransaction("1", at: -10)], .candidates(["1"])),
        .receipt(
            "a payment beyond the tolerance is old", [makeTransaction("1", at: -10.01)], .missing,
            unclaimed: ["1": .noOrder]),
    ])
    func oldEntriesOfAReceiptAreSetApart(_ row: MatchingCase) {
        row.check()
    }

    @Test(arguments: [
        MatchingCase.receipt(
            "the only payment was taken back", [makeTransaction("1", revokedAt: 2)], .refunded("1"), revoked: ["1"]),
        .receipt(
            "of several payments taken back the oldest is named",
            [makeTransaction("1", at: 2, revokedAt: 3), makeTransaction("2", at: 1, revokedAt: 3)], .refunded("2"),
            revoked: ["1", "2"]),
        .receipt(
            "a payment taken back does not stop another", [makeTransaction("1", revokedAt: 2), makeTransaction("2")],
            .candidates(["2"]), revoked: ["1"]),
        .receipt(
            "the payment that the client named was taken back",
            [makeTransaction("1", revokedAt: 2), makeTransaction("2")], hint: "1", .refunded("1"),
            unclaimed: ["2": .noOrder], revoked: ["1"]),
        .receipt(
            "the payment that the client named is not the one taken back",
            [makeTransaction("1", revokedAt: 2), makeTransaction("2")], hint: "2", .candidates(["2"]), revoked: ["1"]),
        .receipt(
            "a name that fits a refund and a payment is the payment's",
            [makeTransaction("1", webOrder: "w1", revokedAt: 9), makeTransaction("2", original: "1", webOrder: "w2")],
            order: makeOrder(kind: .autoRenewable), hint: "1", .candidates(["2"]), revoked: ["1"]),
        .receipt(
            "an old refund says nothing about the order", [makeTransaction("1", at: -600, revokedAt: -300)],
            .missing, revoked: ["1"]),
        .receipt(
            "an old refund says nothing though the client named it",
            [makeTransaction("1", at: -600, revokedAt: -300), makeTransaction("2")], hint: "1", .candidates(["2"]),
            revoked: ["1"]),
        .receipt(
            "an old refund is a recovery order's", [makeTransaction("1", at: -600, revokedAt: -300)],
            order: makeOrder(isRecovery: true), .refunded("1"), revoked: ["1"]),
        .receipt(
            "a refund within the tolerance is the order's", [makeTransaction("1", at: -10, revokedAt: 2)],
            .refunded("1"), revoked: ["1"]),
        .receipt(
            "a refund outweighs an old payment", [makeTransaction("1", at: -600), makeTransaction("2", revokedAt: 2)],
            .refunded("2"), unclaimed: ["1": .noOrder], revoked: ["2"]),
        .receipt(
            "a payment with another token outweighs a refund",
            [makeTransaction("1", token: otherToken), makeTransaction("2", revokedAt: 2)],
            order: makeOrder(token: token), .candidates(["1"]), revoked: ["2"]),
        .receipt(
            "a refund of ours outweighs another owner's",
            [makeTransaction("1", revokedAt: 2, token: otherToken), makeTransaction("2", at: 2, revokedAt: 3, token: token)],
            order: makeOrder(token: token), .refunded("2"), revoked: ["1", "2"]),
        .receipt(
            "a refund beside which the payment that the client named is missing", [makeTransaction("1", revokedAt: 2)],
            order: makeOrder(kind: .nonConsumable), hint: "2", .missing, revoked: ["1"]),
        .receipt(
            "an old refund of another product is only recorded",
            [makeTransaction("1", product: "gems", revokedAt: 2), makeTransaction("2")], .candidates(["2"]),
            revoked: ["1"]),
    ])
    func refundsAreTold(_ row: MatchingCase) {
        row.check()
    }
}
