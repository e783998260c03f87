// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Testing

/// Refunds, families and seats.
@Suite struct SubscriptionRefundTests {
    @Test func refundOfTheCurrentPeriodRevokesAndItsReversalGivesBack() throws {
        var life = Life()
        let refunded = try life.play(.refund(reason: 1), on: 10)
        #expect(life.status(on: 10) == .revoked && life.renewalInfo(on: 10).autoRenewStatus == 0)
        let reversed = try life.play(.reverseRefund(), on: 12)

        #expect(life.words.suffix(2) == ["REFUND", "REFUND_REVERSED"])
        #expect(refunded.status == .revoked && refunded.transaction?.revocationDate == Life.day(10))
        #expect(refunded.transaction?.revocationReason == 1 && refunded.transaction?.revocationType == "REFUND_FULL")
        #expect(refunded.transaction?.revocationPercentage == 100_000)
        #expect(reversed.transaction?.revocationDate == nil && reversed.transaction?.revocationPercentage == nil)
        #expect(life.status(on: 12) == .active && life.renewalInfo(on: 12).autoRenewStatus == 0)
    }

    @Test func refundOfAnEarlierPeriodLeavesTheCurrentOne() throws {
        var life = Life()
        let first = life.subscription.originalTransactionID
        try life.play(.renew, on: 30)
        let told = try life.play(.refund(of: first), on: 35)

        #expect(told.transaction?.transactionId == first && told.status == .active)
        #expect(life.subscription.transactions.map { $0.revocationDate != nil } == [true, false] && life.subscription.renews)
    }

    @Test func partlyRefundedPeriodStands() throws {
        var life = Life()
        let told = try life.play(.refund(part: 40_000), on: 10)

        #expect(told.transaction?.revocationType == "REFUND_PRORATED" && told.transaction?.revocationPercentage == 40_000)
        #expect(told.status == .active && life.subscription.renews)
    }

    @Test func refundIsAskedForAndDeclined() throws {
        var life = Life()
        let asked = try life.play(.askForRefund(reason: "UNINTENDED_PURCHASE"), on: 10)
        try life.play(.declineRefund(), on: 11)

        #expect(life.words.suffix(2) == ["CONSUMPTION_REQUEST", "REFUND_DECLINED"])
        #expect(asked.consumptionRequestReason == "UNINTENDED_PURCHASE")
        #expect(life.subscription.current.revocationDate == nil)
    }

    @Test func refundedSubscriptionIsBoughtAgain() throws {
        var life = Life()
        try life.play(.refund(), on: 10)
        try life.play(.resubscribe(), on: 11)

        #expect(life.words.last == "SUBSCRIBED RESUBSCRIBE" && life.status(on: 11) == .active)
        #expect(life.periods[1] == 11...41)
    }

    @Test(arguments: ["FAMILY_SHARED", "ASSIGNED"])
    func memberHasTransactionsOfItsOwnUntilItIsRevoked(ownership: String) throws {
        var owner = Life(token: UUID(), seats: ownership == "ASSIGNED" ? 12 : nil)
        var member = Life(owner.subscription.member(ownership, at: Life.day(3), seed: 8))
        let first = member.subscription.current
        try owner.play(.refund(), on: 9)
        let told = try member.play(.revoke, on: 10)

        #expect(first.inAppOwnershipType == ownership && first.price == nil && first.appAccountToken == nil)
        #expect(first.originalTransactionId == first.transactionId)
        #expect(first.transactionId != owner.subscription.originalTransactionID)
        #expect(first.appTransactionId != owner.subscription.current.appTransactionId)
        #expect(first.quantity == (ownership == "ASSIGNED" ? 12 : 1) && first.invitationManagement == nil)
        #expect(member.periods == [3...30] && member.words == ["SUBSCRIBED INITIAL_BUY", "REVOKE"])
        #expect(told.transaction?.revocationType == "FAMILY_REVOKE" && told.status == .revoked)
    }

    @Test(arguments: [false, true])
    func addedSeatsAreASecondTransactionOfThePeriod(sharesLineItem: Bool) throws {
        var subscription = SimulatedSubscription(Life.silver, seats: 10, at: Life.begin, seed: 7)
        subscription.addedSeatsShareLineItem = sharesLineItem
        var life = Life(subscription)
        let told = try life.play(.addSeats(5), on: 10)
        let (first, added) = (life.subscription.transactions[0], life.subscription.transactions[1])

        #expect(life.words.last == "DID_CHANGE_RENEWAL_PREF INCREASE_QUANTITY" && told.transaction == added)
        #expect(first.quantity == 10 && added.quantity == 5 && first.invitationManagement == "APPLE")
        #expect([first, added].allSatisfy { $0.additionalTransactionReason == "SEAT_ADDITION" })
        #expect(added.originalTransactionId == first.transactionId && added.transactionId != first.transactionId)
        #expect(life.periods == [0...30, 10...30])
        #expect((added.webOrderLineItemId == first.webOrderLineItemId) == sharesLineItem)
        #expect(life.subscription.current == first && life.renewalInfo(on: 10).renewalQuantity == 15)
        try life.play(.dropSeats(12), on: 11)
        try life.play(.renew, on: 30)
        #expect(life.words.suffix(2) == ["DID_CHANGE_RENEWAL_PREF DECREASE_QUANTITY", "DID_RENEW"])
        #expect(life.subscription.current.quantity == 3 && life.subscription.current.additionalTransactionReason == nil)
    }

    @Test func transactionStandsUntilItsLastSeatIsRefunded() throws {
        var life = Life(seats: 10)
        let some = try life.play(.refundSeats(4), on: 10)
        #expect(throws: SimulatedSubscription.Impossible.self) { try life.play(.refundSeats(7), on: 11) }
        let all = try life.play(.refundSeats(6), on: 11)

        #expect(life.words.suffix(2) == ["REFUND SEATS", "REFUND SEATS"])
        #expect(some.transaction?.revokedSeatQuantity == 4 && some.transaction?.revocationDate == nil)
        #expect(some.status == .active)
        #expect(all.transaction?.revokedSeatQuantity == 10 && all.transaction?.revocationDate == Life.day(11))
        #expect(all.status == .revoked)
    }
}
