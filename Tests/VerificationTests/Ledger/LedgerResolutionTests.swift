// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

@Suite struct LedgerResolutionTests {
    @Test(arguments: [OrderState.open, .rejected, .review])
    func firstFreeCandidatePays(_ state: OrderState) {
        LedgerCase(
            "free", [.free("1"), .free("2")], order: makeOrder(state: state), .fulfilled("1"),
            unclaimed: ["2": .noOrder]
        ).check()
    }

    @Test(arguments: [
        LedgerCase("the only payment is free", [.free("1")], .fulfilled("1")),
        LedgerCase(
            "a payment of another order is passed over", [.free("1").held(by: "other"), .free("2")], .fulfilled("2")),
        LedgerCase(
            "a payment of another account's order is passed over",
            [.free("1").held(by: "other", account: "bob"), .free("2")], .fulfilled("2")),
        LedgerCase("a payment taken back is passed over", [.free("1").revoked, .free("2")], .fulfilled("2")),
        LedgerCase(
            "a payment with an obstacle is passed over, and unclaimed",
            [.free("1", obstacle: .tokenMissing), .free("2")], .fulfilled("2"), unclaimed: ["1": .noOrder]),
        LedgerCase(
            "the payments behind the one that pays are unclaimed, unless held or taken back",
            [
                .free("1"), .free("2"), .free("3").held(by: "other"), .free("4").revoked,
                .free("5", obstacle: .purchaseBeforeOrder),
            ], .fulfilled("1"), unclaimed: ["2": .noOrder, "5": .noOrder]),
        LedgerCase(
            "a later period of the subscription that pays is a renewal",
            [
                .free("2", original: "1", kind: .autoRenewable, at: 2),
                .free("3", original: "1", kind: .autoRenewable, at: 3),
                .free("1", original: "1", kind: .autoRenewable, at: 1), .free("4", kind: .autoRenewable, at: 4),
            ], .fulfilled("2"), unclaimed: ["3": .renewal, "1": .noOrder, "4": .noOrder]),
        LedgerCase(
            "of a later period Apple's word counts, of whichever proof",
            [
                .free("2", original: "1", kind: .autoRenewable, at: 2, until: 3),
                .free("3", original: "1", kind: .autoRenewable, at: 3, reason: .purchase),
                .free("4", original: "1", kind: .autoRenewable, at: 4).known(as: .purchase),
                .free("5", original: "1", kind: .autoRenewable, at: 100_000, reason: .renewal),
            ], .fulfilled("2"), unclaimed: ["3": .noOrder, "4": .noOrder, "5": .renewal]),
        LedgerCase(
            "without Apple's word a period renews what ended at most sixty days before it begins",
            [
                .free("2", original: "1", kind: .autoRenewable, at: 2, until: 3),
                .free("3", original: "1", kind: .autoRenewable, at: 86_403),
                .free("4", original: "1", kind: .autoRenewable, at: 86_404),
            ], .fulfilled("2"), unclaimed: ["3": .renewal, "4": .noOrder]),
        LedgerCase(
            "what the ledger knows to renew an earlier period is a renewal, too",
            [
                .free("2", original: "1", kind: .autoRenewable, at: 2, until: 3),
                .free("4", original: "1", kind: .autoRenewable, at: 86_404).renewal,
            ], .fulfilled("2"), unclaimed: ["4": .renewal]),
        LedgerCase(
            "only auto-renewables renew",
            [.free("1", original: "1", at: 1), .free("2", original: "1", at: 2)], .fulfilled("1"),
            unclaimed: ["2": .noOrder]),
        LedgerCase(
            "the restore of what pays is the same payment",
            [
                .free("2", original: "1", kind: .nonConsumable),
                .free("1", kind: .nonConsumable, obstacle: .beforeLedger),
            ],
            .fulfilled("2"), knownAgain: ["1"]),
        LedgerCase(
            "a payment anew under the key of what pays is unclaimed",
            [
                .free("1", kind: .nonConsumable),
                .free("2", original: "1", kind: .nonConsumable).boughtAgain,
            ],
            .fulfilled("1"), unclaimed: ["2": .noOrder]),
    ])
    func paymentIsChosen(_ row: LedgerCase) {
        row.check()
    }

    @Test(arguments: [
        LedgerCase(
            "a candidate's own obstacle", [.free("1", obstacle: .quantityShort)], .review(.quantityShort, "1"),
            unclaimed: ["1": .quantityShort]),
        LedgerCase(
            "the first of several obstacles is the order's; each payment keeps its own",
            [.free("1", obstacle: .quantityShort), .free("2", obstacle: .tokenMissing)], .review(.quantityShort, "1"),
            unclaimed: ["1": .quantityShort, "2": .tokenMissing]),
        LedgerCase(
            "it is another account's", [.free("1").anotherAccounts],
            .review(.ownerMismatch, "1"), unclaimed: ["1": .ownerMismatch]),
        LedgerCase(
            "another owner outweighs a purchase after a refund",
            [.free("1", token: token).boughtAgain.anotherAccounts], .review(.ownerMismatch, "1"),
            unclaimed: ["1": .ownerMismatch]),
        LedgerCase(
            "another owner outweighs the candidate's own obstacle",
            [.free("1", token: token, obstacle: .quantityShort).anotherAccounts],
            .review(.ownerMismatch, "1"), unclaimed: ["1": .ownerMismatch]),
        LedgerCase(
            "the tokens differ",
            [.free("1", token: otherToken, obstacle: .ownerMismatch).anotherAccounts],
            order: makeOrder(token: token), .review(.ownerMismatch, "1"), unclaimed: ["1": .ownerMismatch]),
        LedgerCase(
            "bought again after a refund", [.free("1").boughtAgain], .review(.boughtAgainAfterRevocation, "1"),
            unclaimed: ["1": .boughtAgainAfterRevocation]),
        LedgerCase(
            "a purchase after a refund outweighs the candidate's own obstacle",
            [.free("1", obstacle: .purchaseBeforeOrder).boughtAgain], .review(.boughtAgainAfterRevocation, "1"),
            unclaimed: ["1": .boughtAgainAfterRevocation]),
        LedgerCase(
            "recorded as taken back, and Apple says that it stands", [.free("1").confirmed.revoked],
            .review(.refundReversed, "1"), unclaimed: ["1": .refundReversed]),
        LedgerCase(
            "recorded as taken back, and signed unrefunded later", [.free("1").signed(at: 61).revoked],
            .review(.refundReversed, "1"), unclaimed: ["1": .refundReversed]),
        LedgerCase("recorded as taken back, and signed unrefunded before", [.free("1").signed(at: 60).revoked], .refunded("1")),
        LedgerCase(
            "another owner's, signed unrefunded after it was taken back", [.free("1").signed(at: 61).revoked.anotherAccounts],
            .review(.ownerMismatch, "1"), unclaimed: ["1": .ownerMismatch]),
        LedgerCase(
            "what another owner was paid back doesn't end the order",
            [.free("1", token: otherToken, obstacle: .ownerMismatch).revoked.anotherAccounts], order: makeOrder(token: token),
            .review(.ownerMismatch, "1")),
        LedgerCase(
            "what the holder of another account's token was paid back doesn't end the order",
            [.free("1", token: token).revoked.anotherAccounts], .review(.ownerMismatch, "1")),
        LedgerCase(
            "a free payment behind one with an obstacle from the ledger pays",
            [.free("1").boughtAgain, .free("2")], .fulfilled("2"), unclaimed: ["1": .noOrder]),
        LedgerCase(
            "a review outweighs a replay and a refund",
            [.free("1").held(by: "other"), .free("2").revoked, .free("3", obstacle: .tokenMissing)],
            .review(.tokenMissing, "3"), unclaimed: ["3": .tokenMissing]),
    ])
    func obstacleIsLeftToAPerson(_ row: LedgerCase) {
        row.check()
    }

    @Test(arguments: [
        LedgerCase(
            "the same payment for another order", [.free("1").held(by: "other")], .rejected(.alreadyGranted, "1")),
        LedgerCase(
            "a replay is told before an obstacle", [.free("1", obstacle: .purchaseBeforeOrder).held(by: "other")],
            .rejected(.alreadyGranted, "1")),
        LedgerCase(
            "a replay is told though the payment was taken back since", [.free("1").held(by: "other").revoked],
            .rejected(.alreadyGranted, "1")),
        LedgerCase(
            "another account's payment, taken back since",
            [.free("1").held(by: "other", account: "bob").revoked], .rejected(.grantedToAnotherAccount, nil)),
        LedgerCase(
            "a restored non-consumable",
            [
                .free("2", original: "1", kind: .nonConsumable, obstacle: .purchaseBeforeOrder)
                    .held(by: "other", as: "1")
            ],
            .rejected(.alreadyOwned, "2"), knownAgain: ["2"]),
        LedgerCase(
            "a restored non-renewing subscription",
            [.free("2", original: "1", kind: .nonRenewing).held(by: "other", as: "1")], .rejected(.alreadyOwned, "2"),
            knownAgain: ["2"]),
        LedgerCase(
            "the very transaction of a non-consumable", [.free("1", kind: .nonConsumable).held(by: "other")],
            .rejected(.alreadyGranted, "1")),
        LedgerCase(
            "a subscription period restored under another id",
            [.free("2", original: "1", kind: .autoRenewable).held(by: "other", as: "1")],
            .rejected(.alreadyGranted, "2"), knownAgain: ["2"]),
        LedgerCase(
            "a subscription period restored under another id, after a refund of an earlier one",
            [.free("2", original: "1", kind: .autoRenewable).held(by: "other", as: "1").boughtAgain],
            .rejected(.alreadyGranted, "2"), knownAgain: ["2"]),
        LedgerCase(
            "another account's payment", [.free("1").held(by: "other", account: "bob")],
            .rejected(.grantedToAnotherAccount, nil)),
        LedgerCase(
            "another account's non-consumable, restored",
            [.free("2", original: "1", kind: .nonConsumable).held(by: "other", account: "bob", as: "1")],
            .rejected(.grantedToAnotherAccount, nil), knownAgain: ["2"]),
        LedgerCase(
            "the same account is told before another",
            [.free("1").held(by: "other", account: "bob"), .free("2").held(by: "third")],
            .rejected(.alreadyGranted, "2")),
        LedgerCase(
            "the first of the same account's payments is told",
            [.free("1").held(by: "other"), .free("2").held(by: "third")], .rejected(.alreadyGranted, "1")),
        LedgerCase(
            "a replay is told before a refund", [.free("1").revoked, .free("2").held(by: "other")],
            .rejected(.alreadyGranted, "2")),
        LedgerCase(
            "another account's replay is told before a refund",
            [.free("1").revoked, .free("2").held(by: "other", account: "bob")],
            .rejected(.grantedToAnotherAccount, nil)),
        LedgerCase("the only payment was taken back", [.free("1").revoked], .refunded("1")),
        LedgerCase("all payments were taken back", [.free("1").revoked, .free("2").revoked], .refunded("1")),
        LedgerCase(
            "a payment taken back outweighs its obstacles",
            [.free("1", obstacle: .quantityShort).revoked.boughtAgain], .refunded("1")),
        LedgerCase(
            "a refund of ours outweighs another owner's",
            [
                .free("1", token: otherToken, obstacle: .ownerMismatch).revoked.anotherAccounts, .free("2", token: token).revoked,
            ],
            order: makeOrder(token: token), .refunded("2")),
    ])
    func spentPaymentIsAnswered(_ row: LedgerCase) {
        row.check()
    }

    @Test(arguments: [
        LedgerCase(
            "a non-consumable refunded and bought again is a payment of its own",
            [.free("2", original: "1", kind: .nonConsumable).boughtAgain],
            .review(.boughtAgainAfterRevocation, "2"), unclaimed: ["2": .boughtAgainAfterRevocation]),
        LedgerCase(
            "the transaction that was granted is a replay, whatever was refunded before it",
            [.free("2", original: "1", kind: .nonConsumable).held(by: "other").boughtAgain],
            .rejected(.alreadyGranted, "2")),
        LedgerCase(
            "bought again for the order whose first payment was refunded",
            [.free("2", original: "1", kind: .nonConsumable).boughtAgain],
            order: makeOrder(state: .refunded), .unchanged, unclaimed: ["2": .orderAlreadyPaid]),
        LedgerCase(
            "a period bought after its subscription's order was refunded",
            [.free("2", original: "1", kind: .autoRenewable).boughtAgain],
            order: makeOrder(state: .refunded), .unchanged, unclaimed: ["2": .orderAlreadyPaid]),
        LedgerCase(
            "a period that renews what the account was granted, for a refunded order",
            [.free("2", original: "1", kind: .autoRenewable).renewal],
            order: makeOrder(state: .refunded), .unchanged, unclaimed: ["2": .renewal]),
        LedgerCase(
            "a period of a paid subscription that renews nothing",
            [.free("2", original: "1", kind: .autoRenewable)],
            order: makeOrder(state: .fulfilled), .unchanged, unclaimed: ["2": .orderAlreadyPaid]),
    ])
    func purchaseAfterARefundIsNoReplay(_ row: LedgerCase) {
        row.check()
    }

    @Test(arguments: [OrderState.fulfilled, .refunded])
    func paidOrderStaysAsItIs(_ state: OrderState) {
        let order = makeOrder(state: state)

        LedgerCase("its own payment", [.free("1").held(by: "order")], order: order, .unchanged).check()
        LedgerCase(
            "its own payment, taken back", [.free("1").held(by: "order").revoked], order: order, .unchanged
        ).check()
        LedgerCase(
            "its own payment restored",
            [.free("2", original: "1", kind: .nonConsumable).held(by: "order", as: "1")], order: order, .unchanged,
            knownAgain: ["2"]
        ).check()
        LedgerCase(
            "its own payment among others",
            [
                .free("1").held(by: "order"), .free("2"), .free("3", obstacle: .quantityShort), .free("4").revoked,
                .free("5").held(by: "other"),
            ], order: order, .unchanged, unclaimed: ["2": .noOrder, "3": .noOrder]
        ).check()
        LedgerCase(
            "another payment", [.free("2"), .free("3", obstacle: .quantityShort)], order: order,
            .unchanged, unclaimed: ["2": .orderAlreadyPaid, "3": .orderAlreadyPaid]
        ).check()
        LedgerCase(
            "another payment that is held or taken back", [.free("2").held(by: "other"), .free("3").revoked],
            order: order, .unchanged
        ).check()
        LedgerCase(
            "a renewal, and another subscription",
            [
                .free("2", original: "1", kind: .autoRenewable).renewal, .free("3", kind: .autoRenewable),
                .free("4", original: "1", kind: .nonRenewing),
            ], order: order, .unchanged,
            unclaimed: ["2": .renewal, "3": .orderAlreadyPaid, "4": .orderAlreadyPaid]
        ).check()
        LedgerCase(
            "a renewal beside the period that paid",
            [
                .free("2", original: "1", kind: .autoRenewable, at: 2).held(by: "order"),
                .free("3", original: "1", kind: .autoRenewable, at: 3).renewal,
                .free("1", original: "1", kind: .autoRenewable, at: 1),
            ], order: order, .unchanged, unclaimed: ["3": .renewal, "1": .noOrder]
        ).check()
        LedgerCase(
            "no subscription renews an order of unknown payment", [.free("2", kind: .autoRenewable)], order: order,
            .unchanged, unclaimed: ["2": .orderAlreadyPaid]
        ).check()
    }

    @Test(arguments: [
        LedgerCase(
            "a payment for a cancelled order",
            [
                .free("1"), .free("2", obstacle: .quantityShort), .free("3").held(by: "other"), .free("4").revoked,
                .free("5", original: "0", kind: .autoRenewable), .free("6", original: "0", kind: .autoRenewable).renewal,
            ], order: makeOrder(state: .cancelled), .unchanged,
            unclaimed: ["1": .orderCancelled, "2": .orderCancelled, "5": .orderCancelled, "6": .renewal]),
        LedgerCase(
            "a restore that another order holds, for a cancelled order",
            [.free("2", original: "1", kind: .nonConsumable).held(by: "other", as: "1")],
            order: makeOrder(state: .cancelled), .unchanged, knownAgain: ["2"]),
    ])
    func cancelledOrderStaysAsItIs(_ row: LedgerCase) {
        row.check()
    }

    @Test(arguments: [OrderState.open, .rejected, .review, .cancelled])
    func reopenedOrderIsNotPaidTwice(_ state: OrderState) {
        LedgerCase(
            "the ledger holds its payment", [.free("2"), .free("1").held(by: "order")], order: makeOrder(state: state),
            .unchanged, unclaimed: ["2": .noOrder]
        ).check()
    }

    /// By the proof; and whether the ledger holds the payment as granted.
    @Test(arguments: [Revocation.Share.part(1), .unknown, .whole, nil], [true, false])
    func aPartThatWasRefundedAfterTheGrantIsSeen(share: Revocation.Share?, isGranted: Bool) {
        let candidate = Candidate(makeTransaction("1", refund: share.map { refund($0) }), kind: .consumable)
        let holder = LedgerCase.Entry.free("1").held(by: "other").holder

        let resolution = LedgerResolution.resolve(
            [candidate], facts: [LedgerFacts(holder: isGranted ? holder : nil, orderState: .open)], order: makeOrder())

        let isPart = share != nil && share != .whole
        #expect(resolution.showsPartlyRefundedGrant == (isGranted && isPart))
    }

    @Test(arguments: [
        LedgerCase(
            "a payment from before the order pays its own",
            [.free("1", obstacle: .purchaseBeforeOrder).made(for: "own")], .paidAnother("own", by: "1")),
        LedgerCase(
            "a payment without an obstacle pays its own", [.free("1", token: token).made(for: "own")],
            .paidAnother("own", by: "1")),
        LedgerCase(
            "what pays for the order comes first",
            [.free("1", token: token, obstacle: .ownerMismatch).made(for: "own"), .free("2")], .fulfilled("2"),
            unclaimed: ["1": .noOrder]),
        LedgerCase(
            "the payments beside it are unclaimed",
            [
                .free("1", obstacle: .quantityShort), .free("2", obstacle: .purchaseBeforeOrder).made(for: "own"),
                .free("3", obstacle: .purchaseBeforeOrder).made(for: "other"),
            ], .paidAnother("own", by: "2"), unclaimed: ["1": .quantityShort, "3": .purchaseBeforeOrder]),
        LedgerCase(
            "its restore is the same payment",
            [
                .free("1", kind: .nonConsumable, obstacle: .purchaseBeforeOrder).made(for: "own"),
                .free("2", original: "1", kind: .nonConsumable, obstacle: .purchaseBeforeOrder).made(for: "own"),
            ], .paidAnother("own", by: "1"), knownAgain: ["2"]),
        LedgerCase(
            "another account's pays nothing", [.free("1", obstacle: .purchaseBeforeOrder).made(for: "own").anotherAccounts],
            .review(.ownerMismatch, "1"), unclaimed: ["1": .ownerMismatch]),
        LedgerCase(
            "one that was bought again pays nothing", [.free("1", obstacle: .purchaseBeforeOrder).made(for: "own").boughtAgain],
            .review(.boughtAgainAfterRevocation, "1"), unclaimed: ["1": .boughtAgainAfterRevocation]),
        LedgerCase(
            "one that is granted pays nothing", [.free("1", obstacle: .purchaseBeforeOrder).made(for: "own").held(by: "other")],
            .rejected(.alreadyGranted, "1")),
        LedgerCase(
            "one that was refunded pays nothing", [.free("1", obstacle: .purchaseBeforeOrder).made(for: "own").revoked],
            .refunded("1")),
        LedgerCase(
            "the token of an order of the account that is settled passes",
            [.free("1", token: otherToken, obstacle: .ownerMismatch)], order: makeOrder(token: token), .fulfilled("1")),
    ])
    func paymentThatWasMadeForAnotherOrderPaysThatOne(_ row: LedgerCase) {
        row.check()
    }

    @Test(arguments: [OrderState.fulfilled, .refunded, .cancelled])
    func paymentPaysItsOwnOrderThoughItsProofCameForASettledOne(_ state: OrderState) {
        LedgerCase(
            "a payment of another order's", [.free("1", token: token).made(for: "own")], order: makeOrder(state: state),
            .paidAnother("own", by: "1")
        ).check()
    }

    @Test(arguments: [
        LedgerCase(
            "granted to another order", [.free("1", product: "gems", obstacle: .wrongProduct).held(by: "other")],
            .anotherPayment("1")),
        LedgerCase(
            "granted, and refunded since", [.free("1", product: "gems", obstacle: .refunded).held(by: "other").revoked],
            .anotherPayment("1")),
        LedgerCase(
            "restored", [.free("2", original: "1", product: "gems", kind: .nonConsumable, obstacle: .wrongProduct)
                .held(by: "other", as: "1")], .anotherPayment("2"), knownAgain: ["2"]),
        LedgerCase(
            "refunded before it was granted", [.free("1", product: "gems", obstacle: .refunded).revoked], .anotherPayment("1")),
        LedgerCase(
            "a renewal", [.free("2", original: "1", product: "club", kind: .autoRenewable, obstacle: .wrongProduct).renewal],
            .anotherPayment("2"), unclaimed: ["2": .renewal]),
        LedgerCase(
            "made for another order", [.free("1", product: "gems", obstacle: .wrongProduct).made(for: "own")],
            .paidAnother("own", by: "1")),
        LedgerCase(
            "unclaimed", [.free("1", product: "gems", obstacle: .wrongProduct)], .review(.wrongProduct, "1"),
            unclaimed: ["1": .wrongProduct]),
        LedgerCase(
            "another account's", [.free("1", product: "gems", obstacle: .wrongProduct).anotherAccounts],
            .review(.ownerMismatch, "1"), unclaimed: ["1": .ownerMismatch]),
        LedgerCase(
            "granted to another account", [.free("1", product: "gems", obstacle: .wrongProduct).held(by: "other", account: "bob")],
            .rejected(.grantedToAnotherAccount, nil)),
        LedgerCase(
            "unclaimed, beside a paid order", [.free("1", product: "gems", obstacle: .wrongProduct)],
            order: makeOrder(state: .fulfilled), .unchanged, unclaimed: ["1": .wrongProduct]),
        LedgerCase(
            "a renewal, beside a paid order",
            [.free("2", original: "1", product: "club", kind: .autoRenewable, obstacle: .wrongProduct).renewal],
            order: makeOrder(state: .fulfilled), .unchanged, unclaimed: ["2": .renewal]),
    ])
    func paymentForAnotherProductIsAnsweredByTheLedger(_ row: LedgerCase) {
        row.check()
    }

    @Test func candidatesWithoutFactsAreAMistakeOfTheCaller() async {
        await #expect(processExitsWith: .failure) {
            _ = LedgerResolution.resolve([], facts: [], order: makeOrder())
        }
        await #expect(processExitsWith: .failure) {
            let candidate = Candidate(makeTransaction("1"), kind: .consumable)
            let facts = [LedgerFacts(orderState: .open)]
            _ = LedgerResolution.resolve([candidate, candidate], facts: facts, order: makeOrder())
        }
    }

    /// What its proof itself shows as taken back needs no keeping: Apple signs it anew when that is reversed.
    @Test func whatOnlyTheLedgerKnowsToBeTakenBackIsKeptForAReversal() {
        let revoked = LedgerFacts(refund: .later, orderState: .open)
        let candidates = [
            LedgerCase.Entry.free("1").candidate, Candidate(makeTransaction("2", revokedAt: 2), kind: .consumable),
            LedgerCase.Entry.free("3").candidate,
        ]

        let resolution = LedgerResolution.resolve(
            candidates, facts: [revoked, revoked, LedgerFacts(orderState: .open)], order: makeOrder())

        #expect(resolution.outcome == .fulfilled(candidates[2]))
        #expect(resolution.kept == [KeptPayment(candidates[0].transaction, as: .refunded)])
    }

    /// What no order changes is the reason, whatever became of the order: another order for the payment would end as this one.
    @Test(arguments: [OrderState.fulfilled, .refunded, .cancelled], [Reason.unsupportedYet, .partlyRefunded, .beforeLedger])
    func aDoubtAboutAPaymentOutweighsTheStateOfItsOrder(_ state: OrderState, _ doubt: Reason) {
        LedgerCase(
            "of the ordered product", [.free("1", obstacle: doubt)], order: makeOrder(state: state), .unchanged,
            unclaimed: ["1": doubt]
        ).check()
        LedgerCase(
            "of another", [.free("1", product: "gems", obstacle: doubt)], order: makeOrder(state: state), .unchanged,
            unclaimed: ["1": doubt]
        ).check()
        LedgerCase(
            "beside what pays", [.free("1", obstacle: doubt), .free("2")], .fulfilled("2"),
            unclaimed: ["1": doubt]
        ).check()
    }

    /// Who shows another account's payment is no owner of it.
    @Test(arguments: [OrderState.fulfilled, .refunded, .cancelled], [nil, Reason.unsupportedYet])
    func anotherOwnerOutweighsTheStateOfTheOrder(_ state: OrderState, _ obstacle: Reason?) {
        LedgerCase(
            "another account's", [.free("1", original: "0", kind: .autoRenewable, obstacle: obstacle).anotherAccounts],
            order: makeOrder(state: state), .unchanged, unclaimed: ["1": .ownerMismatch]
        ).check()
    }
}
