// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Verification

/// Receipts that lack something, and receipts that hold more than one purchase.
extension PurchaseDraft {
    package mutating func fillsLater() {
        let order = order(.coins, of: anyApp())
        let payment = payment(for: order)
        let call = Int.random(in: 2...4, using: &generator)
        play(.pay([payment]))
        buy(order, with: receipt(of: [payment]) { $0.emptyUntilCall = call })
        expectGrant(order, payment)
    }

    /// Others are there, the wanted one isn't yet.
    package mutating func arrivesLater() {
        let order = order(.coins, of: anyApp())
        let payment = payment(for: order)
        let other = self.payment(.chest, of: self[payment: payment].app) { $0.age = 120 }
        let call = Int.random(in: 2...3, using: &generator)
        play(.pay([payment, other]))
        buy(order, with: receipt(of: [payment, other]) { $0.arrivals = [payment: call] })
        expectGrant(order, payment)
        expect(other, .unclaimed(.noOrder))
    }

    package mutating func refreshedReceipt() {
        let order = order(generator.pick([.coins, .unlock]), of: anyAppOfBothRoutes())
        let payment = payment(for: order)
        let stale = receipt(of: [])
        let fresh = receipt(of: [payment])
        edit { $0.orders[order].furtherProofs = [fresh] }
        play(.pay([payment]))
        buy(order, with: stale)
        expectGrant(order, payment)
    }

    package mutating func missingForEver() {
        let order = order(.coins, of: anyAppOfBothRoutes())
        buy(order, with: receipt(of: []), isPersistent: false)
        expect(order, .rejected(.purchaseNotInReceipt, .resendProof))
    }

    /// Each order gets one of the three; which is open.
    package mutating func threeAtOnce(of app: ShopApp? = nil) {
        let app = app ?? anyApp()
        let orders = (0..<3).map { _ in order(.coins, of: app) }
        let payments = [20, 10, 0].map { age in payment(.coins, of: app) { $0.age = age } }
        let proof = receipt(of: payments)
        edit { purchase in orders.forEach { purchase.orders[$0].isPersistent = true } }
        play(
            .place(orders), .pay(payments), .upload(orders.map { PlannedUpload(order: $0, proof: proof) }),
            .follow(orders))
        payments.forEach { expect($0, .granted) }
        edit { purchase in
            purchase.expectations.append(
                Expectation(orders: orders, outcomes: payments.map { .fulfilled(purchase.transactions[$0]) }))
        }
    }

    /// Each job names another purchase of the same receipt: neither may take the other's, nor leave it unclaimed.
    package mutating func hintedAtOnce() {
        let app = anyAppOfBothRoutes()
        let orders = (0..<2).map { _ in order(.coins, of: app) }
        let payments = [10, 0].map { age in payment(.coins, of: app) { $0.age = age } }
        let proof = receipt(of: payments)
        edit { purchase in orders.forEach { purchase.orders[$0].isPersistent = true } }
        play(
            .place(orders), .pay(payments),
            .upload(
                zip(orders, payments).map { order, payment in
                    PlannedUpload(order: order, proof: proof, way: .insertNamingTransaction(payment))
                }),
            .follow(orders))
        for (order, payment) in zip(orders, payments) { expectGrant(order, payment) }
    }

    /// The client names its app, its product or a word in place of a transaction; or an id that Apple, where it is asked, doesn't
    /// know.
    package mutating func uselessHint() {
        let app = anyAppOfBothRoutes()
        let order = order(.coins, of: app)
        let payment = payment(for: order)
        var hints = [app.bundleID, ShopProduct.coins.productID, "undefined", "0"]
        if app.receiptRoute == .localThenAPI { hints.append("4" + generator.digits(14)) }
        play(.pay([payment]))
        buy(order, with: receipt(of: [payment]), way: .insertNaming(generator.pick(hints)))
        expectGrant(order, payment)
    }

    /// The second receipt lacks the first purchase, because the app finished it when it was told to.
    package mutating func oneAfterTheOther() {
        let app = anyAppOfBothRoutes()
        let orders = (0..<2).map { _ in order(.coins, of: app) }
        let first = payment(for: orders[0])
        let second = payment(for: orders[1])
        play(.pay([first]))
        buy(orders[0], with: receipt(of: [first]))
        play(.pay([second]))
        buy(orders[1], with: receipt(of: [first, second]))
        expectGrant(orders[0], first)
        expectGrant(orders[1], second)
    }

    package mutating func receiptWithHistory() {
        let order = order(.coins, of: anyAppOfBothRoutes())
        let payment = payment(for: order)
        let app = self[payment: payment].app
        let older = [(ShopProduct.unlock, 40), (.pass, 20), (.coins, 2)].map { product, days in
            self.payment(product, of: app) { $0.age = Double(days) * 86_400 }
        }
        play(.pay(older), .pay([payment]))
        buy(order, with: receipt(of: older + [payment]))
        expectGrant(order, payment)
        older.forEach { expectLeftOver($0) }
    }

    package mutating func subscriptionRenewed() {
        let order = order(.pro, of: anyAppOfBothRoutes())
        // Over when it is renewed, and by far not old enough to come before an order that is placed late.
        let first = payment(for: order) { transaction in
            transaction.age = 60
            transaction.period = 60
        }
        let original = self[payment: first].id
        let renewal = payment(for: order) { $0.originalID = original }
        play(.pay([first]))
        buy(order, with: anyProof(of: first))
        let proof: PlannedProof = generator.oneIn(2) ? .signed(transaction: renewal) : receipt(of: [first, renewal])
        play(.pay([renewal]), .upload([PlannedUpload(order: order, proof: proof)]), .follow([order]))
        expectGrant(order, first)
        expect(renewal, .unclaimed(.renewal))
    }

    package mutating func subscriptionWithHistory() {
        let order = order(.pro, of: anyAppOfBothRoutes())
        let first = payment(for: order) { $0.age = 60 * 86_400 }
        let original = self[payment: first].id
        let second = payment(for: order) { transaction in
            transaction.age = 30 * 86_400
            transaction.originalID = original
        }
        let third = payment(for: order) { $0.originalID = original }
        play(.pay([first, second, third]))
        buy(order, with: receipt(of: [first, second, third]))
        expectGrant(order, third)
        expectLeftOver(first)
        expectLeftOver(second)
    }
}
