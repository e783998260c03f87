// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Verification

/// Payments that are genuine, and odd: a person has to look at them.
extension PurchaseDraft {
    /// Plays a payment for an order, and expects a review of both.
    private mutating func review(
        _ order: Int, _ payment: Int, _ proof: PlannedProof, way: PlannedUpload.Way? = nil, _ reason: Reason
    ) {
        play(.pay([payment]))
        buy(order, with: proof, way: way, isPersistent: false)
        expectReview(order, reason, payment)
    }

    package mutating func quantityShort() {
        let order = order(.coins, of: anyAppOfBothRoutes(), quantity: 3)
        let payment = payment(for: order) { $0.quantity = 2 }
        review(order, payment, anyProof(of: payment), .quantityShort)
    }

    package mutating func foreignToken() {
        let order = order(.coins, of: anyAppOfBothRoutes(), token: token())
        let other = token()
        let payment = payment(for: order) { $0.token = other }
        review(order, payment, .signed(transaction: payment), .ownerMismatch)
    }

    package mutating func tokenOfAnotherOrder() {
        let token = token()
        let app = anyAppOfBothRoutes()
        let strangers = order(.coins, of: app, by: stranger, token: token)
        let order = order(.coins, of: app)
        let payment = payment(for: order) { $0.token = token }
        play(.place([strangers]), .pay([payment]))
        expect(strangers, .untouched)
        buy(order, with: .signed(transaction: payment), isPersistent: false)
        expect(order, .review(.ownerMismatch, naming: self[payment: payment]))
        // The refusal is the order's: the payment waits for the client of the account that its token names.
        expect(payment, .unclaimed(.noOrder))
        edit { $0.transactions[payment].isToldOnly = true }
    }

    /// verifyReceipt doesn't say what kind of product was bought.
    package mutating func unlistedProductInReceipt() {
        let order = order(.gems, of: anyApp())
        let payment = payment(for: order)
        review(order, payment, receipt(of: [payment]), .unknownProduct)
    }

    package mutating func kindMismatch() {
        let order = order(.coins, of: anyAppOfBothRoutes())
        let payment = payment(for: order) { $0.signedType = .nonConsumable }
        review(order, payment, .signed(transaction: payment), .productKindMismatch)
    }

    /// Where Apple can be asked, it is confirmed and granted.
    package mutating func unconfirmedSubscription() {
        let order = order(.pro, of: anyApp())
        let payment = payment(for: order) { $0.webOrderLineItemID = "" }
        review(order, payment, .signed(transaction: payment), .subscriptionUnconfirmed)
    }

    package mutating func paidBeforeOrder() {
        let order = order(.coins, of: anyAppOfBothRoutes())
        let payment = payment(for: order) { $0.age = 3 * 3600 }
        review(order, payment, .signed(transaction: payment), .purchaseBeforeOrder)
    }

    package mutating func paidBeforeLedger() {
        let order = order(generator.pick([.coins, .unlock]), of: .novel)
        let payment = payment(for: order) { $0.age = 3 * 86_400 }
        review(order, payment, anyProof(of: payment), way: .recover, .beforeLedger)
    }

    /// Genuine, and with a value that nobody reckons with: an order for each.
    package mutating func oddValues() {
        let app = anyAppOfBothRoutes()
        for oddity in Oddity.allCases {
            let order = order(.coins, of: app)
            let payment = payment(for: order) { transaction in
                transaction.oddity = oddity
                transaction.partialRefund = oddity == .unknownRefundType ? .unknown : nil
            }
            play(.pay([payment]))
            buy(order, with: .signed(transaction: payment), isPersistent: false)
            if oddity.isKept {
                expectReview(order, oddity.reason, payment)
            } else {
                expect(order, .review(oddity.reason))
            }
        }
    }

    /// A trusted root signed it, and its environment, its type or its receipt's type is none that we know: an order for each.
    package mutating func oddlySigned() {
        let app = generator.pick([ShopApp.harbor, .lantern])
        let changes: [(inout PlannedTransaction) -> Void] = [
            { $0.signedEnvironment = "Staging" }, { $0.signedType = SimulatedProductType(rawValue: "Rental") },
        ]
        for change in changes {
            let order = order(.coins, of: app)
            let payment = payment(for: order, change)
            play(.pay([payment]))
            buy(order, with: .signed(transaction: payment), isPersistent: false)
            expect(order, .review(.unknownAnswer))
        }
        let order = order(.coins, of: app)
        let payment = payment(for: order)
        play(.pay([payment]))
        buy(order, with: receipt(of: [payment]) { $0.type = "ProductionFuture" }, isPersistent: false)
        expect(order, .review(.unknownAnswer))
    }

    package mutating func bareTransactionID() {
        let order = order(.coins, of: anyAppOfBothRoutes())
        let payment = payment(for: order)
        play(.pay([payment]))
        buy(order, with: .transactionID(payment), isPersistent: false)
        expect(order, .review(.tokenMissing))
    }
}
