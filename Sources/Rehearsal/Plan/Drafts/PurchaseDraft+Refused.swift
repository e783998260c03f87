// SPDX-License-Identifier: Apache-2.0

package import AppStoreSimulator
import FoundationEssentials
import Verification

/// Proofs that pay for nothing here: of something else, not genuine, taken back, or refused before they are a job.
extension PurchaseDraft {
    package mutating func wrongProduct() {
        let order = order(.chest, of: anyAppOfBothRoutes())
        let payment = payment(.coins, of: purchase.orders[order].app)
        play(.pay([payment]))
        buy(order, with: .signed(transaction: payment), isPersistent: false)
        expectReview(order, .wrongProduct, payment)
    }

    /// A receipt of another product may only be too old.
    package mutating func wrongProductInReceipt() {
        let order = order(.chest, of: anyAppOfBothRoutes())
        let payment = payment(.coins, of: purchase.orders[order].app)
        play(.pay([payment]))
        buy(order, with: receipt(of: [payment]), isPersistent: false)
        expect(order, .rejected(.purchaseNotInReceipt, .resendProof))
        expect(payment, .unclaimed(.noOrder))
    }

    package mutating func foreignApp() {
        let order = order(.coins, of: .radio)
        let payment = payment(.coins, of: generator.pick([.elsewhere, .puzzle]))
        play(.pay([payment]))
        buy(order, with: .signed(transaction: payment), isPersistent: false)
        expect(order, .rejected(.wrongApp, .contactSupport))
    }

    /// With a subscription in it, Apple compares our secret with that of the other app, and says that ours is wrong.
    package mutating func foreignReceipt() {
        let order = order(.coins, of: .radio)
        let payment = payment(generator.pick([.coins, .pro]), of: generator.pick([.elsewhere, .puzzle]))
        play(.pay([payment]))
        buy(order, with: receipt(of: [payment]), isPersistent: false)
        expect(order, .rejected(.wrongApp, .contactSupport))
    }

    package mutating func sandboxDenied() {
        let order = order(.coins, of: generator.pick([.radio, .novel]))
        let payment = payment(for: order) { $0.environment = .sandbox }
        play(.pay([payment]))
        buy(order, with: anyProof(of: payment), isPersistent: false)
        expect(order, .rejected(.sandboxNotAllowed, .contactSupport))
    }

    /// Plays a purchase that somebody else paid for.
    private mutating func paidByAnother(_ product: ShopProduct, _ ownership: String, _ reason: Reason) {
        let order = order(product, of: anyAppOfBothRoutes())
        let payment = payment(for: order) { $0.ownership = ownership }
        play(.pay([payment]))
        buy(order, with: .signed(transaction: payment), isPersistent: false)
        // Nobody could do anything about it: the client finishes it, and nothing is delivered.
        expect(order, .rejected(reason, .finish, naming: self[payment: payment]))
    }

    package mutating func familyShared() {
        paidByAnother(.unlock, "FAMILY_SHARED", .familyShared)
    }

    /// A group or an organization paid for the seat.
    package mutating func assignedSeat() {
        paidByAnother(.pro, "ASSIGNED", .assignedSeat)
    }

    /// Several variants each time, so that a few hundred purchases bring all of them.
    ///
    /// - Parameter variants: which to try, an order each.
    package mutating func forgedTransactions(_ variants: [ForgedVariant]) {
        let app = anyAppOfBothRoutes()
        for variant in variants {
            guard let reason = variant.expectedReason else { continue }
            let order = order(.coins, of: app)
            let payment = payment(for: order)
            buy(order, with: .signed(transaction: payment, forged: variant), isPersistent: false)
            expect(order, .rejected(reason, reason == .malformedProof ? .resendProof : .contactSupport))
        }
    }

    package mutating func forgedReceipt() {
        let order = order(.coins, of: anyApp())
        let payment = payment(for: order)
        buy(order, with: receipt(of: [payment]) { $0.isAuthentic = false }, isPersistent: false)
        expect(order, .rejected(.notAuthentic, .contactSupport))
    }

    package mutating func customerGone() {
        let order = order(.coins, of: anyApp())
        let payment = payment(for: order)
        buy(order, with: receipt(of: [payment]) { $0.status = 21010 }, isPersistent: false)
        expect(order, .rejected(.customerNotFound, .contactSupport))
    }

    /// Xcode's local testing writes PKCS#7 in indefinite lengths, which no real store does.
    package mutating func xcodeReceipt() {
        let order = order(.coins, of: anyApp())
        let payment = payment(for: order)
        buy(order, with: receipt(of: [payment]) { $0.forged = .xcodeSigned }, isPersistent: false)
        expect(order, .rejected(.unsupportedEnvironment, .contactSupport))
    }

    package mutating func mangledProof() {
        let order = order(.chest, of: anyAppOfBothRoutes())
        let payment = payment(for: order)
        play(.pay([payment]))
        let damage = generator.pick([ProofDamage.cutInHalf, .foreignCharacters])
        buy(order, with: .damaged(anyProof(of: payment), damage), isPersistent: false)
        expect(order, .rejected(.malformedProof, .resendProof))
    }

    /// `{ "signature" = "AA=="; "purchase-info" = "eyAidHJhbnNhY3Rpb24taWQiID0gIjEiOyB9"; }`, whose purchase is transaction 1.
    static let iOS6StyleReceipt = PlannedProof.text(
        "eyAic2lnbmF0dXJlIiA9ICJBQT09IjsgInB1cmNoYXNlLWluZm8iID0gImV5QWlkSEpoYm5OaFkzUnBiMjR0YVdRaUlEMGdJakVpT3lCOSI7IH0=")

    package mutating func nonsense() {
        let order = order(.coins, of: anyAppOfBothRoutes())
        // The second is what purchase fakers on jailbroken devices make up.
        let text = generator.pick([
            "please", token().uuidString, "{\"receipt\": \"none\"}", "eyJhbGciOiJFUzI1NiJ9..", "MIIT", "ewoJ", "🪙",
            String(repeating: "9", count: 30),
        ])
        buy(order, with: .text(text), isPersistent: false)
        expect(order, .rejected(.malformedProof, .resendProof))
    }

    package mutating func refundedTransaction() {
        let order = order(generator.pick(ShopProduct.listed), of: anyAppOfBothRoutes())
        let payment = payment(for: order) { $0.refund = .whole }
        play(.pay([payment]))
        buy(order, with: .signed(transaction: payment), isPersistent: false)
        expect(order, .refunded(self[payment: payment]))
        expect(payment, .revoked)
    }

    package mutating func refundedReceipt() {
        let order = order(generator.pick([.unlock, .pro]), of: anyAppOfBothRoutes())
        let payment = payment(for: order) { $0.refund = .whole }
        play(.pay([payment]))
        buy(order, with: receipt(of: [payment]), isPersistent: false)
        expect(order, .refunded(self[payment: payment]))
        expect(payment, .revoked)
    }

    package mutating func refusedInsert() {
        let order = order(.coins, of: anyApp())
        play(.place([order]))
        for refused in RefusedInsert.allCases.shuffled(using: &generator).prefix(3) {
            play(.insertRefused(refused))
        }
        expect(order, .untouched)
    }
}
