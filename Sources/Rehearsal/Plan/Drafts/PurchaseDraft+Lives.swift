// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Verification

/// Lives of subscriptions: what Apple says of them, clients and strangers show, and the shop has to know of them in the end.
extension PurchaseDraft {
    /// One whose ledger began before all lives, of either route.
    private mutating func anyAppOfLives() -> ShopApp { generator.pick([.puzzle, .radio, .harbor]) }

    private mutating func anyPlan() -> ShopProduct { generator.pick([.pro, .sport, .premium]) }

    /// A subscription whose first period the buyer has: shown by the client, or told by Apple, where its token names the order. A
    /// stranger may show it before or after.
    private mutating func subscribed(_ product: ShopProduct, daysAgo days: Double) -> (life: Int, first: Int) {
        let app = anyAppOfLives()
        guard generator.oneIn(3) else {
            let life = live(product, of: app, daysAgo: days, owner: .account(buyer))
            let first = purchase.transactions.count - 1
            claim(first)
            mayBeStolen(first, isGranted: true)
            return (life, first)
        }
        let token = token()
        let order = order(product, of: app, token: token)
        play(.place([order]), .backdate(order, minutes: Int(days * 1440) + 5))
        let isTold = generator.oneIn(2)
        let life = live(product, of: app, daysAgo: days, token: token, owner: .account(buyer))
        let first = purchase.transactions.count - 1
        edit { $0.transactions[first].isToldOnly = false }
        let isStolenFirst = generator.oneIn(2)
        if isStolenFirst { steal(first, isGranted: false) }
        if isTold {
            play(.introduce(life), .awaitTold(first), .await(order, .fulfilled))
        } else {
            play(.upload([PlannedUpload(order: order, proof: .signed(transaction: first))]), .follow([order]))
        }
        expectGrant(order, first)
        if !isStolenFirst { mayBeStolen(first, isGranted: true) }
        return (life, first)
    }

    /// What Apple told of a further period arrives, and a stranger may show it before, or after.
    private mutating func arrive(_ payment: Int, _ reason: Reason) {
        let isStolenFirst = generator.oneIn(3)
        if isStolenFirst { steal(payment, isGranted: false) }
        hear(payment)
        if !isStolenFirst { mayBeStolen(payment, isGranted: false) }
        expect(payment, .unclaimed(reason))
    }

    /// The client asks for an order of a further period, before Apple's word of it arrives or after. A stranger may come first.
    private mutating func arriveClaimed(_ payment: Int) {
        let isStolenFirst = generator.oneIn(3)
        let isHeardFirst = generator.oneIn(2)
        if isStolenFirst { steal(payment, isGranted: false) }
        if isHeardFirst { hear(payment) }
        claim(payment)
        if !isHeardFirst { hear(payment) }
        if !isStolenFirst { mayBeStolen(payment, isGranted: true) }
    }

    /// Up, across or down at once: the days that are left go back, and that is no refund.
    package mutating func lifeChangedAtOnce() {
        let (before, after) = generator.pick([
            (ShopProduct.pro, ShopProduct.premium), (.sport, .premium), (.pro, .sport), (.premium, .pro),
        ])
        let (life, _) = subscribed(before, daysAgo: 10)
        guard let second = befall(life, .change(to: after.plan, starts: .atOnce)) else { return }
        guard generator.oneIn(3) else {
            return generator.oneIn(2) ? arriveClaimed(second) : arrive(second, .noOrder)
        }
        // The days of the first don't come back with that.
        hear(second)
        befall(life, .refund(of: self[payment: second].id))
        hear(second)
        expect(second, .revoked)
    }

    /// Down, across or up when it renews; the next period has begun, or is to begin.
    package mutating func lifeChangedAtRenewal() {
        let isToCome = generator.oneIn(2)
        let (before, after) = generator.pick([(ShopProduct.premium, ShopProduct.pro), (.pro, .sport), (.sport, .premium)])
        let (life, _) = subscribed(before, daysAgo: isToCome ? 29.5 : 31)
        befall(life, .change(to: after.plan, starts: .atRenewal), daysAgo: 2)
        guard let renewal = befall(life, .renew) else { return }
        arrive(renewal, .renewal)
    }

    /// The owner subscribes again after the end, with a token of their order or without.
    package mutating func lifeResubscribed() {
        let (life, _) = subscribed(anyPlan(), daysAgo: generator.pick([70, 120]))
        befall(life, .expire(.cancelled), daysAgo: 39)
        let plan = anyPlan()
        guard generator.oneIn(3) else {
            guard let again = befall(life, .resubscribe(plan.plan)) else { return }
            if generator.oneIn(2) { arriveClaimed(again) } else { arrive(again, .noOrder) }
            return
        }
        let token = token()
        let order = order(plan, of: purchase.lives[life].app, token: token)
        play(.place([order]))
        isPaidByToken(order, life, .resubscribe(plan.plan, token: token))
    }

    /// Somebody else subscribes again on the same phone: with a token of theirs it is theirs, without one the owner's.
    package mutating func lifeOfAnother() {
        let (life, _) = subscribed(anyPlan(), daysAgo: 70)
        befall(life, .expire(.cancelled), daysAgo: 39)
        let plan = anyPlan()
        let another = "another-\(purchase.number)"
        guard generator.oneIn(2) else {
            guard let again = befall(life, .resubscribe(plan.plan)) else { return }
            let isShownFirst = generator.oneIn(2)
            if !isShownFirst { hear(again) }
            steal(again, isGranted: false, by: another)
            if isShownFirst { hear(again) }
            return expect(again, .unclaimed(.noOrder))
        }
        let token = token()
        let order = order(plan, of: purchase.lives[life].app, by: another, token: token)
        play(.place([order]))
        edit { $0.lives[life].owner = .account(another) }
        isPaidByToken(order, life, .resubscribe(plan.plan, token: token))
    }

    /// Apple's word alone brings the payment to the order that its token names, whoever showed it before. A stranger who shows it
    /// first is answered first. A stranger who comes second learns that it was granted.
    private mutating func isPaidByToken(_ order: Int, _ life: Int, _ event: SubscriptionEvent) {
        let isStolenFirst = generator.oneIn(3)
        guard let payment = befall(life, event, mustBeHeldUp: isStolenFirst) else { return }
        edit { $0.transactions[payment].isToldOnly = false }
        if isStolenFirst { steal(payment, isGranted: false) }
        hear(payment)
        play(.await(order, .fulfilled))
        expectGrant(order, payment)
        if !isStolenFirst { mayBeStolen(payment, isGranted: true) }
    }

    package mutating func lifeExtended() {
        let (life, first) = subscribed(anyPlan(), daysAgo: 20)
        befall(life, .extend(by: Double(Int.random(in: 1...60, using: &generator)) * Self.day))
        hear(first)
    }

    /// The card is refused: days of grace, further tries, and perhaps the money in the end.
    package mutating func lifeFailing() {
        let hasGrace = generator.oneIn(2)
        let isOver = hasGrace && generator.oneIn(2)
        let (life, first) = subscribed(anyPlan(), daysAgo: isOver ? 50 : 31)
        befall(life, .failToRenew(grace: hasGrace ? 16 * Self.day : nil), daysAgo: isOver ? 19.9 : 0.9)
        if isOver { befall(life, .endGrace, daysAgo: 3.9) }
        switch Int.random(in: 0...2, using: &generator) {
        case 0:
            guard let recovered = befall(life, .recover) else { return }
            arrive(recovered, .renewal)
        case 1 where !hasGrace || isOver: befall(life, .expire())
        default: break
        }
        hear(first)
    }

    /// A period is refunded, and perhaps given back: one that an order has, or one that was only told.
    package mutating func lifeRefunded() {
        let (life, first) = subscribed(anyPlan(), daysAgo: generator.pick([29.5, 40]))
        let ordered = purchase.orders.firstIndex { $0.accountID == buyer } ?? 0
        guard let second = befall(life, .renew) else { return }
        hear(second)
        expect(second, .unclaimed(.renewal))
        let isFirst = generator.oneIn(2)
        let refunded = isFirst ? first : second
        befall(life, .refund(of: self[payment: refunded].id))
        guard generator.oneIn(2) else {
            hear(refunded)
            guard isFirst else { return expect(second, .revoked) }
            play(.await(ordered, .refunded))
            expect(first, .grantedThenRevoked)
            return edit { purchase in
                let outcome = Outcome.refunded(purchase.transactions[first])
                guard let place = purchase.expectations.firstIndex(where: { $0.orders == [ordered] }) else { return }
                purchase.expectations[place].outcomes = [outcome]
            }
        }
        // The word that Apple signed last counts, whichever comes first.
        befall(life, .reverseRefund(of: self[payment: refunded].id))
        hear(refunded)
    }

    /// The shop delivers by an order a period.
    package mutating func lifeOrderedEachPeriod() {
        let (life, _) = subscribed(.pro, daysAgo: 70)
        for _ in 0..<2 {
            guard let renewal = befall(life, .renew) else { return }
            arriveClaimed(renewal)
        }
    }

    /// A member of the family has access by somebody else's payment, and loses it: before or after its client comes.
    package mutating func lifeShared() {
        let life = live(anyPlan(), of: anyAppOfLives(), daysAgo: 5, ownership: "FAMILY_SHARED", owner: .account(buyer))
        let shared = purchase.transactions.count - 1
        let order = order(self[payment: shared].product, of: self[payment: shared].app)
        let isRevokedFirst = generator.oneIn(2)
        if isRevokedFirst {
            play(.keep([.signed(transaction: shared)]))
            befall(life, .revoke)
            hear(shared)
        }
        buy(order, with: .signed(transaction: shared), way: .recover, isPersistent: false)
        expect(order, .rejected(.familyShared, .finish, naming: self[payment: shared]))
        guard !isRevokedFirst else { return }
        befall(life, .revoke)
        hear(shared)
    }

    /// A group buys seats, more of them in mid-period, and gives some back.
    package mutating func lifeOfSeats() {
        let life = live(.pro, of: anyAppOfLives(), daysAgo: 10, seats: 4, owner: .account(buyer))
        let first = purchase.transactions.count - 1
        claim(first)
        mayBeStolen(first, isGranted: true)
        guard let added = befall(life, .addSeats(2)) else { return }
        let isRefunded = generator.oneIn(2)
        if isRefunded {
            befall(life, .refundSeats(1, of: self[payment: first].id))
            edit { $0.transactions[first].partialRefund = .unknown }
        }
        hear(added)
        if isRefunded { hear(first) }
        expect(added, .unclaimed(.seatsAdded))
    }

    /// A year that is paid month by month; its own renewal is turned off, and the months go on.
    package mutating func lifePaidMonthly() {
        let (life, _) = subscribed(.yearly, daysAgo: 31)
        if generator.oneIn(2) { befall(life, .turnRenewalOff, daysAgo: 3) }
        guard let renewal = befall(life, .renew) else { return }
        arrive(renewal, .renewal)
    }

    /// Apple tells of a sandbox subscription, and the app takes none.
    package mutating func lifeInSandbox() {
        let life = live(anyPlan(), of: .radio, daysAgo: 31, environment: .sandbox, owner: .unknown)
        let first = purchase.transactions.count - 1
        play(.introduce(life))
        guard let renewal = befall(life, .renew) else { return }
        befall(life, .refund(of: self[payment: first].id))
        hear(first, renewal)
    }
}
