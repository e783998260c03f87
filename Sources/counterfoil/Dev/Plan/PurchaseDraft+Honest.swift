// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Verification

/// Customers who paid for what they ordered.
extension PurchaseDraft {
    mutating func signedTransaction() {
        let order = order(generator.pick(DevProduct.listed), of: generator.pick(DevApp.released))
        let payment = payment(for: order)
        play(.pay([payment]))
        buy(order, with: .signed(transaction: payment))
        expectGrant(order, payment)
    }

    mutating func receiptOfOne(of app: DevApp? = nil) {
        let app = app ?? anyApp()
        let order = order(generator.pick(DevProduct.listed), of: app)
        let payment = payment(for: order)
        play(.pay([payment]))
        buy(order, with: receipt(of: [payment]))
        expectGrant(order, payment)
    }

    mutating func oldReceipt() {
        let order = order(generator.pick([.coins, .chest, .unlock]), of: anyApp())
        let payment = payment(for: order)
        play(.pay([payment]))
        buy(order, with: .oldReceipt(transaction: payment))
        expectGrant(order, payment)
    }

    mutating func severalUnits() {
        let ordered = Int.random(in: 2...5, using: &generator)
        let order = order(.coins, of: anyAppOfBothRoutes(), quantity: ordered)
        let payment = payment(for: order) { $0.quantity = ordered }
        if generator.oneIn(2) { edit { $0.transactions[payment].quantity = ordered + 1 } }
        play(.pay([payment]))
        buy(order, with: anyProof(of: payment))
        expectGrant(order, payment)
    }

    mutating func unlistedProduct() {
        let order = order(.gems, of: anyAppOfBothRoutes())
        let payment = payment(for: order)
        play(.pay([payment]))
        buy(order, with: .signed(transaction: payment))
        expectGrant(order, payment)
    }

    /// A receipt says the token of subscriptions only; of others it is absent, which the apps accept.
    mutating func ownToken() {
        let order = order(generator.pick([.coins, .unlock, .pro]), of: anyAppOfBothRoutes(), token: token())
        let payment = payment(for: order)
        play(.pay([payment]))
        buy(order, with: anyProof(of: payment))
        expectGrant(order, payment)
    }

    /// Both purchases fit; without the hint the older would be taken.
    mutating func hintedTransaction() {
        let order = order(.coins, of: anyAppOfBothRoutes())
        let older = payment(for: order) { $0.age = 60 }
        let payment = payment(for: order)
        play(.pay([older, payment]))
        buy(order, with: receipt(of: [older, payment]), way: .insertNamingTransaction(payment))
        expectGrant(order, payment)
        expect(older, .unclaimed(.noOrder))
    }

    mutating func lostOrderID() {
        let order = order(.coins, of: anyAppOfBothRoutes())
        let payment = payment(for: order)
        let proof = anyProof(of: payment)
        edit { $0.orders[order].isPersistent = true }
        play(
            .place([order]), .pay([payment]), .find(order), .upload([PlannedUpload(order: order, proof: proof)]),
            .follow([order]))
        expectGrant(order, payment)
    }

    mutating func repeatedProof() {
        let order = order(generator.pick(DevProduct.listed), of: anyAppOfBothRoutes())
        let payment = payment(for: order)
        let copies = Int.random(in: 2...10, using: &generator)
        play(.pay([payment]))
        buy(order, with: anyProof(of: payment), copies: copies)
        expectGrant(order, payment)
    }

    mutating func damagedProof() {
        let order = order(.chest, of: anyAppOfBothRoutes())
        let payment = payment(for: order)
        play(.pay([payment]))
        let proof = anyProof(of: payment)
        let isSigned = if case .signed = proof { true } else { false }
        let damage = generator.pick(isSigned ? ProofDamage.mendableInSignedTransactions : ProofDamage.mendable)
        buy(order, with: .damaged(proof, damage))
        expectGrant(order, payment)
    }

    mutating func mangledThenWhole() {
        let order = order(.chest, of: anyAppOfBothRoutes())
        let payment = payment(for: order)
        let proof = anyProof(of: payment)
        edit { $0.orders[order].furtherProofs = [proof] }
        play(.pay([payment]))
        buy(order, with: .damaged(proof, generator.pick([.cutInHalf, .foreignCharacters])))
        expectGrant(order, payment)
    }

    mutating func forgedThenHonest() {
        let order = order(.unlock, of: anyAppOfBothRoutes())
        let payment = payment(for: order)
        play(.pay([payment]))
        buy(order, with: .signed(transaction: payment, forged: .payloadSwapped))
        play(
            .upload([PlannedUpload(order: order, proof: .signed(transaction: payment))]),
            .follow([order]))
        expectGrant(order, payment)
    }

    mutating func sandboxAllowed() {
        let order = order(generator.pick(DevProduct.listed), of: .puzzle)
        let payment = payment(for: order) { $0.environment = .sandbox }
        play(.pay([payment]))
        buy(order, with: anyProof(of: payment))
        expectGrant(order, payment)
    }

    mutating func sandboxListed() {
        let order = order(generator.pick(DevProduct.listed), of: .novel)
        let payment = payment(for: order) { $0.environment = .sandbox }
        edit { $0.listedAccounts = [$0.orders[order].accountID] }
        play(.pay([payment]))
        buy(order, with: anyProof(of: payment))
        expectGrant(order, payment)
    }

    mutating func recovery() {
        let order = order(generator.pick([.coins, .unlock, .pro]), of: anyAppOfBothRoutes())
        let payment = payment(for: order) { $0.age = 3 * 3600 }
        play(.pay([payment]))
        buy(order, with: anyProof(of: payment), way: .recover)
        expectGrant(order, payment)
    }

    mutating func recoveryAfterReview() {
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
