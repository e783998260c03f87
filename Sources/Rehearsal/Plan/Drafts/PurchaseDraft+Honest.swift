// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Verification

/// Customers who paid for what they ordered.
extension PurchaseDraft {
    package mutating func signedTransaction() {
        let order = order(generator.pick(ShopProduct.listed), of: generator.pick(ShopApp.released))
        let payment = payment(for: order)
        play(.pay([payment]))
        // Apple tells at the same time, mostly before.
        if generator.oneIn(2) { tellOfPayment(payment) }
        buy(order, with: .signed(transaction: payment))
        expectGrant(order, payment)
    }

    package mutating func receiptOfOne(of app: ShopApp? = nil) {
        let app = app ?? anyApp()
        let order = order(generator.pick(ShopProduct.listed), of: app)
        let payment = payment(for: order)
        play(.pay([payment]))
        buy(order, with: receipt(of: [payment]))
        expectGrant(order, payment)
    }

    package mutating func severalUnits() {
        let ordered = Int.random(in: 2...5, using: &generator)
        let order = order(.coins, of: anyAppOfBothRoutes(), quantity: ordered)
        let payment = payment(for: order) { $0.quantity = ordered }
        if generator.oneIn(2) { edit { $0.transactions[payment].quantity = ordered + 1 } }
        play(.pay([payment]))
        buy(order, with: anyProof(of: payment))
        expectGrant(order, payment)
    }

    package mutating func unlistedProduct() {
        let order = order(.gems, of: anyAppOfBothRoutes())
        let payment = payment(for: order)
        play(.pay([payment]))
        buy(order, with: .signed(transaction: payment))
        expectGrant(order, payment)
    }

    /// A receipt says the token of subscriptions only; of others it is absent, which the apps accept.
    package mutating func ownToken() {
        let order = order(generator.pick([.coins, .unlock, .pro]), of: anyAppOfBothRoutes(), token: token())
        let payment = payment(for: order)
        play(.pay([payment]))
        buy(order, with: anyProof(of: payment))
        expectGrant(order, payment)
    }

    /// Both purchases fit; without the hint the older would be taken.
    package mutating func hintedTransaction() {
        let order = order(.coins, of: anyAppOfBothRoutes())
        let older = payment(for: order) { $0.age = 60 }
        let payment = payment(for: order)
        play(.pay([older, payment]))
        buy(order, with: receipt(of: [older, payment]), way: .insertNamingTransaction(payment))
        expectGrant(order, payment)
        expect(older, .unclaimed(.noOrder))
    }

    package mutating func lostOrderID() {
        let order = order(.coins, of: anyAppOfBothRoutes())
        let payment = payment(for: order)
        let proof = anyProof(of: payment)
        edit { $0.orders[order].isPersistent = true }
        play(
            .place([order]), .pay([payment]), .find(order), .upload([PlannedUpload(order: order, proof: proof)]),
            .follow([order]))
        expectGrant(order, payment)
    }

    package mutating func repeatedProof() {
        let order = order(generator.pick(ShopProduct.listed), of: anyAppOfBothRoutes())
        let payment = payment(for: order)
        let copies = Int.random(in: 2...10, using: &generator)
        play(.pay([payment]))
        buy(order, with: anyProof(of: payment), copies: copies)
        expectGrant(order, payment)
    }

    package mutating func damagedProof() {
        let order = order(.chest, of: anyAppOfBothRoutes())
        let payment = payment(for: order)
        play(.pay([payment]))
        let proof = anyProof(of: payment)
        let isSigned = if case .signed = proof { true } else { false }
        let damage = generator.pick(isSigned ? ProofDamage.mendableInSignedTransactions : ProofDamage.mendable)
        buy(order, with: .damaged(proof, damage))
        expectGrant(order, payment)
    }

    /// Each wrapping around another one: an order for each.
    package mutating func wrappedProof() {
        let app = anyAppOfBothRoutes()
        for wrapping in ProofDamage.wrappings {
            let order = order(.coins, of: app)
            let payment = payment(for: order)
            // Lines are folded in the proof itself, not inside of JSON.
            let inner = wrapping == .foldedLines ? .byteOrderMark : generator.pick([ProofDamage.jsonString, .encodedTwice])
            play(.pay([payment]))
            buy(order, with: .damaged(.damaged(anyProof(of: payment), inner), wrapping))
            expectGrant(order, payment)
        }
    }

    package mutating func mangledThenWhole() {
        let order = order(.chest, of: anyAppOfBothRoutes())
        let payment = payment(for: order)
        let proof = anyProof(of: payment)
        edit { $0.orders[order].furtherProofs = [proof] }
        play(.pay([payment]))
        let damaged = PlannedProof.damaged(proof, generator.pick([.cutInHalf, .foreignCharacters]))
        buy(order, with: generator.oneIn(3) ? Self.iOS6StyleReceipt : damaged)
        expectGrant(order, payment)
    }

    package mutating func forgedThenHonest() {
        let order = order(.unlock, of: anyAppOfBothRoutes())
        let payment = payment(for: order)
        play(.pay([payment]))
        buy(order, with: .signed(transaction: payment, forged: .payloadSwapped))
        play(
            .upload([PlannedUpload(order: order, proof: .signed(transaction: payment))]),
            .follow([order]))
        expectGrant(order, payment)
    }

    package mutating func sandboxAllowed() {
        let order = order(generator.pick(ShopProduct.listed), of: .puzzle)
        let payment = payment(for: order) { $0.environment = .sandbox }
        play(.pay([payment]))
        buy(order, with: anyProof(of: payment))
        expectGrant(order, payment)
    }

    package mutating func sandboxListed() {
        let order = order(generator.pick(ShopProduct.listed), of: .novel)
        let payment = payment(for: order) { $0.environment = .sandbox }
        edit { $0.listedAccounts = [$0.orders[order].accountID] }
        play(.pay([payment]))
        buy(order, with: anyProof(of: payment))
        expectGrant(order, payment)
    }

    package mutating func recovery() {
        let order = order(generator.pick([.coins, .unlock, .pro]), of: anyAppOfBothRoutes())
        let payment = payment(for: order) { $0.age = 3 * 3600 }
        play(.pay([payment]))
        buy(order, with: anyProof(of: payment), way: .recover)
        expectGrant(order, payment)
    }

    package mutating func recoveryAfterReview() {
        let order = order(.coins, of: anyAppOfBothRoutes())
        let payment = payment(for: order) { $0.age = 3 * 3600 }
        play(.pay([payment]))
        buy(order, with: .signed(transaction: payment))
        play(
            .upload([PlannedUpload(order: order, proof: .signed(transaction: payment), way: .recover)]),
            .follow([order]))
        expectGrant(order, payment)
    }
}
