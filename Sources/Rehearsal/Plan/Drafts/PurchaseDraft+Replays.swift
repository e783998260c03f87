// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Verification

/// One payment, shown again.
extension PurchaseDraft {
    /// Plays an honest purchase, then the same payment for another order.
    private mutating func replay(by account: String, _ outcome: (PlannedTransaction, _ isByReceipt: Bool) -> Outcome) {
        let product = generator.pick([ShopProduct.coins, .coins, .unlock, .pro])
        let app = anyAppOfBothRoutes()
        let honest = order(product, of: app)
        let replayed = order(product, of: app, by: account)
        let payment = payment(for: honest)
        let proof = anyProof(of: payment)
        play(.pay([payment]))
        buy(honest, with: proof)
        // The same bytes, or another form of the same payment.
        let shownAgain = generator.oneIn(2) ? proof : .signed(transaction: payment)
        buy(replayed, with: shownAgain, isPersistent: false)
        expectGrant(honest, payment)
        let isByReceipt = if case .receipt = shownAgain { true } else { false }
        expect(replayed, outcome(self[payment: payment], isByReceipt))
    }

    package mutating func replayBySameAccount() {
        replay(by: buyer) { payment, _ in .rejected(.alreadyGranted, .finish, naming: payment) }
    }

    package mutating func replayByAnotherAccount() {
        replay(by: stranger) { payment, isByReceipt in
            // A receipt may be older than the purchase.
            isByReceipt && payment.isConsumed
                ? .rejected(.purchaseNotInReceipt, .resendProof) : .rejected(.grantedToAnotherAccount, .contactSupport)
        }
    }

    /// One of the two wins; which is open.
    package mutating func replayAtOnce() {
        let app = anyAppOfBothRoutes()
        let orders = (0..<2).map { _ in order(.coins, of: app) }
        let payment = payment(for: orders[0])
        let proof = anyProof(of: payment)
        play(
            .place(orders), .pay([payment]), .upload(orders.map { PlannedUpload(order: $0, proof: proof) }),
            .follow(orders))
        expect(payment, .granted)
        edit { purchase in
            let paid = purchase.transactions[payment]
            purchase.expectations.append(
                Expectation(
                    orders: orders,
                    outcomes: [.fulfilled(paid), .rejected(.alreadyGranted, .finish, naming: paid)]))
        }
    }

    /// A restored purchase has a new id and the old original one.
    private mutating func restore(by account: String, _ outcome: (PlannedTransaction) -> Outcome) {
        let product = generator.pick([ShopProduct.unlock, .pass])
        let app = anyAppOfBothRoutes()
        let honest = order(product, of: app)
        let again = order(product, of: app, by: account)
        let payment = payment(for: honest)
        let original = self[payment: payment].id
        let restored = self.payment(for: again) { $0.originalID = original }
        play(.pay([payment]))
        buy(honest, with: anyProof(of: payment))
        play(.pay([restored]))
        buy(again, with: anyProof(of: restored), isPersistent: false)
        expectGrant(honest, payment)
        expect(again, outcome(self[payment: restored]))
        expect(restored, .sameGrant(transaction: payment))
    }

    package mutating func restoreBySameAccount() {
        restore(by: buyer) { .rejected(.alreadyOwned, .finish, naming: $0) }
    }

    package mutating func restoreByAnotherAccount() {
        restore(by: stranger) { _ in .rejected(.grantedToAnotherAccount, .contactSupport) }
    }

    /// A period's payment for one order, and the same under a restored id for another order.
    private mutating func restoredPeriod(
        in app: ShopApp, isRefunded: Bool = false
    ) -> (honest: Int, again: Int, payment: Int, restored: Int) {
        let honest = order(.pro, of: app)
        let again = order(.pro, of: app)
        let payment = payment(for: honest) { $0.age = 60 }
        let original = self[payment: payment]
        let restored = self.payment(for: again) { transaction in
            transaction.originalID = original.id
            transaction.webOrderLineItemID = original.webOrderLineItemID
            transaction.renews = false
            transaction.refund = isRefunded ? .whole : nil
        }
        return (honest, again, payment, restored)
    }

    /// A restored period has a new id and the old billing event, which alone says that it was paid once.
    package mutating func restoreOfSubscription() {
        let (honest, again, payment, restored) = restoredPeriod(in: anyAppOfBothRoutes())
        play(.pay([payment]))
        buy(honest, with: anyProof(of: payment))
        // The receipt shows the period under both ids, of which the older counts.
        let isReceipt = generator.oneIn(2)
        play(.pay([restored]))
        buy(
            again, with: isReceipt ? receipt(of: [payment, restored]) : .signed(transaction: restored),
            isPersistent: false)
        expectGrant(honest, payment)
        expect(again, .rejected(.alreadyGranted, .finish, naming: self[payment: isReceipt ? payment : restored]))
        expect(restored, .sameGrant(transaction: payment))
    }

    package mutating func paidTwice() {
        let order = order(.coins, of: anyAppOfBothRoutes())
        let first = payment(for: order)
        let second = payment(for: order)
        play(.pay([first]))
        buy(order, with: anyProof(of: first))
        play(
            .pay([second]), .upload([PlannedUpload(order: order, proof: .signed(transaction: second))]),
            .follow([order]))
        expectGrant(order, first)
        expect(second, .unclaimed(.orderAlreadyPaid))
    }

    package mutating func refundedAfterGrant() {
        let order = order(.unlock, of: anyAppOfBothRoutes())
        let payment = payment(for: order)
        play(.pay([payment]))
        buy(order, with: anyProof(of: payment))
        // Asked for anew: a signed transaction and a receipt are as old as their making.
        let later: PlannedProof = generator.oneIn(2) ? receipt(of: [payment]) : .signed(transaction: payment)
        play(.refund([payment]), .upload([PlannedUpload(order: order, proof: later)]), .follow([order]))
        expect(payment, .grantedThenRevoked)
        expect(order, .refunded(self[payment: payment]))
    }

    /// A period's refund comes to light under a restored id: after the grant, or before the proof, which is from before the refund.
    /// The billing event alone says that it is one payment.
    package mutating func refundedUnderRestoredID() {
        let (honest, again, payment, restored) = restoredPeriod(in: anyApp(), isRefunded: true)
        let proof = PlannedProof.signed(transaction: payment)
        let isGranted = generator.oneIn(2)
        play(.pay([payment]), .keep([proof]))
        if isGranted { buy(honest, with: proof) }
        play(.refund([payment]), .pay([restored]))
        buy(again, with: .signed(transaction: restored), isPersistent: false)
        if !isGranted { buy(honest, with: proof, isPersistent: false) }
        expect(honest, .refunded(self[payment: payment]))
        if isGranted {
            expect(payment, .granted)
            expect(restored, .sameGrant(transaction: payment, isRevoked: true))
            expect(again, .rejected(.alreadyGranted, .finish, naming: self[payment: restored]))
        } else {
            expect(restored, .revoked)
            expect(again, .refunded(self[payment: restored]))
        }
    }

    package mutating func cancelledWhileRunning() {
        let order = order(.coins, of: anyApp())
        let payment = payment(for: order)
        let upload = PlannedUpload(order: order, proof: receipt(of: [payment]))
        play(.place([order]), .pay([payment]), .cancelWhileRunning(upload), .follow([order]))
        expect(payment, .unclaimed(.orderCancelled))
        expect(order, .cancelled)
    }
}
