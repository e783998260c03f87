// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Verification

/// Periods of a subscription that change hands, plans or minds.
extension PurchaseDraft {
    /// A receipt dates the upgrade where it dates refunds: the first period stays paid.
    package mutating func upgradedInReceipt() {
        let app = generator.pick([ShopApp.puzzle, .radio, .harbor, .lantern])
        let order = order(.pro, of: app)
        let better = self.order(.premium, of: app)
        let age = Double.random(in: 2...20, using: &generator) * 86_400
        let first = payment(for: order) { $0.age = age }
        let original = self[payment: first].id
        let second = payment(for: better) {
            $0.originalID = original
            $0.renews = false
        }
        play(.pay([first]))
        buy(order, with: anyProof(of: first), way: .recover)
        play(.pay([second]), .upgrade(first, to: second, hours: Double.random(in: -23...23, using: &generator)))
        buy(better, with: receipt(of: [first, second]))
        // The old order's client shows the same, and its transaction, which was upgraded.
        let again = generator.oneIn(2) ? receipt(of: [first, second]) : .signed(transaction: first)
        play(.upload([PlannedUpload(order: order, proof: again)]), .see(order, .fulfilled))
        expectGrant(order, first)
        expectGrant(better, second)
    }

    /// A stranger shows a renewal first, and is no owner by that.
    package mutating func renewalOfAnother() {
        let app = anyAppOfBothRoutes()
        let order = order(.pro, of: app)
        let strangers = self.order(.pro, of: app, by: stranger)
        let next = self.order(.pro, of: app)
        let first = payment(for: order) { $0.age = 60 }
        let original = self[payment: first].id
        let renewal = payment(for: order) { $0.originalID = original }
        play(.pay([first]))
        buy(order, with: anyProof(of: first))
        play(.pay([renewal]))
        let stolen = generator.oneIn(2) ? receipt(of: [first, renewal]) : .signed(transaction: renewal)
        buy(strangers, with: stolen, isPersistent: false)
        buy(next, with: generator.oneIn(2) ? receipt(of: [first, renewal]) : .signed(transaction: renewal))
        expectGrant(order, first)
        expect(strangers, .review(.ownerMismatch, naming: self[payment: renewal]))
        expectGrant(next, renewal)
    }

    /// Each period paid after a refund is a payment of its own.
    package mutating func resubscribed() {
        let app = anyAppOfBothRoutes()
        let order = order(.pro, of: app)
        let again = self.order(.pro, of: app)
        let first = payment(for: order) { $0.age = 60 }
        let original = self[payment: first].id
        let second = payment(for: again) {
            $0.originalID = original
            $0.renews = false
        }
        play(.pay([first]))
        buy(order, with: anyProof(of: first))
        play(
            .refund([first]), .upload([PlannedUpload(order: order, proof: .signed(transaction: first))]), .see(order, .refunded),
            .pay([second]))
        buy(again, with: generator.oneIn(2) ? receipt(of: [first, second]) : .signed(transaction: second))
        expect(first, .grantedThenRevoked)
        expect(order, .refunded(self[payment: first]))
        expectGrant(again, second)
    }
}
