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

    private static func effects(_ type: String, _ transaction: Transaction?) -> NotificationEffects {
        NotificationEffects(
            of: StoreNotification(
                type: type, bundleID: BundleID(rawValue: "shop"), environment: .production,
                contents: transaction.map { .transaction($0, signedAt: signedAt, text: "eyJ") } ?? .nothing))
    }

    private static func refund(_ share: Revocation.Share, seats: Int = 0) -> Revocation {
        Revocation(.signedTransaction, date: moment(5), share: share, seats: seats, asOf: moment(6))
    }

    @Test(arguments: types)
    func withoutATransactionItIsStored(type: String) {
        let effects = Self.effects(type, nil)

        #expect(effects.outcome == .stored && effects.transaction == nil && effects.found?.payment == nil && effects.message == nil)
    }

    /// Nothing that was verified and paid is dropped, whatever the event is called.
    @Test(arguments: types)
    func aPaymentIsRecordedWhateverTheEvent(type: String) {
        let paid = makeTransaction("1")

        let effects = Self.effects(type, paid)

        #expect(effects.outcome == .recorded)
        #expect(effects.found?.payment == UnclaimedTransaction(paid, reason: .noOrder))
        #expect(effects.found?.proof == "eyJ" && effects.found?.isRevoked != true)
        #expect(effects.reversedAt == (type == "REFUND_REVERSED" ? Self.signedAt : nil))
    }

    @Test(arguments: types)
    func aRefundIsRecordedWhateverTheEvent(type: String) {
        let effects = Self.effects(type, makeTransaction("1", refund: Self.refund(.whole)))

        #expect(effects.outcome == .recorded && effects.found?.isRevoked == true)
        #expect(effects.found?.payment == nil && effects.found?.proof == nil && effects.reversedAt == nil)
    }

    @Test(arguments: [refund(.part(40_000)), refund(.unknown), refund(.unknown, seats: 2)])
    func ofAPartialRefundThePaymentIsKeptForAPerson(revocation: Revocation) {
        let transaction = makeTransaction("1", refund: revocation)

        let effects = Self.effects("REFUND", transaction)

        #expect(
            effects.found?.isRevoked == true && effects.found?.payment == UnclaimedTransaction(transaction, reason: .partlyRefunded)
        )
        #expect(effects.found?.proof == nil && effects.reversedAt == nil)
    }

    @Test(arguments: [Transaction.Ownership.familyShared, .assigned, .unknown], ["ONE_TIME_CHARGE", "REVOKE", "REFUND_REVERSED"])
    func whatSomebodyElsePaidForHasNoEffect(ownership: Transaction.Ownership, type: String) {
        for refund in [nil, Self.refund(.whole)] {
            let effects = Self.effects(type, makeTransaction("1", refund: refund, ownership: ownership))

            #expect(
                effects.outcome == .stored && effects.found?.payment == nil && effects.found?.isRevoked != true
                    && effects.reversedAt == nil)
        }
    }

    @Test func aPaymentThatNeedsAPersonFindsNoOrder() {
        let advanced = Self.effects("ONE_TIME_CHARGE", makeTransaction("1", isAdvancedCommerce: true))
        let seats = Self.effects("DID_CHANGE_RENEWAL_PREF", makeTransaction("1", added: .seatAddition))

        #expect(advanced.found?.payment?.reason == .unsupportedYet && advanced.found?.proof == nil)
        #expect(seats.found?.payment?.reason == .seatsAdded && seats.found?.proof == nil)
    }

    @Test func whatTheDatabaseCannotKeepIsStoredAndSaid() {
        let effects = Self.effects("ONE_TIME_CHARGE", makeTransaction(String(repeating: "1", count: 129)))

        #expect(effects.outcome == .stored && effects.transaction == nil && effects.found?.payment == nil)
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

        #expect(effects.outcome == nil && effects.refusal == .badSignature && effects.found?.payment == nil)
    }
}
