// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

/// What stands against a payment by its proof alone: of what only the ledger knows, nothing does.
@Suite struct ProofObjectionTests {
    private static let review = AppPolicy(absentToken: .review)

    @Test(arguments: [
        MatchingCase.signed(
            "nobody says the kind", makeTransaction("1"), order: makeOrder(kind: nil),
            .candidates([.init("1", .unknownProduct)])),
        .signed(
            "only Apple says the kind", makeTransaction("1", kind: .consumable), order: makeOrder(kind: nil),
            .candidates(["1"])),
        .signed(
            "Apple and the shop agree on the kind", makeTransaction("1", kind: .consumable), .candidates(["1"])),
        .signed(
            "Apple and the shop differ on the kind", makeTransaction("1", kind: .nonConsumable),
            .candidates([.init("1", .productKindMismatch)])),
        .signed(
            "a restore of what the shop listed as a consumable", makeTransaction("2", original: "1"),
            .candidates([.init("2", .productKindMismatch)])),
        .signed(
            "a subscription without its billing event", makeTransaction("1"), order: makeOrder(kind: .autoRenewable),
            .candidates([.init("1", .subscriptionUnconfirmed)])),
        .signed(
            "a subscription with its billing event", makeTransaction("1", webOrder: "w1"),
            order: makeOrder(kind: .autoRenewable), .candidates(["1"])),
        .signed(
            "only auto-renewables have billing events", makeTransaction("1"), order: makeOrder(kind: .nonRenewing),
            .candidates(["1"])),
        .signed(
            "paid before the ledger began", makeTransaction("1", at: -5), policy: AppPolicy(ledgerStartsAt: orderTime),
            .candidates([.init("1", .beforeLedger)])),
        .signed(
            "paid as the ledger began", makeTransaction("1", at: 0), policy: AppPolicy(ledgerStartsAt: orderTime),
            .candidates(["1"])),
        .signed(
            "paid before the ledger began, for a recovery order", makeTransaction("1", at: -5),
            order: makeOrder(isRecovery: true), policy: AppPolicy(ledgerStartsAt: orderTime),
            .candidates([.init("1", .beforeLedger)])),
        .signed(
            "restored after the ledger began, paid before", makeTransaction("2", original: "1", paidAt: -5),
            order: makeOrder(kind: .nonConsumable), policy: AppPolicy(ledgerStartsAt: orderTime),
            .candidates([.init("2", .beforeLedger)])),
        .signed(
            "paid before the order, within the tolerance", makeTransaction("1", at: -10), .candidates(["1"])),
        .signed(
            "paid before the order, beyond the tolerance", makeTransaction("1", at: -10.01),
            .candidates([.init("1", .purchaseBeforeOrder)])),
        .signed(
            "the tolerance is the policy's", makeTransaction("1", at: -10),
            policy: AppPolicy(purchaseTimeTolerance: 60),
            .candidates([.init("1", .purchaseBeforeOrder)])),
        .signed(
            "paid before a recovery order", makeTransaction("1", at: -600), order: makeOrder(isRecovery: true),
            .candidates(["1"])),
        .signed(
            "restored after the order, paid before", makeTransaction("2", original: "1", paidAt: -600),
            order: makeOrder(kind: .nonConsumable), .candidates([.init("2", .purchaseBeforeOrder)])),
        .signed(
            "renewed after the order, first paid before",
            makeTransaction("2", original: "1", webOrder: "w2", paidAt: -600), order: makeOrder(kind: .autoRenewable),
            .candidates(["2"])),
        .signed(
            "the tokens differ: the ledger decides", makeTransaction("1", token: otherToken), order: makeOrder(token: token),
            .candidates(["1"])),
        .signed(
            "the tokens agree", makeTransaction("1", token: token), order: makeOrder(token: token),
            policy: review, .candidates(["1"])),
        .signed(
            "the transaction's token is absent, to be reviewed", makeTransaction("1"), order: makeOrder(token: token),
            policy: review, .candidates([.init("1", .tokenMissing)])),
        .signed(
            "the transaction's token is absent, to be accepted", makeTransaction("1"), order: makeOrder(token: token),
            .candidates(["1"])),
        .signed(
            "the order's token is absent: the ledger decides", makeTransaction("1", token: token), policy: review,
            .candidates(["1"])),
        .signed("both tokens are absent", makeTransaction("1"), policy: review, .candidates(["1"])),
        .signed(
            "less paid than ordered", makeTransaction("1", quantity: 2), order: makeOrder(quantity: 3),
            .candidates([.init("1", .quantityShort)])),
        .signed(
            "as much paid as ordered", makeTransaction("1", quantity: 3), order: makeOrder(quantity: 3),
            .candidates(["1"])),
        .signed(
            "bought through Advanced Commerce", makeTransaction("1", isAdvancedCommerce: true),
            .candidates([.init("1", .unsupportedYet)])),
        .signed(
            "another product, bought through Advanced Commerce",
            makeTransaction("1", product: "gems", isAdvancedCommerce: true), .candidates([.init("1", .unsupportedYet)])),
        .signed(
            "bought through Advanced Commerce and refunded in part",
            makeTransaction("1", refund: refund(.part(1)), isAdvancedCommerce: true),
            .candidates([.init("1", .unsupportedYet)]), partlyRevoked: ["1"]),
        .signed(
            "bought through Advanced Commerce and refunded", makeTransaction("1", revokedAt: 2, isAdvancedCommerce: true),
            .refunded("1"), revoked: ["1"]),
        .signed(
            "more paid than ordered", makeTransaction("1", quantity: 4), order: makeOrder(quantity: 3),
            .candidates(["1"])),
    ])
    func objectionIsSeen(_ row: MatchingCase) {
        row.check()
    }

    /// The proof's own refunds are in the ledger by the time that it is asked.
    @Test(arguments: [
        MatchingCase.receipt(
            "a non-consumable bought again after its refund",
            [makeTransaction("1", revokedAt: 2), makeTransaction("2", original: "1", at: 3)],
            order: makeOrder(kind: .nonConsumable), .candidates(["2"]),
            revoked: ["1"]),
        .receipt(
            "a copy of a non-consumable from before its refund",
            [makeTransaction("1", revokedAt: 4), makeTransaction("2", original: "1", at: 3)],
            order: makeOrder(kind: .nonConsumable), .candidates(["2"]),
            revoked: ["1"]),
        .receipt(
            "a subscription period after a refunded one",
            [
                makeTransaction("1", webOrder: "w1", revokedAt: 2),
                makeTransaction("2", original: "1", webOrder: "w2", at: 3),
            ],
            order: makeOrder(kind: .autoRenewable), .candidates(["2"]), revoked: ["1"]),
        .receipt(
            "a subscription period from before the refund of another",
            [
                makeTransaction("1", webOrder: "w1", revokedAt: 4),
                makeTransaction("2", original: "1", webOrder: "w2", at: 3),
            ],
            order: makeOrder(kind: .autoRenewable), .candidates(["2"]), revoked: ["1"]),
        .receipt(
            "another original transaction after a refund",
            [makeTransaction("1", revokedAt: 2), makeTransaction("2", at: 3)], order: makeOrder(kind: .nonConsumable),
            .candidates(["2"]), revoked: ["1"]),
        .receipt(
            "a purchase after family sharing ended",
            [
                makeTransaction("1", revokedAt: 2, ownership: .familyShared),
                makeTransaction("2", original: "1", at: 3),
            ],
            order: makeOrder(kind: .nonConsumable), .candidates(["2"])),
    ])
    func purchaseAfterARefundIsTheLedgersToJudge(_ row: MatchingCase) {
        row.check()
    }

    /// Transactions, each with one objection more than the next, the heaviest first.
    @Test(arguments: 0..<11)
    func heaviestObjectionIsTold(_ mended: Int) {
        let told: [Reason?] = [
            .unsupportedYet, .seatsAdded, .partlyRefunded, .beforeLedger, .unknownProduct, .productKindMismatch,
            .subscriptionUnconfirmed, .purchaseBeforeOrder, .tokenMissing, .quantityShort, nil,
        ]
        var order = makeOrder(kind: nil, quantity: 2, token: token)
        var policy = AppPolicy(absentToken: .review, ledgerStartsAt: moment(-20))
        var transaction = makeTransaction(
            "1", at: -30, refund: refund(.part(1)), isAdvancedCommerce: true, added: .seatAddition)

        if mended > 0 { transaction.isAdvancedCommerce = false }
        if mended > 1 { transaction.additionalReason = nil }
        if mended > 2 { transaction.revocation = nil }
        if mended > 3 { policy.ledgerStartsAt = nil }
        if mended > 4 {
            order.productKind = .consumable
            transaction.productKind = .autoRenewable
        }
        if mended > 5 { order.productKind = .autoRenewable }
        if mended > 6 { transaction.webOrderLineItemID = "w1" }
        if mended > 7 { order.isRecovery = true }
        if mended > 8 { transaction.appAccountToken = otherToken }
        if mended > 9 { order.quantity = 1 }
        let row = MatchingCase.signed(
            "heaviest of several", transaction, order: order, policy: policy, .candidates([.init("1", told[mended])]),
            partlyRevoked: mended > 2 ? [] : ["1"])

        row.check()
    }

    /// The ledger is asked for another order that such a payment was made for, by what the proof alone shows.
    @Test(arguments: [
        ElsewhereCase("made for the order", makeTransaction("1", token: token), order: makeOrder(token: token), false),
        ElsewhereCase("without any token", makeTransaction("1"), false),
        ElsewhereCase("without a token, for an order with one", makeTransaction("1"), order: makeOrder(token: token), false),
        ElsewhereCase("with another token", makeTransaction("1", token: otherToken), order: makeOrder(token: token), true),
        ElsewhereCase("with a token, for an order without one", makeTransaction("1", token: token), true),
        ElsewhereCase("from before the order", makeTransaction("1", at: -11), true),
        ElsewhereCase("from before the order, within the tolerance", makeTransaction("1", at: -9), false),
        ElsewhereCase("from before a recovery order", makeTransaction("1", at: -11), order: makeOrder(isRecovery: true), false),
        ElsewhereCase(
            "from before the order, less than ordered", makeTransaction("1", at: -11), order: makeOrder(quantity: 2), true),
        ElsewhereCase("of another product", makeTransaction("1", product: "gems", kind: .consumable), true),
        ElsewhereCase("of another product, of an unknown kind", makeTransaction("1", product: "gems"), false),
        ElsewhereCase(
            "of another product, listed as of another kind", makeTransaction("1", product: "gems", kind: .nonConsumable), true),
        ElsewhereCase("of another kind than listed", makeTransaction("1", kind: .nonConsumable, at: -11), false),
        ElsewhereCase("that restores a consumable", makeTransaction("2", original: "1", at: -11), false),
        ElsewhereCase("bought through Advanced Commerce", makeTransaction("1", at: -11, isAdvancedCommerce: true), false),
        ElsewhereCase("refunded in part", makeTransaction("1", at: -11, refund: refund(.part(1))), false),
        ElsewhereCase(
            "from before the ledger", makeTransaction("1", at: -11), policy: AppPolicy(ledgerStartsAt: orderTime), false),
        ElsewhereCase(
            "an unconfirmed period", makeTransaction("1", at: -11), order: makeOrder(kind: .autoRenewable), false),
        ElsewhereCase("known by its id alone", makeTransaction("1", token: token), isBareID: true, false),
    ])
    func onlyWhatNeedsNoOperatorMayPayAnOlderOrder(_ row: ElsewhereCase) {
        let payment = PaymentFacts(ShownPayment(row.transaction, listedKind: row.listedKind, provesPossession: !row.isBareID))

        let objections = Fit.objections(to: payment, for: row.order, under: row.policy)

        #expect(Fit.mayPayAnOlderOrder(payment, than: row.order, objections) == row.isLookedFor)
    }

    struct ElsewhereCase: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let transaction: Transaction
        let order: Order
        let policy: AppPolicy
        let isBareID: Bool
        let isLookedFor: Bool

        /// The shop's list, as far as the job bears it.
        var listedKind: ProductKind? { transaction.productID == order.productID ? order.productKind : nil }

        init(
            _ name: String, _ transaction: Transaction, order: Order = makeOrder(), policy: AppPolicy = AppPolicy(),
            isBareID: Bool = false, _ isLookedFor: Bool
        ) {
            testDescription = name
            self.transaction = transaction
            self.order = order
            self.policy = policy
            self.isBareID = isBareID
            self.isLookedFor = isLookedFor
        }
    }

    struct KeyCase: CustomTestStringConvertible {
        let testDescription: String
        var signed: ProductKind?
        var listed: ProductKind?
        let kind: ProductKind?
        let key: String
    }

    @Test(arguments: [
        KeyCase(
            testDescription: "Apple's word counts", signed: .consumable, listed: .nonConsumable, kind: .consumable,
            key: "transaction:2"),
        KeyCase(
            testDescription: "Apple's word counts the other way round", signed: .nonConsumable, listed: .consumable,
            kind: .nonConsumable, key: "original:1"),
        KeyCase(testDescription: "only Apple's word", signed: .autoRenewable, kind: .autoRenewable, key: "web_order:w"),
        KeyCase(testDescription: "listed as consumable", listed: .consumable, kind: .consumable, key: "transaction:2"),
        KeyCase(
            testDescription: "listed as non-consumable", listed: .nonConsumable, kind: .nonConsumable, key: "original:1"
        ),
        KeyCase(testDescription: "listed as non-renewing", listed: .nonRenewing, kind: .nonRenewing, key: "original:1"),
        KeyCase(
            testDescription: "listed as auto-renewable", listed: .autoRenewable, kind: .autoRenewable,
            key: "web_order:w"),
        KeyCase(testDescription: "nobody's word, as a name", kind: nil, key: "transaction:2"),
    ])
    func keyFollowsAppleThenTheShop(_ row: KeyCase) {
        let transaction = makeTransaction("2", original: "1", webOrder: "w", kind: row.signed)

        let judgement = OrderMatching.judge(
            VerifiedTransactions([transaction], mayBeIncomplete: false), for: makeOrder(kind: row.listed),
            policy: AppPolicy(), hint: nil)

        guard case .candidates(let candidates) = judgement.verdict else {
            Issue.record("no candidate: \(judgement.verdict)")
            return
        }
        #expect(candidates.map { PaymentFacts($0).kind } == [row.kind])
        #expect(candidates.map { PaymentFacts($0).key.rawValue } == [row.key])
    }
}
