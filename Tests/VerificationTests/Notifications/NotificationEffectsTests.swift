// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

/// What each of Apple's notifications means to the ledger.
@Suite struct NotificationEffectsTests {
    /// All types of appstoreservernotifications/notificationtype, and one that Apple may add.
    static let types = [
        "ONE_TIME_CHARGE", "SUBSCRIBED", "DID_RENEW", "OFFER_REDEEMED", "DID_CHANGE_RENEWAL_PREF", "DID_CHANGE_RENEWAL_STATUS",
        "DID_FAIL_TO_RENEW", "GRACE_PERIOD_EXPIRED", "EXPIRED", "PRICE_INCREASE", "PRICE_CHANGE", "METADATA_UPDATE", "MIGRATION",
        "RENEWAL_EXTENDED", "RENEWAL_EXTENSION", "REFUND", "REFUND_REVERSED", "REFUND_DECLINED", "REVOKE", "CONSUMPTION_REQUEST",
        "UNCLAIM_SEATS", "EXTERNAL_PURCHASE_TOKEN", "RESCIND_CONSENT", "TEST", "SOMETHING_NEW",
    ]

    private static let signedAt = moment(9)

    private static func effects(_ type: String, _ transaction: Transaction?, _ renewal: Renewal? = nil) -> NotificationEffects {
        NotificationEffects(
            of: StoreNotification(
                type: type, bundleID: BundleID(rawValue: "shop"), environment: .production,
                contents: transaction.map { .transaction($0, signedAt: signedAt, text: "eyJ") } ?? .nothing, renewal: renewal))
    }

    /// The payment, with the facts of a ledger that knows nothing but the shop's list and what the notification told.
    private static func facts(_ effects: NotificationEffects) -> PaymentFacts? {
        effects.payment.map { payment in
            let refund = LedgerFacts.Refund(asOf: signedAt, recordedAt: signedAt)
            return PaymentFacts(
                payment,
                ledger: LedgerFacts(
                    refund: payment.transaction.isRefunded ? refund : nil,
                    isPartlyRefunded: payment.transaction.isPartlyRefunded, orderState: nil, listedKind: .consumable))
        }
    }

    private static func kept(_ effects: NotificationEffects) -> KeptPayment? {
        facts(effects).flatMap { Choice.keep($0, under: AppPolicy()) }
    }

    /// Whether the order is looked for that it was made for.
    private static func isLookedFor(_ effects: NotificationEffects) -> Bool {
        facts(effects).map { Fit.mayBeAnOrders(Fit.objections(to: $0, under: AppPolicy())) } ?? false
    }

    private static func refund(_ share: Revocation.Share, seats: Int = 0) -> Revocation {
        Revocation(.signedTransaction, date: moment(5), share: share, seats: seats, asOf: moment(6))
    }

    @Test(arguments: types)
    func withoutATransactionItIsStored(type: String) {
        let effects = Self.effects(type, nil)

        #expect(effects.outcome == .stored && effects.transaction == nil && effects.payment == nil && effects.message == nil)
    }

    /// Nothing that was verified and paid is dropped, whatever the event is called.
    @Test(arguments: types)
    func aPaymentIsRecordedWhateverTheEvent(type: String) {
        let paid = makeTransaction("1")

        let effects = Self.effects(type, paid)

        #expect(effects.outcome == .recorded)
        #expect(effects.payment == ShownPayment(paid, signedAt: Self.signedAt) && effects.proof == "eyJ")
        #expect(Self.kept(effects)?.role == .unclaimed(.noOrder) && Self.isLookedFor(effects))
        #expect(effects.reversedAt == (type == "REFUND_REVERSED" ? Self.signedAt : nil))
    }

    @Test(arguments: types)
    func aRefundIsRecordedWhateverTheEvent(type: String) {
        let effects = Self.effects(type, makeTransaction("1", refund: Self.refund(.whole)))

        #expect(effects.outcome == .recorded && effects.payment?.transaction.isRefunded == true)
        // The order that it was made for ends as after a grant.
        #expect(Self.kept(effects) == nil && Self.isLookedFor(effects) && effects.reversedAt == nil)
    }

    @Test(arguments: [refund(.part(40_000)), refund(.unknown), refund(.unknown, seats: 2)])
    func ofAPartialRefundThePaymentIsKeptForAPerson(revocation: Revocation) {
        let transaction = makeTransaction("1", refund: revocation)

        let effects = Self.effects("REFUND", transaction)

        #expect(effects.payment?.transaction == transaction && effects.reversedAt == nil)
        #expect(Self.kept(effects) == KeptPayment(transaction, as: .unclaimed(.partlyRefunded)) && Self.isLookedFor(effects))
    }

    @Test(arguments: [Transaction.Ownership.familyShared, .assigned, .unknown], ["ONE_TIME_CHARGE", "REVOKE", "REFUND_REVERSED"])
    func whatSomebodyElsePaidForHasNoEffect(ownership: Transaction.Ownership, type: String) {
        for refund in [nil, Self.refund(.whole)] {
            let effects = Self.effects(type, makeTransaction("1", refund: refund, ownership: ownership))

            #expect(effects.outcome == (ownership == .unknown ? .odd : .stored))
            #expect(effects.payment == nil && effects.proof == nil && effects.reversedAt == nil)
            #expect((effects.shared?.transaction == effects.transaction) == (ownership != .unknown))
        }
    }

    @Test(arguments: [
        (Transaction.Ownership.familyShared, "the transaction was paid by somebody else"),
        (.assigned, "the transaction was paid by somebody else"),
        (.unknown, "Apple names an ownership that is not documented"),
    ])
    func whoPaidIsSaid(_ ownership: Transaction.Ownership, _ words: String) {
        #expect(Self.effects("ONE_TIME_CHARGE", makeTransaction("1", ownership: ownership)).message == words)
        #expect(Self.effects("ONE_TIME_CHARGE", makeTransaction("1")).message == nil)
    }

    /// A sandbox purchase of an account that has none: the same of each event.
    @Test(arguments: types)
    func ofWhatTheAppDoesNotTakeNothingFollows(type: String) {
        let renewal = Renewal(originalID: TransactionID(rawValue: "1"), signedAt: Self.signedAt)
        let paid = makeTransaction("1", environment: .sandbox)

        let denied = Self.effects(type, paid, renewal).denied

        #expect(denied.outcome == .denied && denied.message == "a sandbox purchase that doesn't count for this account")
        #expect(denied.payment == nil && denied.proof == nil && denied.reversedAt == nil && denied.renewal == nil)
        #expect(!denied.asksForConsumption && !denied.closesConsumptionRequest)
        #expect(denied.transaction == paid)
    }

    @Test func aPaymentThatNeedsAPersonFindsNoOrder() {
        let advanced = Self.effects("ONE_TIME_CHARGE", makeTransaction("1", isAdvancedCommerce: true))
        let seats = Self.effects("DID_CHANGE_RENEWAL_PREF", makeTransaction("1", added: .seatAddition))

        #expect(Self.kept(advanced)?.role == .unclaimed(.unsupportedYet) && !Self.isLookedFor(advanced))
        #expect(Self.kept(seats)?.role == .unclaimed(.seatsAdded) && !Self.isLookedFor(seats))
    }

    @Test func whatTheDatabaseCannotKeepIsOddAndSaid() {
        let effects = Self.effects("ONE_TIME_CHARGE", makeTransaction(String(repeating: "1", count: 129)))

        #expect(effects.outcome == .odd && effects.transaction == nil && effects.payment == nil)
        #expect(effects.message?.hasPrefix("the database can't keep transaction") == true)
    }

    @Test func appleAsksAboutARefundAndNoLongerOnceItIsMadeOrDeclined() {
        let paid = makeTransaction("1")

        #expect(Self.effects("CONSUMPTION_REQUEST", paid).asksForConsumption)
        for type in Self.types {
            let closes = ["REFUND", "REFUND_DECLINED"].contains(type)
            #expect(Self.effects(type, paid).closesConsumptionRequest == closes)
            #expect(Self.effects(type, paid).asksForConsumption == (type == "CONSUMPTION_REQUEST"))
        }
    }

    @Test func whatAppleDidNotSignHasNoOutcome() {
        let effects = NotificationEffects(refused: .badSignature)

        #expect(effects.outcome == nil && effects.refusal == .badSignature && effects.payment == nil)
    }
}
