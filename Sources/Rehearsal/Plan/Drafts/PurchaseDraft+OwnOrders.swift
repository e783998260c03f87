// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Verification

/// Proofs that show the payment of another order than the one that they are uploaded for.
extension PurchaseDraft {
    /// The customer paid for an order, and the app never uploaded the proof. It is uploaded for the next order of the same product.
    package mutating func olderPurchase() {
        let app = anyAppOfBothRoutes()
        let older = order(.coins, of: app)
        let newer = order(.coins, of: app)
        let payment = payment(for: older) { $0.age = 40 * 60 }
        play(.place([older]), .backdate(older, minutes: 50), .pay([payment]))
        buy(newer, with: .signed(transaction: payment), isPersistent: false)
        play(.follow([older]))
        expectGrant(older, payment)
        pay(newer)
    }

    /// Each order has a token of its own, and the client mixes up the proofs: each payment pays the order that its token names.
    package mutating func tokensSwapped() {
        let app = anyAppOfBothRoutes()
        let orders = (0..<2).map { _ in order(.coins, of: app, token: token()) }
        let payments = orders.map { payment(for: $0) }
        let uploads = zip(orders, payments.reversed()).map { order, payment in
            PlannedUpload(order: order, proof: .signed(transaction: payment))
        }
        play(.place(orders), .pay(payments))
        if generator.oneIn(2) {
            play(.upload(uploads))
        } else {
            for upload in uploads { play(.upload([upload]), .follow([upload.order])) }
        }
        play(.follow(orders))
        for (order, payment) in zip(orders, payments) { expectGrant(order, payment) }
    }

    /// The customer chose a cheaper plan, which begins with the next period. Until then the client holds the period of the dearer
    /// one.
    package mutating func downgraded() {
        let app = anyAppOfBothRoutes()
        let order = order(.premium, of: app)
        let cheaper = self.order(.pro, of: app)
        let first = payment(for: order) { $0.age = 60 }
        let original = self[payment: first].id
        play(.pay([first]))
        buy(order, with: anyProof(of: first))
        buy(cheaper, with: .signed(transaction: first), isPersistent: false)
        expectGrant(order, first)
        pay(cheaper) { $0.originalID = original }
    }

    /// Pays for an order that was placed before, half of the time; else expects that it is still to be paid.
    private mutating func pay(_ order: Int, _ change: (inout PlannedTransaction) -> Void = { _ in }) {
        guard generator.oneIn(2) else { return expect(order, .untouched) }
        let payment = payment(for: order, change)
        play(.pay([payment]), .upload([PlannedUpload(order: order, proof: .signed(transaction: payment))]), .follow([order]))
        expectGrant(order, payment)
    }
}
