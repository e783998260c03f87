// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Verification

/// Lives of subscriptions: what Apple says of them, clients and strangers show, and the shop has to know of them in the end.
extension PurchaseDraft {
    /// One whose ledger began before all lives, of either route.
    private mutating func anyAppOfLives() -> ShopApp { generator.pick([.puzzle, .radio, .harbor]) }

    private mutating func anyPlan() -> ShopProduct { generator.pick([.pro, .sport, .premium]) }

    /// A subscription whose first period the buyer has. Its number, and that of its first transaction.
    private mutating func subscribed(_ product: ShopProduct, daysAgo days: Double) -> (life: Int, first: Int) {
        let life = live(product, of: anyAppOfLives(), daysAgo: days, owner: .account(buyer))
        let first = purchase.transactions.count - 1
        claim(first)
        mayBeStolen(first, isGranted: true)
        return (life, first)
    }

    /// Up or across at once: the days that are left go back, and that is no refund.
    package mutating func lifeChangedAtOnce() {
        let (life, _) = subscribed(.pro, daysAgo: 10)
        guard let second = befall(life, .change(to: generator.pick([ShopProduct.premium, .sport]).plan)) else { return }
        awaitTold(second)
        if generator.oneIn(2) {
            claim(second)
        } else {
            mayBeStolen(second, isGranted: false)
            expect(second, .unclaimed(.noOrder))
        }
    }

    /// Down or across when it renews; the next period has begun, or is to begin.
    package mutating func lifeChangedAtRenewal() {
        let isToCome = generator.oneIn(2)
        let (life, _) = subscribed(.premium, daysAgo: isToCome ? 29.5 : 31)
        befall(life, .change(to: generator.pick([ShopProduct.pro, .sport]).plan, starts: .atRenewal), daysAgo: 2)
        renew(life)
    }

    /// Apple renews it. The client may ask for an order of the period, or leave it.
    private mutating func renew(_ life: Int) {
        guard let renewal = befall(life, .renew) else { return }
        awaitTold(renewal)
        mayBeStolen(renewal, isGranted: false)
        expect(renewal, .unclaimed(.renewal))
    }

    package mutating func lifeResubscribed() {
        let (life, _) = subscribed(anyPlan(), daysAgo: 70)
        befall(life, .expire(.cancelled), daysAgo: 39)
        guard let again = befall(life, .resubscribe(anyPlan().plan)) else { return }
        awaitTold(again)
        if generator.oneIn(2) {
            claim(again)
        } else {
            mayBeStolen(again, isGranted: false)
            expect(again, .unclaimed(.noOrder))
        }
    }

    /// Somebody else subscribes again on the same phone: with a token of theirs it is theirs, without one the owner's.
    package mutating func lifeOfAnother() {
        let (life, _) = subscribed(anyPlan(), daysAgo: 70)
        befall(life, .expire(.cancelled), daysAgo: 39)
        let plan = anyPlan()
        guard generator.oneIn(2) else {
            guard let again = befall(life, .resubscribe(plan.plan)) else { return }
            awaitTold(again)
            steal(again, isGranted: false)
            return expect(again, .unclaimed(.noOrder))
        }
        let token = token()
        let order = order(plan, of: purchase.lives[life].app, by: "another-\(purchase.number)", token: token)
        play(.place([order]))
        guard let again = befall(life, .resubscribe(plan.plan, token: token)) else { return }
        edit { $0.lives[life].owner = .account("another-\($0.number)") }
        play(.await(order, .fulfilled))
        expectGrant(order, again)
    }

    package mutating func lifeExtended() {
        let (life, first) = subscribed(anyPlan(), daysAgo: 20)
        befall(life, .extend(by: Double(Int.random(in: 1...60, using: &generator)) * Self.day))
        awaitTold(first)
    }

    /// The card is refused: days of grace, further tries, and perhaps the money in the end.
    package mutating func lifeFailing() {
        let hasGrace = generator.oneIn(2)
        let (life, first) = subscribed(anyPlan(), daysAgo: hasGrace && generator.oneIn(2) ? 50 : 31)
        befall(life, .failToRenew(grace: hasGrace ? 16 * Self.day : nil))
        let isOver = hasGrace && purchase.lives[life].age > 46 * Self.day
        if isOver { befall(life, .endGrace) }
        awaitTold(first)
        switch Int.random(in: 0...2, using: &generator) {
        case 0:
            guard let recovered = befall(life, .recover) else { return }
            awaitTold(recovered)
            mayBeStolen(recovered, isGranted: false)
            expect(recovered, .unclaimed(.renewal))
        case 1 where !hasGrace || isOver:
            befall(life, .expire())
            awaitTold(first)
        default: break
        }
    }

    /// A period is refunded, and perhaps given back: one that an order has, or one that was only told.
    package mutating func lifeRefunded() {
        let (life, first) = subscribed(anyPlan(), daysAgo: 40)
        guard let second = befall(life, .renew) else { return }
        awaitTold(second)
        expect(second, .unclaimed(.renewal))
        let isFirst = generator.oneIn(2)
        let refunded = isFirst ? first : second
        let isReversed = generator.oneIn(2)
        befall(life, .refund(of: self[payment: refunded].id), isHeldUp: isReversed)
        if isReversed {
            // What Apple signed last counts, whichever comes first.
            befall(life, .reverseRefund(of: self[payment: refunded].id), isHeldUp: true)
            play(.letThrough)
        }
        awaitTold(refunded)
        guard !isReversed else { return }
        guard isFirst else { return expect(second, .revoked) }
        play(.await(0, .refunded))
        expect(first, .grantedThenRevoked)
        edit { purchase in
            let outcome = Outcome.refunded(purchase.transactions[first])
            let place = purchase.expectations.firstIndex { $0.orders == [0] }
            if let place { purchase.expectations[place].outcomes = [outcome] }
        }
    }

    /// The shop delivers by an order a period.
    package mutating func lifeOrderedEachPeriod() {
        let (life, _) = subscribed(.pro, daysAgo: 70)
        for _ in 0..<2 {
            guard let renewal = befall(life, .renew) else { return }
            awaitTold(renewal)
            claim(renewal)
            mayBeStolen(renewal, isGranted: true)
        }
    }

    /// A member of the family has what somebody else paid for, and loses it.
    package mutating func lifeShared() {
        let life = live(anyPlan(), of: anyAppOfLives(), daysAgo: 5, ownership: "FAMILY_SHARED", owner: .unjudged)
        let shared = purchase.transactions.count - 1
        let order = order(self[payment: shared].product, of: self[payment: shared].app)
        buy(order, with: .signed(transaction: shared), way: .recover, isPersistent: false)
        expect(order, .rejected(.familyShared, .contactSupport))
        befall(life, .revoke)
        awaitTold(shared)
    }

    /// A group buys seats, more of them in mid-period, and gives some back.
    package mutating func lifeOfSeats() {
        let life = live(.pro, of: anyAppOfLives(), daysAgo: 10, seats: 4, owner: .account(buyer))
        let first = purchase.transactions.count - 1
        claim(first)
        guard let added = befall(life, .addSeats(2)) else { return }
        awaitTold(added)
        expect(added, .unclaimed(.seatsAdded))
        guard generator.oneIn(2) else { return }
        befall(life, .refundSeats(1, of: self[payment: first].id))
        awaitTold(first)
    }

    /// A year that is paid month by month; its own renewal is turned off, and the months go on.
    package mutating func lifePaidMonthly() {
        let (life, _) = subscribed(.yearly, daysAgo: 31)
        if generator.oneIn(2) { befall(life, .turnRenewalOff, daysAgo: 3) }
        renew(life)
    }

    /// Apple tells of a sandbox subscription, and the app takes none.
    package mutating func lifeInSandbox() {
        let life = live(anyPlan(), of: .radio, daysAgo: 31, environment: .sandbox, owner: .unjudged)
        let first = purchase.transactions.count - 1
        play(.tell(first, "SUBSCRIBED"))
        awaitTold(first)
        guard let renewal = befall(life, .renew) else { return }
        befall(life, .refund(of: self[payment: first].id))
        awaitTold(first, renewal)
    }
}
