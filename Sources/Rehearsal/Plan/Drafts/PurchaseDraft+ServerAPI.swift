// SPDX-License-Identifier: Apache-2.0

package import AppStoreSimulator
import Verification

/// Payments that are verified by their signature, or looked up at the App Store Server API.
extension PurchaseDraft {
    /// Plays an honest payment in an app, and shows it by one of some kinds of proof.
    private mutating func honest(
        _ products: [ShopProduct], of app: ShopApp, in environment: SimulatedEnvironment = .production,
        bearsToken: Bool = false, _ proof: (inout PurchaseDraft, Int) -> PlannedProof
    ) {
        let token = bearsToken ? token() : nil
        let order = order(generator.pick(products), of: app, token: token)
        let payment = payment(for: order) { $0.environment = environment }
        play(.pay([payment]))
        buy(order, with: proof(&self, payment))
        expectGrant(order, payment)
    }

    package mutating func confirmedTransaction() {
        honest(ShopProduct.listed, of: .harbor, in: generator.oneIn(4) ? .sandbox : .production) { .signed(transaction: $1) }
    }

    package mutating func confirmedReceipt() {
        honest(ShopProduct.listed, of: .harbor, in: generator.oneIn(4) ? .sandbox : .production) { $0.receipt(of: [$1]) }
    }

    package mutating func receiptOfSilentApp() {
        honest(ShopProduct.listed, of: .lantern) { $0.receipt(of: [$1]) }
    }

    package mutating func sha1Receipt() {
        honest([.coins, .unlock, .pro], of: generator.pick([.harbor, .lantern])) { draft, payment in
            draft.receipt(of: [payment]) { $0.digest = .sha1 }
        }
    }

    /// Apple moved from SHA-1 to SHA-256 once, and may move again.
    package mutating func sha384Receipt() {
        honest([.coins, .unlock, .pro], of: generator.pick([.harbor, .lantern])) { draft, payment in
            draft.receipt(of: [payment]) { $0.digest = .sha384 }
        }
    }

    package mutating func receiptOfFourCertificates() {
        honest([.coins, .unlock, .pro], of: generator.pick([.harbor, .lantern])) { draft, payment in
            draft.receipt(of: [payment]) { $0.addsCertificate = true }
        }
    }

    package mutating func bareIDWithToken() {
        let app = generator.pick([ShopApp.puzzle, .novel, .radio, .harbor, .lantern])
        let isSandbox = app.sandboxPolicy == "allow" && generator.oneIn(4)
        honest(ShopProduct.listed, of: app, in: isSandbox ? .sandbox : .production, bearsToken: true) { .transactionID($1) }
    }

    /// Production refuses everything about the app; the sandbox answers.
    package mutating func unreleasedApp() {
        honest(ShopProduct.listed, of: .cellar, in: .sandbox, bearsToken: true) { draft, payment in
            draft.generator.oneIn(2) ? .transactionID(payment) : draft.anyProof(of: payment)
        }
    }

    package mutating func wrongAPIKey() {
        honest(ShopProduct.listed, of: .quarry, bearsToken: true) { draft, payment in
            draft.generator.oneIn(3) ? .transactionID(payment) : draft.anyProof(of: payment)
        }
    }

    /// A signed transaction shows its period only; a receipt, also the one before. Where Apple confirms it, it may lack the
    /// billing event.
    package mutating func confirmedSubscription() {
        let order = order(.pro, of: .harbor)
        let first = payment(for: order) { $0.age = 30 * 86_400 }
        let original = self[payment: first].id
        let current = payment(for: order) { $0.originalID = original }
        if generator.oneIn(3) { edit { $0.transactions[current].webOrderLineItemID = nil } }
        let isReceipt = generator.oneIn(2)
        play(.pay([first, current]))
        buy(order, with: isReceipt ? receipt(of: [first, current]) : .signed(transaction: current))
        expectGrant(order, current)
        if isReceipt { expect(first, .unclaimed(.noOrder)) }
    }

    /// The API doesn't know the transaction in the first moments.
    package mutating func missingAtFirst() {
        let order = order(generator.pick([.coins, .unlock, .pro]), of: .harbor, token: token())
        let call = Int.random(in: 2...3, using: &generator)
        let payment = payment(for: order) { $0.arrivalCall = call }
        play(.pay([payment]))
        buy(order, with: generator.oneIn(3) ? .transactionID(payment) : anyProof(of: payment))
        expectGrant(order, payment)
    }

    /// The proof is from before the refund; only Apple knows of it.
    package mutating func refundedUnseen() {
        let order = order(generator.pick(ShopProduct.listed), of: .harbor)
        let payment = payment(for: order)
        let proof = anyProof(of: payment)
        play(.pay([payment]), .keep([proof]), .refund([payment]))
        buy(order, with: proof, isPersistent: false)
        expect(order, .refunded(self[payment: payment]))
        expect(payment, .revoked)
    }

    /// Several variants each time, so that a few hundred purchases bring all of them.
    ///
    /// - Parameter variants: which to try, an order each.
    package mutating func forgedReceipts(_ variants: [ForgedReceiptVariant]) {
        let app = generator.pick([ShopApp.harbor, .lantern])
        for variant in variants {
            guard let reason = variant.expectedReason else { continue }
            let order = order(.coins, of: app)
            let payment = payment(for: order)
            buy(order, with: receipt(of: [payment]) { $0.forged = variant }, isPersistent: false)
            expect(order, .rejected(reason, reason == .malformedProof ? .resendProof : .contactSupport))
        }
    }

    /// Made up, or of another app.
    package mutating func unknownID() {
        let order = order(.coins, of: generator.pick([.puzzle, .harbor]), token: token())
        let payment = payment(.coins, of: .elsewhere)
        if generator.oneIn(2) { play(.pay([payment])) }
        buy(order, with: .transactionID(payment), isPersistent: false)
        expect(order, .rejected(.transactionNotFound, .contactSupport))
    }

    /// Whoever guesses an id gets nothing for it, and doesn't bar the way of the one who paid.
    package mutating func idOfAnotherAccount() {
        let app = anyAppOfBothRoutes()
        let honest = order(.coins, of: app, by: stranger, token: token())
        let guessed = order(.coins, of: app, token: token())
        let payment = payment(for: honest)
        let proof = anyProof(of: payment)
        play(.pay([payment]))
        if generator.oneIn(2) {
            buy(guessed, with: .transactionID(payment), isPersistent: false)
            buy(honest, with: proof)
        } else {
            buy(honest, with: proof)
            buy(guessed, with: .transactionID(payment), isPersistent: false)
        }
        expectGrant(honest, payment)
        expect(guessed, .review(.ownerMismatch))
    }
}
