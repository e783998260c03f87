// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Verification

/// What Apple's servers tell, whether or not the client ever comes back.
extension PurchaseDraft {
    /// Apple tells of a payment, as of everything that is bought.
    package mutating func tellOfPayment(_ payment: Int) {
        play(.tell(payment, self[payment: payment].product.type == .autoRenewable ? "SUBSCRIBED" : "ONE_TIME_CHARGE"))
    }

    /// The app was killed after the customer paid, and never started again. The payment bears the order's token.
    package mutating func lostWithToken() {
        let order = order(generator.pick(ShopProduct.listed), of: anyAppOfBothRoutes(), token: token())
        let payment = payment(for: order)
        play(.place([order]), .pay([payment]))
        tellOfPayment(payment)
        play(.await(order, .fulfilled))
        expectGrant(order, payment)
    }

    /// As ``lostWithToken()``, and the app is started again: it uploads its proof, and may finish.
    package mutating func lostThenBack() {
        let order = order(generator.pick(ShopProduct.listed), of: anyAppOfBothRoutes(), token: token())
        let payment = payment(for: order)
        play(.place([order]), .pay([payment]))
        tellOfPayment(payment)
        play(.await(order, .fulfilled))
        play(.upload([PlannedUpload(order: order, proof: .signed(transaction: payment))]), .follow([order]))
        expectGrant(order, payment)
    }

    /// Apple's customer is known by an earlier purchase of the only account that it was seen with. Without a token that names no
    /// order: the payment waits for its client.
    package mutating func lostOfKnownCustomer() {
        let app = anyAppOfBothRoutes()
        let customer = customer()
        let first = order(.unlock, of: app)
        let known = payment(for: first) { $0.customer = customer }
        play(.pay([known]))
        buy(first, with: .signed(transaction: known))
        expectGrant(first, known)

        let lost = order(.coins, of: app)
        let payment = payment(for: lost) {
            $0.customer = customer
            $0.age = 70 * 60
        }
        play(.place([lost]), .backdate(lost, minutes: 80), .pay([payment]))
        tellOfPayment(payment)
        play(.awaitTold(payment), .upload([PlannedUpload(order: lost, proof: .signed(transaction: payment))]), .follow([lost]))
        expectGrant(lost, payment)
    }

    /// Neither a token nor the customer says whose payment it is: it is kept, and granted when the client comes.
    package mutating func lostOfNobody() {
        let order = order(generator.pick([.coins, .unlock, .pass]), of: anyAppOfBothRoutes())
        let payment = payment(for: order)
        play(.place([order]), .pay([payment]))
        tellOfPayment(payment)
        play(.awaitTold(payment))
        if generator.oneIn(2) {
            play(.upload([PlannedUpload(order: order, proof: .signed(transaction: payment))]), .follow([order]))
            return expectGrant(order, payment)
        }
        leave(payment)
        expect(order, .untouched)
    }

    /// Two accounts play on one phone, and so are one customer to Apple: nobody can tell whose the second purchase is.
    package mutating func twoAccountsOnOnePhone() {
        let app = anyAppOfBothRoutes()
        let customer = customer()
        for account in [buyer, stranger] {
            let order = order(.coins, of: app, by: account)
            let payment = payment(for: order) { $0.customer = customer }
            play(.pay([payment]))
            buy(order, with: .signed(transaction: payment))
            expectGrant(order, payment)
        }
        let lost = order(.coins, of: app)
        let payment = payment(for: lost) {
            $0.customer = customer
            $0.age = 70 * 60
        }
        play(.place([lost]), .backdate(lost, minutes: 80), .pay([payment]))
        tellOfPayment(payment)
        play(.awaitTold(payment))
        leave(payment)
        expect(lost, .untouched)
    }

    /// A token of an account's earlier order: the newest open order of that account is paid.
    package mutating func lostWithAccountsToken() {
        let app = anyAppOfBothRoutes()
        let token = token()
        let first = order(.unlock, of: app, token: token)
        let known = payment(for: first)
        play(.pay([known]))
        buy(first, with: .signed(transaction: known))
        expectGrant(first, known)
        let lost = order(.coins, of: app)
        let payment = payment(for: lost) { $0.token = token }
        play(.place([lost]), .backdate(lost, minutes: 1), .pay([payment]))
        tellOfPayment(payment)
        play(.await(lost, .fulfilled))
        expectGrant(lost, payment)
    }

    /// Apple tells of a refund, and half of the time of its reversal. No client shows either.
    package mutating func refundTold() {
        let order = order(generator.pick(ShopProduct.listed), of: anyAppOfBothRoutes())
        let payment = payment(for: order)
        play(.pay([payment]))
        buy(order, with: anyProof(of: payment))
        play(.refund([payment]), .tell(payment, "REFUND"), .await(order, .refunded))
        guard generator.oneIn(2) else {
            expect(payment, .grantedThenRevoked)
            return expect(order, .refunded(self[payment: payment]))
        }
        play(.reverse([payment]), .tell(payment, "REFUND_REVERSED"), .await(order, .fulfilled))
        expectGrant(order, payment)
    }

    /// The reversal of a refund arrives before the refund: what Apple signed last counts.
    package mutating func reversalToldFirst() {
        let order = order(generator.pick(ShopProduct.listed), of: anyAppOfBothRoutes())
        let payment = payment(for: order)
        play(.pay([payment]))
        buy(order, with: anyProof(of: payment))
        play(.refund([payment]), .holdUp(payment, "REFUND"), .reverse([payment]), .holdUp(payment, "REFUND_REVERSED"))
        play(.letThrough, .awaitTold(payment), .see(order, .fulfilled))
        expectGrant(order, payment)
    }

    /// Apple tells of the refund before the client shows the payment: it is never granted.
    package mutating func refundToldFirst() {
        let order = order(generator.pick([.coins, .unlock]), of: anyAppOfBothRoutes())
        let payment = payment(for: order)
        play(.place([order]), .pay([payment]), .keep([.signed(transaction: payment)]))
        play(.refund([payment]), .tell(payment, "REFUND"), .awaitTold(payment))
        play(.upload([PlannedUpload(order: order, proof: .signed(transaction: payment))]), .follow([order]))
        expect(payment, .revoked)
        expect(order, .refunded(self[payment: payment]))
    }

    /// Apple tells of a refund of a part: the order stays, and the share is known.
    package mutating func partialRefundTold() {
        let order = order(generator.pick(ShopProduct.listed), of: anyAppOfBothRoutes())
        let part = Int.random(in: 1...99_999, using: &generator)
        let payment = payment(for: order)
        play(.pay([payment]))
        buy(order, with: .signed(transaction: payment))
        play(.refund([payment], .prorated(part)), .tell(payment, "REFUND"), .awaitTold(payment), .see(order, .fulfilled))
        expectGrant(order, payment)
        edit { $0.transactions[payment].partialRefund = .part(part) }
    }

    /// A subscription renews itself, and no client is there.
    package mutating func renewalTold() {
        let order = order(.pro, of: anyAppOfBothRoutes())
        let first = payment(for: order) { $0.age = 60 }
        let original = self[payment: first].id
        let second = payment(for: order) { $0.originalID = original }
        play(.pay([first]))
        buy(order, with: .signed(transaction: first))
        play(.pay([second]), .tell(second, "DID_RENEW"), .awaitTold(second))
        expectGrant(order, first)
        expect(second, .unclaimed(.renewal))
    }

    /// A member of the family gets what somebody else paid for, and loses it again.
    package mutating func familyAccessTold() {
        let order = order(.unlock, of: anyAppOfBothRoutes())
        let shared = payment(for: order) { $0.ownership = "FAMILY_SHARED" }
        play(.place([order]), .pay([shared]), .tell(shared, "ONE_TIME_CHARGE"), .refund([shared]), .tell(shared, "REVOKE"))
        play(.awaitTold(shared))
        expect(order, .untouched)
    }

    private mutating func customer() -> String { "70" + generator.digits(16) }

    /// The payment waits for its client.
    private mutating func leave(_ payment: Int) {
        expect(payment, .unclaimed(.noOrder))
        edit { $0.transactions[payment].isToldOnly = true }
    }
}
