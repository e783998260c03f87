// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Purchases by the customer, and acts of the shop.
extension SimulatedSubscription {
    mutating func change(
        to other: SimulatedPlan, _ start: SubscriptionEvent.PlanStart, _ token: UUID?, at date: Date
    ) throws(Impossible) -> SimulatedNotification {
        try require(renews && isRunning(at: date), "it doesn't renew")
        try require(other != nextPlan, "it is the next plan already")
        if other == plan {
            nextPlan = plan
            return notification("DID_CHANGE_RENEWAL_PREF", at: date)
        }
        if starts(other, start) {
            replaceCurrent(by: other, nil, token, at: date)
            return notification("DID_CHANGE_RENEWAL_PREF", "UPGRADE", at: date)
        }
        nextPlan = other
        return notification("DID_CHANGE_RENEWAL_PREF", "DOWNGRADE", at: date)
    }

    mutating func resubscribe(
        _ other: SimulatedPlan?, _ offer: SimulatedOffer?, _ token: UUID?, at date: Date
    ) throws(Impossible) -> SimulatedNotification {
        try require(!isRunning(at: date), "it hasn't ended")
        if date.timeIntervalSince(end) >= Self.longestGap { recentStart = date }
        buy(other ?? plan, offer, token, at: date)
        return notification("SUBSCRIBED", "RESUBSCRIBE", at: date)
    }

    mutating func redeem(
        _ offer: SimulatedOffer, _ other: SimulatedPlan?, _ token: UUID?, at date: Date
    ) throws(Impossible) -> SimulatedNotification {
        try require(isRunning(at: date), "it has ended")
        guard let other, other != plan else {
            buy(plan, offer, token, at: date)
            return notification("OFFER_REDEEMED", at: date)
        }
        if starts(other, .byApplesRule) {
            replaceCurrent(by: other, offer, token, at: date)
            return notification("OFFER_REDEEMED", "UPGRADE", at: date)
        }
        nextPlan = other
        renews = true
        begin(offer)
        return notification("OFFER_REDEEMED", "DOWNGRADE", at: date)
    }

    mutating func extend(by seconds: TimeInterval, at date: Date) throws(Impossible) -> SimulatedNotification {
        try require(status(at: date) == .active, "it isn't active")
        try require(seconds > 0, "an extension is longer than nothing")
        transactions[currentPlace].expiresDate = end.addingTimeInterval(seconds)
        return notification("RENEWAL_EXTENDED", at: date)
    }

    mutating func announcePriceIncrease(to price: Int64, at date: Date) throws(Impossible) -> SimulatedNotification {
        try require(renews && isRunning(at: date), "it doesn't renew")
        try require(price > nextPlan.price, "the price isn't higher")
        priceIncrease = PriceIncrease(price: price, isAccepted: false)
        return notification("PRICE_INCREASE", "PENDING", at: date)
    }

    mutating func agreeToPriceIncrease(at date: Date) throws(Impossible) -> SimulatedNotification {
        try require(priceIncrease?.isAccepted == false, "no price waits for the customer")
        priceIncrease?.isAccepted = true
        return notification("PRICE_INCREASE", "ACCEPTED", at: date)
    }

    private func starts(_ other: SimulatedPlan, _ start: SubscriptionEvent.PlanStart) -> Bool {
        switch start {
        case .byApplesRule: plan.givesWayAtOnce(to: other)
        case .atOnce: true
        case .atRenewal: false
        }
    }

    /// The current period gives way to one of another plan, which begins now.
    private mutating func replaceCurrent(
        by other: SimulatedPlan, _ offer: SimulatedOffer?, _ token: UUID?, at date: Date
    ) {
        transactions[currentPlace].isUpgraded = true
        transactions[currentPlace].upgradeDate = date
        buy(other, offer, token, at: date)
    }

    /// A period that the customer buys, from now on.
    private mutating func buy(_ other: SimulatedPlan, _ offer: SimulatedOffer?, _ token: UUID?, at date: Date) {
        plan = other
        nextPlan = other
        self.token = token
        renews = true
        commitmentRenews = true
        failure = nil
        expirationIntent = nil
        priceIncrease = nil
        begin(offer)
        addPeriod(from: date, reason: "PURCHASE", at: date)
    }

    mutating func begin(_ offer: SimulatedOffer?) {
        self.offer = offer
        offeredPayments = offer?.payments ?? 0
    }

    /// Adds a period of the current plan. A commitment goes on, or begins anew.
    mutating func addPeriod(from begin: Date, reason: String, at date: Date) {
        var next = SimulatedTransaction(
            productId: plan.productID, bundleId: bundleID, type: .autoRenewable, environment: environment,
            quantity: seats ?? 1, purchaseDate: begin,
            transactionId: SimulatedTransaction.makeTransactionID(in: environment, using: &generator), appAccountToken: token)
        next.originalTransactionId = originalTransactionID
        next.originalPurchaseDate = current.originalPurchaseDate
        next.appTransactionId = current.appTransactionId
        next.inAppOwnershipType = current.inAppOwnershipType
        next.subscriptionGroupIdentifier = current.subscriptionGroupIdentifier
        next.storefront = current.storefront
        next.storefrontId = current.storefrontId
        next.transactionReason = reason
        next.signedDate = date
        complete(&next)
        transactions.append(next)
        currentPlace = transactions.count - 1
    }

    /// Writes into a new period what follows from plan, offer, seats and ownership.
    mutating func complete(_ next: inout SimulatedTransaction) {
        let isPaid = next.inAppOwnershipType == "PURCHASED"
        next.webOrderLineItemId = SimulatedTransaction.makeLineItemID(in: next.environment, using: &generator)
        next.price = isPaid ? plan.price : nil
        next.invitationManagement = seats == nil || !isPaid ? nil : "APPLE"
        next.billingPlanType = plan.billingPlanType
        next.expiresDate = next.purchaseDate.addingTimeInterval(plan.length)
        if let offer, offeredPayments > 0 {
            offeredPayments -= 1
            next.offerType = offer.type
            next.offerIdentifier = offer.identifier
            next.offerDiscountType = offer.discountType
            next.offerPeriod = offer.period
            if isPaid { next.price = offer.price }
            if let length = offer.length { next.expiresDate = next.purchaseDate.addingTimeInterval(length) }
        }
        next.commitment = plan.payments.map { commitment(of: $0, from: next.purchaseDate, reason: next.transactionReason) }
    }

    private func commitment(of payments: Int, from begin: Date, reason: String) -> SimulatedCommitment {
        if reason == "RENEWAL", let before = transactions.last?.commitment, before.number < before.total {
            var next = before
            next.number += 1
            return next
        }
        return SimulatedCommitment(
            number: 1, total: payments, expiresDate: begin.addingTimeInterval(plan.length * Double(payments)),
            price: plan.price * Int64(payments))
    }
}
