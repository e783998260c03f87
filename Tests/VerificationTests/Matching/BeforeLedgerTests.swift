// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification

/// Payments from before the ledger began: every one of a proof is judged so, whatever was ordered.
@Suite struct BeforeLedgerTests {
    private static let policy = AppPolicy(ledgerStartsAt: moment(-300))

    @Test(arguments: [
        MatchingCase.receipt(
            "an old payment beside a new one", [makeTransaction("1", at: -600), makeTransaction("2")], policy: policy,
            .candidates(["2"]), unclaimed: ["1": .beforeLedger]),
        .receipt(
            "a payment of the ledger's time from before the order", [makeTransaction("1", at: -200), makeTransaction("2")],
            policy: policy, .candidates(["2"]), unclaimed: ["1": .noOrder]),
        .receipt(
            "an old payment of another product", [makeTransaction("1", product: "gems", at: -600), makeTransaction("2")],
            policy: policy, .candidates(["2"]), unclaimed: ["1": .beforeLedger]),
        .receipt(
            "without a beginning of the ledger", [makeTransaction("1", product: "gems", at: -600), makeTransaction("2")],
            .candidates(["2"]), unclaimed: ["1": .noOrder]),
        .receipt(
            "another product, paid before and restored after",
            [makeTransaction("1", original: "0", product: "map", at: -1, paidAt: -600), makeTransaction("2")],
            policy: policy, .candidates(["2"]), unclaimed: ["1": .beforeLedger]),
        .receipt(
            "another product's period, first paid before",
            [makeTransaction("1", original: "0", webOrder: "w", product: "club", at: -1, paidAt: -600), makeTransaction("2")],
            policy: policy, .candidates(["2"]), unclaimed: ["1": .noOrder]),
        .receipt(
            "another product's period, whatever kind the ordered product is of",
            [makeTransaction("1", original: "0", webOrder: "w", product: "club", at: -1, paidAt: -600), makeTransaction("2")],
            order: makeOrder(kind: .nonConsumable), policy: policy, .candidates(["2"]), unclaimed: ["1": .noOrder]),
        .receipt(
            "a period without a number, by its end",
            [period("1", at: -1, paidAt: -600), makeTransaction("2")], policy: policy, .candidates(["2"]),
            unclaimed: ["1": .subscriptionUnconfirmed]),
        .receipt(
            "an old period", [period("1", at: -600), makeTransaction("2")], policy: policy, .candidates(["2"]),
            unclaimed: ["1": .beforeLedger]),
        .receipt(
            "refunded in part", [makeTransaction("1", at: -600, refund: refund(.part(1))), makeTransaction("2")],
            policy: policy, .candidates(["2"]), unclaimed: ["1": .partlyRefunded], partlyRevoked: ["1"]),
        .signed(
            "signed, of another product", makeTransaction("1", product: "gems", at: -600), policy: policy,
            .candidates([.init("1", .beforeLedger)])),
        .receipt(
            "what a recovery order is made for is offered", [makeTransaction("1", at: -600)],
            order: makeOrder(isRecovery: true), policy: policy, .candidates([.init("1", .beforeLedger)])),
    ])
    func everyPaymentIsJudged(_ row: MatchingCase) {
        row.check()
    }

    private static func period(_ id: String, at minutes: Double, paidAt originalMinutes: Double? = nil) -> Transaction {
        var period = makeTransaction(id, original: "0", product: "club", at: minutes, paidAt: originalMinutes)
        period.expiresDate = moment(minutes + 60)
        return period
    }

    /// A receipt names no kinds, and the ledger isn't asked yet: what has no period counts as bought for good.
    @Test func ofAnUnknownKindThePeriodSaysWhenItWasPaid() {
        func isBeforeLedger(_ transaction: Transaction) -> Bool {
            let payment = PaymentFacts(ShownPayment(transaction, isReceipt: true))
            return Fit.objections(to: payment, for: makeOrder(), under: Self.policy).contains(.beforeLedger)
        }
        let restore = makeTransaction("1", original: "0", product: "map", at: -1, paidAt: -600)
        let numbered = makeTransaction("1", original: "0", webOrder: "w", product: "club", at: -1, paidAt: -600)

        #expect(isBeforeLedger(restore))
        #expect(!isBeforeLedger(numbered))
        #expect(!isBeforeLedger(Self.period("1", at: -1, paidAt: -600)))
        #expect(isBeforeLedger(Self.period("1", at: -600)))
    }

    /// By the ledger's word, and for its account.
    private static let old = Shown("1", original: "0", kind: .autoRenewable).beforeLedger.renewal

    @Test(arguments: [
        ChoiceCase(
            "beside what pays", [Shown("2", original: "0", kind: .autoRenewable), old], .fulfilled("2"),
            unclaimed: ["1": .beforeLedger]),
        ChoiceCase(
            "for an order that another period paid", [old], order: makeOrder(quantity: 2, state: .fulfilled), .unchanged,
            unclaimed: ["1": .beforeLedger]),
        ChoiceCase(
            "for a cancelled order", [old], order: makeOrder(quantity: 2, state: .cancelled), .unchanged,
            unclaimed: ["1": .beforeLedger]),
        ChoiceCase("for its own order", [old], .review(.beforeLedger, "1"), unclaimed: ["1": .beforeLedger]),
    ])
    func oldPaymentsRenewNothing(_ row: ChoiceCase) {
        row.check()
    }
}
