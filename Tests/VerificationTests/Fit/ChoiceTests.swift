// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

/// What becomes of an order, and of the payments that its proof shows.
@Suite struct ChoiceTests {
    @Test(arguments: [OrderState.open, .rejected, .review])
    func firstFreePaymentPays(_ state: OrderState) {
        ChoiceCase(
            "free", [Shown("1"), Shown("2")], order: makeOrder(quantity: 2, state: state), .fulfilled("1"),
            unclaimed: ["2": .noOrder]
        ).check()
    }

    @Test(arguments: [
        ChoiceCase("the only payment is free", [Shown("1")], .fulfilled("1")),
        ChoiceCase("a payment of another order is passed over", [Shown("1").held(by: "other"), Shown("2")], .fulfilled("2")),
        ChoiceCase(
            "a payment of another account's order is passed over", [Shown("1").held(by: "other", account: "bob"), Shown("2")],
            .fulfilled("2")),
        ChoiceCase("a payment taken back is passed over", [Shown("1").revoked, Shown("2")], .fulfilled("2")),
        ChoiceCase(
            "a payment with an objection is passed over, and unclaimed", [Shown("1").short, Shown("2")], .fulfilled("2"),
            unclaimed: ["1": .noOrder]),
        ChoiceCase(
            "the payments behind the one that pays are unclaimed, unless held or taken back",
            [Shown("1"), Shown("2"), Shown("3").held(by: "other"), Shown("4").revoked, Shown("5").old], .fulfilled("1"),
            unclaimed: ["2": .noOrder, "5": .noOrder]),
        ChoiceCase(
            "a later period of the subscription that pays is a renewal",
            [
                Shown("2", original: "1", kind: .autoRenewable, at: 2), Shown("3", original: "1", kind: .autoRenewable, at: 3),
                Shown("1", original: "1", kind: .autoRenewable, at: 1), Shown("4", kind: .autoRenewable, at: 4),
            ], .fulfilled("2"), unclaimed: ["3": .renewal, "1": .noOrder, "4": .noOrder]),
        ChoiceCase(
            "of a later period Apple's word counts, of whichever proof",
            [
                Shown("2", original: "1", kind: .autoRenewable, at: 2, until: 3),
                Shown("3", original: "1", kind: .autoRenewable, at: 3, reason: .purchase),
                Shown("4", original: "1", kind: .autoRenewable, at: 4).known(as: .purchase),
                Shown("5", original: "1", kind: .autoRenewable, at: 100_000, reason: .renewal),
            ], .fulfilled("2"), unclaimed: ["3": .noOrder, "4": .noOrder, "5": .renewal]),
        ChoiceCase(
            "without Apple's word a period renews what ended at most sixty days before it begins",
            [
                Shown("2", original: "1", kind: .autoRenewable, at: 2, until: 3),
                Shown("3", original: "1", kind: .autoRenewable, at: 86_403),
                Shown("4", original: "1", kind: .autoRenewable, at: 86_404),
            ], .fulfilled("2"), unclaimed: ["3": .renewal, "4": .noOrder]),
        ChoiceCase(
            "what the ledger knows to renew an earlier period is a renewal, too",
            [
                Shown("2", original: "1", kind: .autoRenewable, at: 2, until: 3),
                Shown("4", original: "1", kind: .autoRenewable, at: 86_404).renewal,
            ], .fulfilled("2"), unclaimed: ["4": .renewal]),
        ChoiceCase(
            "only auto-renewables renew", [Shown("1", kind: .consumable), Shown("2", kind: .consumable, at: 2).renewal],
            .fulfilled("1"), unclaimed: ["2": .noOrder]),
        ChoiceCase(
            "the restore of what pays is the same payment",
            [Shown("2", original: "1", kind: .nonConsumable), Shown("1", kind: .nonConsumable).beforeLedger], .fulfilled("2"),
            restored: ["1"]),
        ChoiceCase(
            "a payment anew under the key of what pays is in doubt",
            [Shown("1", kind: .nonConsumable), Shown("2", original: "1", kind: .nonConsumable).boughtAgain], .fulfilled("1"),
            unclaimed: ["2": .boughtAgainAfterRevocation]),
    ])
    func paymentIsChosen(_ row: ChoiceCase) {
        row.check()
    }

    @Test(arguments: [
        ChoiceCase("fewer units", [Shown("1").short], .review(.quantityShort, "1"), unclaimed: ["1": .quantityShort]),
        ChoiceCase(
            "the first of several objections is the order's; each payment keeps its own", [Shown("1").short, Shown("2").old],
            .review(.quantityShort, "1"), unclaimed: ["1": .quantityShort, "2": .purchaseBeforeOrder]),
        ChoiceCase(
            "it is another account's", [Shown("1").anotherAccounts], .review(.ownerMismatch, "1"),
            unclaimed: ["1": .ownerMismatch]),
        ChoiceCase(
            "another owner outweighs a purchase after a refund", [Shown("1").boughtAgain.anotherAccounts],
            .review(.ownerMismatch, "1"), unclaimed: ["1": .ownerMismatch]),
        ChoiceCase(
            "another owner outweighs the payment's own objection", [Shown("1").short.anotherAccounts],
            .review(.ownerMismatch, "1"), unclaimed: ["1": .ownerMismatch]),
        ChoiceCase(
            "the tokens differ", [Shown("1", token: otherToken).anotherAccounts], order: makeOrder(quantity: 2, token: token),
            .review(.ownerMismatch, "1"), unclaimed: ["1": .ownerMismatch]),
        ChoiceCase(
            "bought again after a refund", [Shown("1").boughtAgain], .review(.boughtAgainAfterRevocation, "1"),
            unclaimed: ["1": .boughtAgainAfterRevocation]),
        ChoiceCase(
            "a purchase after a refund outweighs the payment's own objection", [Shown("1").old.boughtAgain],
            .review(.boughtAgainAfterRevocation, "1"), unclaimed: ["1": .boughtAgainAfterRevocation]),
        ChoiceCase(
            "recorded as taken back, and Apple says that it stands", [Shown("1").confirmed.revoked],
            .review(.refundReversed, "1"), unclaimed: ["1": .refundReversed]),
        ChoiceCase(
            "recorded as taken back, and signed unrefunded later", [Shown("1").signed(at: 61).revoked],
            .review(.refundReversed, "1"), unclaimed: ["1": .refundReversed]),
        ChoiceCase("recorded as taken back, and signed unrefunded before", [Shown("1").signed(at: 60).revoked], .refunded("1")),
        ChoiceCase(
            "another owner's, signed unrefunded after it was taken back",
            [Shown("1").signed(at: 61).revoked.anotherAccounts], .review(.ownerMismatch, "1"),
            unclaimed: ["1": .ownerMismatch]),
        ChoiceCase(
            "what another owner was paid back doesn't end the order", [Shown("1", token: otherToken).revoked.anotherAccounts],
            order: makeOrder(quantity: 2, token: token), .review(.ownerMismatch, "1")),
        ChoiceCase(
            "what the holder of another account's token was paid back doesn't end the order",
            [Shown("1", token: token).revoked.anotherAccounts], .review(.ownerMismatch, "1")),
        ChoiceCase(
            "a free payment behind one with a doubt pays", [Shown("1").boughtAgain, Shown("2")], .fulfilled("2"),
            unclaimed: ["1": .boughtAgainAfterRevocation]),
        ChoiceCase(
            "a review outweighs a replay and a refund",
            [Shown("1").held(by: "other"), Shown("2").revoked, Shown("3").short], .review(.quantityShort, "3"),
            unclaimed: ["3": .quantityShort]),
        ChoiceCase(
            "a doubt outweighs the circumstance, and a heavier objection is the order's reason",
            [Shown("1", original: "0", product: "gems")], .review(.wrongProduct, "1"), unclaimed: ["1": .productKindMismatch]),
        ChoiceCase(
            "of an unknown ownership", [Shown("1").owned(.unknown)], .review(.unknownAnswer, "1")),
    ])
    func objectionIsLeftToAPerson(_ row: ChoiceCase) {
        row.check()
    }

    @Test(arguments: [
        ChoiceCase("the same payment for another order", [Shown("1").held(by: "other")], .rejected(.alreadyGranted, "1")),
        ChoiceCase(
            "a replay comes before an objection", [Shown("1").old.held(by: "other")], .rejected(.alreadyGranted, "1")),
        ChoiceCase(
            "a replay, though the payment was taken back since", [Shown("1").held(by: "other").revoked],
            .rejected(.alreadyGranted, "1")),
        ChoiceCase(
            "another account's payment, taken back since", [Shown("1").held(by: "other", account: "bob").revoked],
            .rejected(.grantedToAnotherAccount, nil)),
        ChoiceCase(
            "a restored non-consumable", [Shown("2", original: "1", kind: .nonConsumable).old.held(by: "other", as: "1")],
            .rejected(.alreadyOwned, "2"), restored: ["2"]),
        ChoiceCase(
            "a restored non-renewing subscription", [Shown("2", original: "1", kind: .nonRenewing).held(by: "other", as: "1")],
            .rejected(.alreadyOwned, "2"), restored: ["2"]),
        ChoiceCase(
            "the very transaction of a non-consumable", [Shown("1", kind: .nonConsumable).held(by: "other")],
            .rejected(.alreadyGranted, "1")),
        ChoiceCase(
            "a subscription period restored under another id",
            [Shown("2", original: "1", kind: .autoRenewable).held(by: "other", as: "1")], .rejected(.alreadyGranted, "2"),
            restored: ["2"]),
        ChoiceCase(
            "a subscription period restored under another id, after a refund of an earlier one",
            [Shown("2", original: "1", kind: .autoRenewable).held(by: "other", as: "1").boughtAgain],
            .rejected(.alreadyGranted, "2"), restored: ["2"]),
        ChoiceCase(
            "another account's payment", [Shown("1").held(by: "other", account: "bob")],
            .rejected(.grantedToAnotherAccount, nil)),
        ChoiceCase(
            "another account's non-consumable, restored",
            [Shown("2", original: "1", kind: .nonConsumable).held(by: "other", account: "bob", as: "1")],
            .rejected(.grantedToAnotherAccount, nil), restored: ["2"]),
        ChoiceCase(
            "the same account comes before another",
            [Shown("1").held(by: "other", account: "bob"), Shown("2").held(by: "third")], .rejected(.alreadyGranted, "2")),
        ChoiceCase(
            "the first of the same account's payments", [Shown("1").held(by: "other"), Shown("2").held(by: "third")],
            .rejected(.alreadyGranted, "1")),
        ChoiceCase(
            "a replay comes before a refund", [Shown("1").revoked, Shown("2").held(by: "other")],
            .rejected(.alreadyGranted, "2")),
        ChoiceCase(
            "another account's replay comes before a refund",
            [Shown("1").revoked, Shown("2").held(by: "other", account: "bob")], .rejected(.grantedToAnotherAccount, nil)),
        ChoiceCase("the only payment was taken back", [Shown("1").revoked], .refunded("1")),
        ChoiceCase("all payments were taken back", [Shown("1").revoked, Shown("2").revoked], .refunded("1")),
        ChoiceCase("a payment taken back outweighs its objections", [Shown("1").short.revoked.boughtAgain], .refunded("1")),
        ChoiceCase(
            "a refund of ours outweighs another owner's",
            [Shown("1", token: otherToken).revoked.anotherAccounts, Shown("2", token: token).revoked],
            order: makeOrder(quantity: 2, token: token), .refunded("2")),
        ChoiceCase(
            "the refund of an older payment doesn't end the order", [Shown("1").old.revoked],
            .review(.purchaseBeforeOrder, "1")),
        ChoiceCase(
            "unless the client named it", [Shown("1").old.revoked], as: ProofTraits(hint: TransactionID(rawValue: "1")),
            .refunded("1")),
        ChoiceCase(
            "beside a receipt it names nothing", [Shown("1").old.revoked.inReceipt],
            as: ProofTraits(hint: TransactionID(rawValue: "1")), .review(.purchaseBeforeOrder, "1")),
        ChoiceCase("nobody paid for it", [Shown("1").owned(.familyShared)], .rejected(.familyShared, nil)),
        ChoiceCase("whoever assigned the seat paid for it", [Shown("1").owned(.assigned)], .rejected(.assignedSeat, nil)),
        ChoiceCase("a sandbox purchase", [Shown("1").inSandbox], .rejected(.sandboxNotAllowed, nil)),
        ChoiceCase(
            "a refund comes before what nobody paid for", [Shown("1").owned(.familyShared), Shown("2").revoked],
            .refunded("2")),
    ])
    func spentPaymentIsAnswered(_ row: ChoiceCase) {
        row.check()
    }

    @Test(arguments: [
        ChoiceCase(
            "a non-consumable refunded and bought again is a payment of its own",
            [Shown("2", original: "1", kind: .nonConsumable).boughtAgain], .review(.boughtAgainAfterRevocation, "2"),
            unclaimed: ["2": .boughtAgainAfterRevocation]),
        ChoiceCase(
            "the transaction that was granted is a replay, whatever was refunded before it",
            [Shown("2", original: "1", kind: .nonConsumable).held(by: "other").boughtAgain], .rejected(.alreadyGranted, "2")),
        ChoiceCase(
            "bought again for the order whose first payment was refunded",
            [Shown("2", original: "1", kind: .nonConsumable).boughtAgain], order: makeOrder(quantity: 2, state: .refunded),
            .unchanged, unclaimed: ["2": .boughtAgainAfterRevocation]),
        ChoiceCase(
            "a period that renews what the account was granted, for a refunded order",
            [Shown("2", original: "1", kind: .autoRenewable).renewal], order: makeOrder(quantity: 2, state: .refunded),
            .unchanged, unclaimed: ["2": .renewal]),
        ChoiceCase(
            "a period of a paid subscription that renews nothing", [Shown("2", original: "1", kind: .autoRenewable)],
            order: makeOrder(quantity: 2, state: .fulfilled), .unchanged, unclaimed: ["2": .orderAlreadyPaid]),
    ])
    func purchaseAfterARefundIsNoReplay(_ row: ChoiceCase) {
        row.check()
    }

    @Test(arguments: [OrderState.fulfilled, .refunded])
    func paidOrderStaysAsItIs(_ state: OrderState) {
        let order = makeOrder(quantity: 2, state: state)

        ChoiceCase("its own payment", [Shown("1").held(by: "order")], order: order, .unchanged).check()
        ChoiceCase("its own payment, taken back", [Shown("1").held(by: "order").revoked], order: order, .unchanged).check()
        ChoiceCase(
            "its own payment restored", [Shown("2", original: "1", kind: .nonConsumable).held(by: "order", as: "1")],
            order: order, .unchanged, restored: ["2"]
        ).check()
        ChoiceCase(
            "its own payment among others",
            [
                Shown("1").held(by: "order"), Shown("2"), Shown("3").short, Shown("4").revoked, Shown("5").held(by: "other"),
            ], order: order, .unchanged, unclaimed: ["2": .noOrder, "3": .noOrder]
        ).check()
        ChoiceCase(
            "another payment", [Shown("2"), Shown("3").short], order: order, .unchanged,
            unclaimed: ["2": .orderAlreadyPaid, "3": .orderAlreadyPaid]
        ).check()
        ChoiceCase(
            "another payment that is held or taken back", [Shown("2").held(by: "other"), Shown("3").revoked], order: order,
            .unchanged
        ).check()
        ChoiceCase(
            "a renewal, and another subscription",
            [
                Shown("2", original: "1", kind: .autoRenewable).renewal, Shown("3", kind: .autoRenewable),
                Shown("4", original: "1", kind: .nonRenewing),
            ], order: order, .unchanged, unclaimed: ["2": .renewal, "3": .orderAlreadyPaid, "4": .orderAlreadyPaid]
        ).check()
        ChoiceCase(
            "a renewal beside the period that paid",
            [
                Shown("2", original: "1", kind: .autoRenewable, at: 2).held(by: "order"),
                Shown("3", original: "1", kind: .autoRenewable, at: 3).renewal,
                Shown("1", original: "1", kind: .autoRenewable, at: 1),
            ], order: order, .unchanged, unclaimed: ["3": .renewal, "1": .noOrder]
        ).check()
    }

    @Test(arguments: [
        ChoiceCase(
            "a payment for a cancelled order",
            [
                Shown("1"), Shown("2").short, Shown("3").held(by: "other"), Shown("4").revoked,
                Shown("5", original: "0", kind: .autoRenewable), Shown("6", original: "0", kind: .autoRenewable).renewal,
            ], order: makeOrder(quantity: 2, state: .cancelled), .unchanged,
            unclaimed: ["1": .orderCancelled, "2": .orderCancelled, "5": .orderCancelled, "6": .renewal]),
        ChoiceCase(
            "a restore that another order holds, for a cancelled order",
            [Shown("2", original: "1", kind: .nonConsumable).held(by: "other", as: "1")],
            order: makeOrder(quantity: 2, state: .cancelled), .unchanged, restored: ["2"]),
    ])
    func cancelledOrderStaysAsItIs(_ row: ChoiceCase) {
        row.check()
    }

    @Test(arguments: [OrderState.open, .rejected, .review, .cancelled])
    func reopenedOrderIsNotPaidTwice(_ state: OrderState) {
        ChoiceCase(
            "the ledger holds its payment", [Shown("2"), Shown("1").held(by: "order")],
            order: makeOrder(quantity: 2, state: state), .unchanged, unclaimed: ["2": .noOrder]
        ).check()
    }

    /// What its proof itself shows as taken back needs no keeping: Apple signs it anew when that is reversed.
    @Test func whatOnlyTheLedgerKnowsToBeTakenBackIsKeptForAReversal() {
        var shownRefunded = Shown("2").revoked
        shownRefunded.transaction.revocationDate = moment(2)
        let row = ChoiceCase("", [Shown("1").revoked, shownRefunded, Shown("3")], .fulfilled("3"))

        row.check()
        #expect(row.choice.kept == [KeptPayment(row.payments[0].transaction, as: .refunded)])
    }

    /// What no order changes is the reason, whatever became of the order: another order for the payment would end as this one.
    @Test(
        arguments: [OrderState.fulfilled, .refunded, .cancelled],
        [
            (payment: Shown("1").advanced, doubt: Reason.unsupportedYet),
            (payment: Shown("1").partlyRefunded, doubt: .partlyRefunded),
            (payment: Shown("1").beforeLedger, doubt: .beforeLedger),
            (payment: Shown("1").confirmed.revoked, doubt: .refundReversed),
            (payment: Shown("1", kind: .nonConsumable).boughtAgain, doubt: .boughtAgainAfterRevocation),
            (payment: Shown("1", original: "0"), doubt: .productKindMismatch),
            (payment: Shown("1").advanced.anotherAccounts, doubt: .ownerMismatch),
            (payment: Shown("1", original: "0", kind: .autoRenewable).anotherAccounts, doubt: .ownerMismatch),
        ])
    func aDoubtAboutAPaymentOutweighsTheStateOfItsOrder(_ state: OrderState, _ doubtful: (payment: Shown, doubt: Reason)) {
        var ofAnotherProduct = doubtful.payment
        ofAnotherProduct.transaction.productID = ProductID(rawValue: "gems")

        for payment in [doubtful.payment, ofAnotherProduct] {
            let row = ChoiceCase(
                "beside an order that is over", [payment], order: makeOrder(quantity: 2, state: state), .unchanged,
                unclaimed: ["1": doubtful.doubt])
            row.check()
            #expect(row.choice.kept.allSatisfy { $0.fitsUnder == nil })
        }
        ChoiceCase(
            "beside what pays", [doubtful.payment, Shown("2")], .fulfilled("2"), unclaimed: ["1": doubtful.doubt]
        ).check()
    }

    // MARK: Own orders

    @Test(arguments: [
        ChoiceCase("a payment from before the order pays its own", [Shown("1").old.made(for: "own")], .paidAnother("own", by: "1")),
        ChoiceCase(
            "a payment without an objection pays its own", [Shown("1", token: token).made(for: "own")],
            .paidAnother("own", by: "1")),
        ChoiceCase(
            "what pays for the order comes first", [Shown("1", token: token).made(for: "own"), Shown("2")], .fulfilled("2"),
            unclaimed: ["1": .noOrder]),
        ChoiceCase(
            "the payments beside it are unclaimed",
            [Shown("1").short, Shown("2").old.made(for: "own"), Shown("3").old.made(for: "other")],
            .paidAnother("own", by: "2"), unclaimed: ["1": .quantityShort, "3": .purchaseBeforeOrder]),
        ChoiceCase(
            "one that has an order of its own doesn't pay for this one",
            [Shown("1", token: token).made(for: "own"), Shown("2", token: token).made(for: "other")],
            .paidAnother("own", by: "1"), unclaimed: ["2": .noOrder]),
        ChoiceCase(
            "its restore is the same payment",
            [
                Shown("1", kind: .nonConsumable).old.made(for: "own"),
                Shown("2", original: "1", kind: .nonConsumable).old.made(for: "own"),
            ], .paidAnother("own", by: "1"), restored: ["2"]),
        ChoiceCase(
            "another account's pays nothing", [Shown("1").old.made(for: "own").anotherAccounts], .review(.ownerMismatch, "1"),
            unclaimed: ["1": .ownerMismatch]),
        ChoiceCase(
            "one that was bought again pays nothing", [Shown("1").old.made(for: "own").boughtAgain],
            .review(.boughtAgainAfterRevocation, "1"), unclaimed: ["1": .boughtAgainAfterRevocation]),
        ChoiceCase(
            "one that is granted pays nothing", [Shown("1").old.made(for: "own").held(by: "other")],
            .rejected(.alreadyGranted, "1")),
        ChoiceCase(
            "one that was refunded pays nothing", [Shown("1").old.made(for: "own").revoked],
            .review(.purchaseBeforeOrder, "1")),
        ChoiceCase(
            "the token of an order of the account that is settled passes", [Shown("1", token: otherToken)],
            order: makeOrder(quantity: 2, token: token), .fulfilled("1")),
        ChoiceCase(
            "a later period renews the subscription that its own order pays for",
            [
                Shown("1", original: "1", kind: .autoRenewable, token: token).made(for: "own"),
                Shown("2", original: "1", kind: .autoRenewable, at: 3), Shown("3", kind: .autoRenewable, at: 3),
            ], order: makeOrder(quantity: 2, state: .fulfilled), .paidAnother("own", by: "1"),
            unclaimed: ["2": .renewal, "3": .orderAlreadyPaid]),
    ])
    func paymentThatWasMadeForAnotherOrderPaysThatOne(_ row: ChoiceCase) {
        row.check()
    }

    @Test(arguments: [OrderState.fulfilled, .refunded, .cancelled])
    func paymentPaysItsOwnOrderThoughItsProofCameForASettledOne(_ state: OrderState) {
        let order = makeOrder(quantity: 2, state: state)

        ChoiceCase(
            "a payment of another order's", [Shown("1", token: token).made(for: "own")], order: order,
            .paidAnother("own", by: "1")
        ).check()
        // The order that `order_again` named is over, and the own one is open.
        ChoiceCase(
            "one that was shown in time", [Shown("1").old.shownBefore.made(for: "own")], order: order,
            .paidAnother("own", by: "1")
        ).check()
    }

    /// The order that `order_again` named is paid, although an older order fits too.
    @Test func theOrderThatWasAskedForComesBeforeAnother() {
        ChoiceCase("", [Shown("1").old.shownBefore.made(for: "older")], .fulfilled("1")).check()
        ChoiceCase("", [Shown("1").old.shownBefore.short.made(for: "older")], .paidAnother("older", by: "1")).check()
        ChoiceCase(
            "its age doesn't matter to this order: no order was asked for",
            [Shown("1", token: token).shownBefore.made(for: "own")], .paidAnother("own", by: "1")
        ).check()
        ChoiceCase("", [Shown("1").old.shownBefore], .fulfilled("1")).check()
        ChoiceCase("", [Shown("1").old], .review(.purchaseBeforeOrder, "1"), unclaimed: ["1": .purchaseBeforeOrder]).check()
    }

    // MARK: Other products

    @Test(arguments: [
        ChoiceCase("granted to another order", [Shown("1", product: "gems").held(by: "other")], .anotherPayment("1")),
        ChoiceCase(
            "granted, and refunded since", [Shown("1", product: "gems").held(by: "other").revoked], .anotherPayment("1")),
        ChoiceCase(
            "restored", [Shown("2", original: "1", product: "gems", kind: .nonConsumable).held(by: "other", as: "1")],
            .anotherPayment("2"), restored: ["2"]),
        ChoiceCase("refunded before it was granted", [Shown("1", product: "gems").revoked], .anotherPayment("1")),
        ChoiceCase(
            "a renewal", [Shown("2", original: "1", product: "club", kind: .autoRenewable).renewal], .anotherPayment("2"),
            unclaimed: ["2": .renewal]),
        ChoiceCase(
            "a renewal that is older than the ledger",
            [Shown("2", original: "1", product: "club", kind: .autoRenewable).beforeLedger.renewal], .anotherPayment("2"),
            unclaimed: ["2": .renewal]),
        ChoiceCase(
            "a renewal of which a part was refunded",
            [Shown("2", original: "1", product: "club", kind: .autoRenewable).partlyRefunded.renewal],
            .review(.partlyRefunded, "2"), unclaimed: ["2": .partlyRefunded]),
        ChoiceCase(
            "made for another order", [Shown("1", product: "gems").made(for: "own")], .paidAnother("own", by: "1")),
        ChoiceCase(
            "unclaimed", [Shown("1", product: "gems")], .review(.wrongProduct, "1"), unclaimed: ["1": .wrongProduct]),
        ChoiceCase(
            "another account's", [Shown("1", product: "gems").anotherAccounts], .review(.ownerMismatch, "1"),
            unclaimed: ["1": .ownerMismatch]),
        ChoiceCase(
            "granted to another account", [Shown("1", product: "gems").held(by: "other", account: "bob")],
            .rejected(.grantedToAnotherAccount, nil)),
        ChoiceCase(
            "unclaimed, beside a paid order", [Shown("1", product: "gems")], order: makeOrder(quantity: 2, state: .fulfilled),
            .unchanged, unclaimed: ["1": .wrongProduct]),
        ChoiceCase(
            "a renewal, beside a paid order",
            [Shown("2", original: "1", product: "club", kind: .autoRenewable).renewal],
            order: makeOrder(quantity: 2, state: .fulfilled), .unchanged, unclaimed: ["2": .renewal]),
        ChoiceCase("by a bare id", [Shown("1", product: "gems").bare], .rejected(.wrongProduct, nil)),
        ChoiceCase(
            "by a bare id, whoever has it", [Shown("1", product: "gems").bare.held(by: "other")],
            .rejected(.wrongProduct, nil)),
    ])
    func paymentForAnotherProductIsAnsweredByTheLedger(_ row: ChoiceCase) {
        row.check()
    }

    // MARK: Proofs

    /// Anybody may know an id.
    @Test func whatABareIDShowsIsKeptOnlyWithTheOrdersToken() {
        let order = makeOrder(quantity: 2, token: token)

        ChoiceCase("", [Shown("1").bare], order: order, .review(.tokenMissing, "1")).check()
        ChoiceCase("", [Shown("1", token: otherToken).bare], order: order, .review(.ownerMismatch, "1")).check()
        ChoiceCase(
            "", [Shown("1", token: token).bare.short], order: order, .review(.quantityShort, "1"),
            unclaimed: ["1": .quantityShort]
        ).check()
    }

    @Test func whatNoClientUploadedPaysOrIsRefundedOrLeavesTheOrderAsItIs() {
        let found = ProofTraits(isUpload: false)

        ChoiceCase("", [Shown("1")], as: found, .fulfilled("1")).check()
        ChoiceCase("", [Shown("1").old.made(for: "own")], as: found, .paidAnother("own", by: "1")).check()
        ChoiceCase("", [Shown("1").held(by: "other")], as: found, .unchanged).check()
        ChoiceCase("", [Shown("1").short], as: found, .unchanged, unclaimed: ["1": .quantityShort]).check()
        ChoiceCase("", [Shown("1").revoked], as: found, .refunded("1")).check()
        ChoiceCase(
            "", [Shown("1").partlyRefunded], as: found, .review(.partlyRefunded, "1"), unclaimed: ["1": .partlyRefunded]
        ).check()
        ChoiceCase(
            "", [Shown("1").revoked], order: makeOrder(quantity: 2, state: .review), as: found, .unchanged
        ).check()
    }

    @Test func whatTheDatabaseCannotKeepLeavesToAnOperatorWhatWouldBeRefused() {
        let unstorable = ProofTraits(showsUnstorable: true)

        ChoiceCase("", [Shown("1").held(by: "other")], as: unstorable, .review(.unknownAnswer, nil)).check()
        ChoiceCase(
            "", [Shown("1", product: "gems").held(by: "other")], as: unstorable, .review(.unknownAnswer, nil)
        ).check()
        ChoiceCase("", [Shown("1")], as: unstorable, .fulfilled("1")).check()
        ChoiceCase(
            "", [Shown("1").short], as: unstorable, .review(.quantityShort, "1"), unclaimed: ["1": .quantityShort]
        ).check()
        ChoiceCase("", [Shown("1").revoked], as: unstorable, .refunded("1")).check()
    }

    /// Two accounts use one device, and a client uploads a receipt from before its purchase.
    @Test func aReceiptOfAnotherAccountsConsumablesIsAnOldOne() {
        let bobs = Shown("1").inReceipt.held(by: "other", account: "bob")
        let bobsForGood = Shown("2", kind: .nonConsumable).inReceipt.held(by: "third", account: "bob")

        ChoiceCase("", [bobs], .rejected(.purchaseNotInReceipt, nil)).check()
        ChoiceCase("", [bobs, bobsForGood], .rejected(.grantedToAnotherAccount, nil)).check()
        ChoiceCase(
            "", [bobs], as: ProofTraits(hint: TransactionID(rawValue: "9")), .rejected(.grantedToAnotherAccount, nil)
        ).check()
        ChoiceCase("", [Shown("1").held(by: "other", account: "bob")], .rejected(.grantedToAnotherAccount, nil)).check()
    }

    @Test func whatElseAProofShowsIsKept() {
        ChoiceCase(
            "a receipt", [Shown("1").inReceipt],
            beside: [
                Shown("2").inReceipt, Shown("3", product: "gems").inReceipt, Shown("4").inReceipt.beforeLedger,
                Shown("5").inReceipt.revoked, Shown("6", original: "5", kind: .nonConsumable).inReceipt.held(by: "other", as: "5"),
                Shown("7").inReceipt.held(by: "other"), Shown("8").inReceipt.owned(.familyShared),
                Shown("9", product: "gems", kind: .autoRenewable).inReceipt.renewal,
            ], .fulfilled("1"), unclaimed: ["2": .noOrder, "3": .noOrder, "4": .beforeLedger, "9": .renewal],
            restored: ["6"]
        ).check()
        ChoiceCase(
            "another transaction", [Shown("1")], beside: [Shown("2", product: "gems")], .fulfilled("1"),
            unclaimed: ["2": .wrongProduct]
        ).check()
        ChoiceCase(
            "further periods of what pays", [Shown("1", kind: .autoRenewable)],
            beside: [Shown("2", original: "1", product: "club", kind: .autoRenewable, at: 2)], .fulfilled("1"),
            unclaimed: ["2": .renewal]
        ).check()
    }

    private static let openOrder = makeOrder(quantity: 2)
    private static let tokenOrder = makeOrder(quantity: 2, token: token)

    /// A proof whose payments may not pay: the order waits for another one, or is answered already.
    @Test(arguments: [
        KeepCase("a receipt's", Shown("1").inReceipt, openOrder, .unclaimed(.noOrder)),
        KeepCase("a receipt's, of another product", Shown("1", product: "gems").inReceipt, openOrder, .unclaimed(.noOrder)),
        KeepCase("a signed one", Shown("1"), openOrder, .unclaimed(.noOrder)),
        KeepCase("a signed one, of another product", Shown("1", product: "gems"), openOrder, .unclaimed(.wrongProduct)),
        KeepCase("beside an order that is over", Shown("1"), makeOrder(quantity: 2, state: .fulfilled), .unclaimed(.noOrder)),
        KeepCase("fewer units than ordered", Shown("1").short, openOrder, .unclaimed(.noOrder)),
        KeepCase("from before the order", Shown("1").old, openOrder, .unclaimed(.noOrder)),
        KeepCase("a renewal", Shown("2", original: "1", kind: .autoRenewable).renewal, openOrder, .unclaimed(.renewal)),
        KeepCase(
            "a renewal of another product", Shown("2", original: "1", product: "club", kind: .autoRenewable).renewal, openOrder,
            .unclaimed(.renewal)),
        KeepCase("another account's", Shown("1").anotherAccounts, openOrder, .unclaimed(.ownerMismatch)),
        KeepCase("of Advanced Commerce", Shown("1", product: "gems").advanced, openOrder, .unclaimed(.unsupportedYet)),
        KeepCase("refunded in part", Shown("1").inReceipt.partlyRefunded, openOrder, .unclaimed(.partlyRefunded)),
        KeepCase("from before the ledger", Shown("1").inReceipt.beforeLedger, openOrder, .unclaimed(.beforeLedger)),
        KeepCase(
            "a doubt outweighs a renewal", Shown("2", original: "1", kind: .autoRenewable).partlyRefunded.renewal, openOrder,
            .unclaimed(.partlyRefunded)),
        KeepCase("refunded by the ledger's word", Shown("1").revoked, openOrder, .refunded),
        KeepCase(
            "another name of what was granted", Shown("2", original: "1", kind: .nonConsumable).held(by: "other", as: "1"),
            openOrder, .restored),
        KeepCase("granted under its own id", Shown("1").held(by: "other"), openOrder, nil),
        KeepCase("a family member's", Shown("1").owned(.familyShared), openOrder, nil),
        KeepCase("of an unknown ownership", Shown("1").owned(.unknown), openOrder, nil),
        KeepCase("a denied sandbox purchase", Shown("1").inSandbox, openOrder, nil),
        KeepCase("a bare id's, without the order's token", Shown("1").bare, tokenOrder, nil),
        KeepCase("a bare id's, without any token", Shown("1").bare, openOrder, nil),
        KeepCase("a bare id's, with another token", Shown("1", token: otherToken).bare, tokenOrder, nil),
        KeepCase("a bare id's, with the order's token", Shown("1", token: token).bare, tokenOrder, .unclaimed(.noOrder)),
    ])
    func whatMayNotPayIsKept(_ row: KeepCase) {
        #expect(row.kept.map(\.role) == [row.expected].compactMap(\.self))
        #expect(row.kept.allSatisfy { $0.transaction == row.payment.transaction })
    }

    /// How a payment is kept whose proof may not pay for the order.
    struct KeepCase: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let payment: Shown
        let order: Order
        let expected: KeptPayment.Role?

        init(_ name: String, _ payment: Shown, _ order: Order, _ expected: KeptPayment.Role?) {
            testDescription = name
            self.payment = payment
            self.order = order
            self.expected = expected
        }

        var kept: [KeptPayment] { Choice.keep([payment.facts(for: order)], beside: order, under: ChoiceCase.policy) }
    }

    @Test func whatMayNotPayIsKeptInTheOrderOfItsProof() {
        let payments = [Shown("3"), Shown("1", product: "gems"), Shown("2").held(by: "other"), Shown("4").revoked]
        let order = Self.openOrder
        let kept = Choice.keep(payments.map { $0.facts(for: order) }, beside: order, under: ChoiceCase.policy)

        #expect(kept.map(\.transaction.id.rawValue) == ["3", "1", "4"])
        #expect(kept.map(\.fitsUnder) == [7, 7, nil])
        #expect(Choice.keep([], beside: order, under: ChoiceCase.policy) == [])
    }

    /// `order_again`.
    @Test func aPaymentThatFitsANewOrderIsKeptWithThePolicysNumber() {
        func fitsUnder(_ shown: Shown, _ order: Order) -> [Int?] {
            ChoiceCase("", [shown], order: order, .unchanged).choice.kept.map(\.fitsUnder)
        }
        let open = makeOrder(quantity: 2)
        let cancelled = makeOrder(quantity: 2, state: .cancelled)

        #expect(fitsUnder(Shown("1"), cancelled) == [7])
        #expect(fitsUnder(Shown("1").short, open) == [7])
        #expect(fitsUnder(Shown("1", product: "gems"), open) == [7])
        #expect(fitsUnder(Shown("1").old, open) == [nil])
        #expect(fitsUnder(Shown("1").anotherAccounts, cancelled) == [nil])
        #expect(fitsUnder(Shown("1", quantity: 11), cancelled) == [nil])
        #expect(fitsUnder(Shown("2", original: "1", kind: .nonConsumable).held(by: "order", as: "1"), open) == [nil])
    }

    @Test func aChoiceAmongNothingIsAMistakeOfTheCaller() async {
        await #expect(processExitsWith: .failure) {
            _ = Choice.choose(among: [], for: makeOrder(), under: AppPolicy())
        }
    }
}
