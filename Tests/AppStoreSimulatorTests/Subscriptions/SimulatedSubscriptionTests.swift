// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Testing

/// Periods, plans, and the end.
@Suite struct SimulatedSubscriptionTests {
    @Test func firstPeriodIsAPurchaseAndIsActive() {
        let token = UUID()
        let life = Life(token: token)
        let first = life.subscription.current

        #expect(life.words == ["SUBSCRIBED INITIAL_BUY"])
        #expect(first.originalTransactionId == first.transactionId && first.transactionReason == "PURCHASE")
        #expect(first.appAccountToken == token && first.billingPlanType == "BILLED_UPFRONT")
        #expect(life.periods == [0...30])
        #expect(life.told[0].status == .active && life.status(on: 29) == .active && life.status(on: 30) == .expired)
    }

    @Test func equalSeedsMakeEqualLives() throws {
        var (one, other) = (Life(), Life())
        try one.play(.renew, on: 30)
        try other.play(.renew, on: 30)

        #expect(one.subscription.transactions == other.subscription.transactions)
        #expect(Set(one.subscription.transactions.map(\.transactionId)).count == 2)
        #expect(Set(one.subscription.transactions.map(\.webOrderLineItemId)).count == 2)
    }

    /// Apple signs a renewal before its period begins.
    @Test func renewalMayBeSignedAheadAndKeepsWhatBelongsToTheLife() throws {
        let token = UUID()
        var life = Life(token: token)
        let told = try life.play(.renew, on: 29.9)
        let renewal = try #require(told.transaction)

        #expect(life.words.last == "DID_RENEW")
        #expect(life.periods == [0...30, 30...60])
        #expect(renewal.purchaseDate > renewal.signedDate && told.date == Life.day(29.9))
        #expect(renewal.transactionReason == "RENEWAL" && renewal.appAccountToken == token)
        #expect(renewal.originalTransactionId == life.subscription.originalTransactionID)
        #expect(renewal.originalPurchaseDate == Life.begin)
    }

    @Test(arguments: [
        ("dearer", Life.gold, SubscriptionEvent.PlanStart.byApplesRule, true),
        ("of the same rank and length", Life.tin, .byApplesRule, true),
        ("of the same rank and another length", Life.silverYear, .byApplesRule, false),
        ("cheaper", Life.bronze, .byApplesRule, false),
        ("dearer, at the renewal", Life.gold, .atRenewal, false), ("cheaper, at once", Life.bronze, .atOnce, true),
    ])
    func planBeginsAtOnceOrWithTheRenewal(
        name: String, plan: SimulatedPlan, start: SubscriptionEvent.PlanStart, isAtOnce: Bool
    ) throws {
        var life = Life()
        try life.play(.change(to: plan, starts: start), on: 10)
        let changed = life.subscription

        #expect(life.words.last == "DID_CHANGE_RENEWAL_PREF " + (isAtOnce ? "UPGRADE" : "DOWNGRADE"))
        #expect(changed.current.productId == (isAtOnce ? plan.productID : "silver"))
        #expect(changed.transactions[0].isUpgraded == (isAtOnce ? true : nil))
        #expect(changed.transactions[0].revocationDate == nil)
        #expect(life.renewalInfo(on: 10).autoRenewProductId == plan.productID)
        #expect(life.renewalInfo(on: 10).productId == changed.current.productId)
        if isAtOnce {
            #expect(changed.current.transactionReason == "PURCHASE" && life.periods[1].lowerBound == 10)
        } else {
            try life.play(.renew, on: 30)
            #expect(life.subscription.current.productId == plan.productID)
            #expect(life.subscription.current.transactionReason == "RENEWAL" && life.periods[1].lowerBound == 30)
        }
    }

    @Test func chosenPlanIsWithdrawn() throws {
        var life = Life()
        try life.play(.change(to: Life.bronze), on: 10)
        try life.play(.change(to: Life.silver), on: 11)

        #expect(life.words.suffix(2) == ["DID_CHANGE_RENEWAL_PREF DOWNGRADE", "DID_CHANGE_RENEWAL_PREF"])
        #expect(life.renewalInfo(on: 12).autoRenewProductId == "silver")
    }

    @Test func cancelledSubscriptionRunsToItsEnd() throws {
        var life = Life()
        try life.play(.turnRenewalOff, on: 5)
        #expect(life.status(on: 20) == .active && life.renewalInfo(on: 20).autoRenewStatus == 0)
        try life.play(.expire(), on: 30)

        #expect(life.words.suffix(2) == ["DID_CHANGE_RENEWAL_STATUS AUTO_RENEW_DISABLED", "EXPIRED VOLUNTARY"])
        #expect(life.told[2].status == .expired && life.renewalInfo(on: 30).expirationIntent == 1)
    }

    @Test(arguments: [
        (ExpirationIntent.priceIncrease, "EXPIRED PRICE_INCREASE"), (.productNotForSale, "EXPIRED PRODUCT_NOT_FOR_SALE"),
        (.other, "EXPIRED"),
    ])
    func endHasItsReason(intent: ExpirationIntent, words: String) throws {
        var life = Life()
        try life.play(.expire(intent), on: 30)

        #expect(life.words.last == words && life.renewalInfo(on: 30).expirationIntent == intent.rawValue)
    }

    @Test func graceIsNoEndAndRecoveryWithinItKeepsTheDay() throws {
        var life = Life()
        try life.play(.failToRenew(grace: 16 * 86_400), on: 30)
        #expect(life.status(on: 31) == .gracePeriod && life.renewalInfo(on: 31).isInBillingRetryPeriod == true)
        #expect(life.renewalInfo(on: 31).gracePeriodExpiresDate == Life.day(46))
        #expect(life.renewalInfo(on: 31).renewalDate == Life.day(30))
        try life.play(.recover, on: 40)

        #expect(life.words.suffix(2) == ["DID_FAIL_TO_RENEW GRACE_PERIOD", "DID_RENEW BILLING_RECOVERY"])
        #expect(life.periods[1] == 30...60 && life.status(on: 40) == .active)
    }

    @Test func recoveryAfterGraceBeginsThen() throws {
        var life = Life()
        try life.play(.failToRenew(grace: 6 * 86_400), on: 30)
        #expect(throws: SimulatedSubscription.Impossible.self) { try life.play(.endGrace, on: 35) }
        try life.play(.endGrace, on: 36)
        #expect(life.status(on: 36) == .billingRetry && life.renewalInfo(on: 36).gracePeriodExpiresDate == nil)
        #expect(life.renewalInfo(on: 36).expirationIntent == 2)
        try life.play(.recover, on: 50)

        #expect(life.words.suffix(2) == ["GRACE_PERIOD_EXPIRED", "DID_RENEW BILLING_RECOVERY"])
        #expect(life.periods[1] == 50...80)
    }

    @Test func appleGivesUpTrying() throws {
        var life = Life()
        try life.play(.failToRenew(), on: 30)
        #expect(life.status(on: 31) == .billingRetry)
        try life.play(.expire(), on: 90)

        #expect(life.words.suffix(2) == ["DID_FAIL_TO_RENEW", "EXPIRED BILLING_RETRY"])
        #expect(life.status(on: 90) == .expired && life.renewalInfo(on: 90).isInBillingRetryPeriod == false)
    }

    @Test(arguments: [nil, UUID()])
    func resubscriptionKeepsTheOriginalIDAndHasItsOwnToken(token: UUID?) throws {
        var life = Life(token: UUID())
        try life.play(.turnRenewalOff, on: 5)
        try life.play(.expire(), on: 30)
        try life.play(.resubscribe(Life.gold, token: token), on: 45)
        try life.play(.renew, on: 75)

        #expect(life.words.suffix(2) == ["SUBSCRIBED RESUBSCRIBE", "DID_RENEW"])
        let bought = life.subscription.transactions[1]
        #expect(bought.originalTransactionId == life.subscription.transactions[0].transactionId)
        #expect(bought.transactionReason == "PURCHASE" && bought.productId == "gold")
        #expect(life.subscription.transactions.dropFirst().map(\.appAccountToken) == [token, token])
        #expect(life.renewalInfo(on: 75).recentSubscriptionStartDate == Life.begin)
    }

    @Test func gapOfSixtyDaysBeginsANewRow() throws {
        var life = Life()
        try life.play(.turnRenewalOff, on: 5)
        try life.play(.expire(), on: 30)
        try life.play(.resubscribe(), on: 90)

        #expect(life.renewalInfo(on: 90).recentSubscriptionStartDate == Life.day(90))
    }

    @Test func extensionMovesTheEndOfTheSameTransaction() throws {
        var life = Life()
        let told = try life.play(.extend(by: 10 * 86_400), on: 20)
        try life.play(.renew, on: 40)

        #expect(life.words[1] == "RENEWAL_EXTENDED" && life.periods == [0...40, 40...70])
        #expect(told.transaction?.transactionId == life.subscription.transactions[0].transactionId)
        #expect(told.renewalInfo?.renewalDate == Life.day(40))
    }

    @Test func offerCountsForItsPaymentsOnly() throws {
        var life = Life(offer: .freeWeek)
        #expect(life.subscription.current.price == 0 && life.subscription.current.offerDiscountType == "FREE_TRIAL")
        #expect(life.subscription.current.offerPeriod == "P1W" && life.periods == [0...7])
        #expect(life.renewalInfo(on: 1).renewalPrice == 9990 && life.renewalInfo(on: 1).offerType == nil)
        try life.play(.renew, on: 7)

        #expect(life.subscription.current.price == 9990 && life.subscription.current.offerType == nil)
        #expect(life.periods[1] == 7...37)
    }

    @Test func offerIsRedeemedForAPlan() throws {
        let offer = SimulatedOffer(
            type: 3, identifier: "AUTUMN", discountType: "PAY_AS_YOU_GO", period: "P1M", price: 990, payments: 2)
        var now = Life()
        try now.play(.redeem(offer), on: 10)
        var up = Life()
        try up.play(.redeem(offer, plan: Life.gold), on: 10)
        var down = Life()
        try down.play(.redeem(offer, plan: Life.bronze), on: 10)

        #expect([now, up, down].map { $0.words.last } == ["OFFER_REDEEMED", "OFFER_REDEEMED UPGRADE", "OFFER_REDEEMED DOWNGRADE"])
        #expect(now.subscription.current.offerIdentifier == "AUTUMN" && now.subscription.current.productId == "silver")
        #expect(up.subscription.transactions[0].isUpgraded == true && up.subscription.current.price == 990)
        #expect(down.subscription.transactions.count == 1 && down.renewalInfo(on: 10).offerIdentifier == "AUTUMN")
        #expect(down.renewalInfo(on: 10).renewalPrice == 990)
        try down.play(.renew, on: 30)
        #expect(down.subscription.current.productId == "bronze" && down.subscription.current.offerType == 3)
    }

    @Test func higherPriceIsAnnouncedAgreedToAndPaid() throws {
        var life = Life()
        try life.play(.announcePriceIncrease(to: 12_990), on: 10)
        #expect(life.renewalInfo(on: 10).priceIncreaseStatus == 0 && life.renewalInfo(on: 10).renewalPrice == 12_990)
        try life.play(.agreeToPriceIncrease, on: 11)
        #expect(life.renewalInfo(on: 11).priceIncreaseStatus == 1)
        try life.play(.renew, on: 30)

        #expect(life.words.suffix(3) == ["PRICE_INCREASE PENDING", "PRICE_INCREASE ACCEPTED", "DID_RENEW"])
        #expect(life.subscription.current.price == 12_990 && life.renewalInfo(on: 30).priceIncreaseStatus == nil)
    }

    @Test func yearPaidMonthByMonthCountsItsPayments() throws {
        var life = Life(SimulatedPlan("gold.year", price: 9990, payments: 3))
        try life.play(.turnRenewalOff, on: 5)
        #expect(life.renewalInfo(on: 5).autoRenewStatus == 1 && life.renewalInfo(on: 5).commitment?.autoRenewStatus == 0)
        try life.play(.renew, on: 30)
        try life.play(.renew, on: 60)
        let payments = life.subscription.transactions

        #expect(payments.map(\.billingPlanType) == ["MONTHLY", "MONTHLY", "MONTHLY"])
        #expect(payments.map { $0.commitment?.number } == [1, 2, 3] && payments.map { $0.commitment?.total } == [3, 3, 3])
        #expect(payments.allSatisfy { $0.commitment?.expiresDate == Life.day(90) && $0.commitment?.price == 29_970 })
        #expect(life.renewalInfo(on: 60).autoRenewStatus == 0)
        #expect(throws: SimulatedSubscription.Impossible.self) { try life.play(.renew, on: 90) }
    }

    @Test func yearThatRenewsBeginsAnew() throws {
        var life = Life(SimulatedPlan("gold.year", price: 9990, payments: 2))
        try life.play(.renew, on: 30)
        try life.play(.renew, on: 60)

        #expect(life.subscription.transactions.map { $0.commitment?.number } == [1, 2, 1])
        #expect(life.subscription.current.commitment?.expiresDate == Life.day(120))
    }

    private static let impossible: [(String, SubscriptionEvent, Double)] = [
        ("before the last event", .turnRenewalOff, 0.5), ("a renewal too early", .renew, 20),
        ("a failure too early", .failToRenew(), 29), ("an end too early", .expire(.other), 29),
        ("an end without a reason", .expire(), 31), ("recovery of nothing", .recover, 10),
        ("a grace that isn't there", .endGrace, 40), ("on what is on", .turnRenewalOn, 10),
        ("the same plan", .change(to: Life.silver), 10), ("resubscribed while it runs", .resubscribe(), 10),
        ("an offer after the end", .redeem(.freeWeek), 40), ("extended after the end", .extend(by: 86_400), 40),
        ("extended by nothing", .extend(by: 0), 10), ("a lower price", .announcePriceIncrease(to: 1), 10),
        ("agreed to nothing", .agreeToPriceIncrease, 10), ("revoked what was paid", .revoke, 10),
        ("seats of one", .addSeats(1), 10), ("fewer seats than one", .dropSeats(1), 10),
        ("refunded seats of one", .refundSeats(1), 10), ("reversed nothing", .reverseRefund(), 10),
        ("refunded an unknown transaction", .refund(of: "1"), 10), ("a part of more than all", .refund(part: 100_000), 10),
    ]

    @Test(arguments: impossible)
    func impossibleEventChangesNothing(name: String, event: SubscriptionEvent, day: Double) throws {
        var life = Life()
        try life.play(.extend(by: 1), on: 1)
        let (transactions, info) = (life.subscription.transactions, life.renewalInfo(on: day))

        #expect(throws: SimulatedSubscription.Impossible.self) { try life.play(event, on: day) }

        #expect(life.subscription.transactions == transactions && life.renewalInfo(on: day) == info)
    }

    @Test func lifeIsMadeOfTransactionsAlone() throws {
        var made = Life()
        try made.play(.renew, on: 30)
        let transactions = made.subscription.transactions

        let running = try #require(SimulatedSubscription(of: transactions.reversed(), at: Life.day(40)))
        let ended = try #require(SimulatedSubscription(of: transactions, at: Life.day(70)))

        #expect(running.current == transactions[1] && running.status(at: Life.day(40)) == .active && running.renews)
        #expect(ended.status(at: Life.day(70)) == .expired && !ended.renews)
        #expect(ended.renewalInfo(at: Life.day(70)).expirationIntent == 1)
        #expect(SimulatedSubscription(of: [], at: Life.begin) == nil)
    }
}
