// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Verification

/// Payments of which a part was refunded, and refunds of which Apple says different things at different times.
extension PurchaseDraft {
    /// Products whose payments stay in the receipt.
    private static let kept: [ShopProduct] = [.unlock, .pass, .pro]

    /// Nobody knows what is left of it: a person decides, and the payment is kept.
    package mutating func proratedBeforeGrant() {
        let order = order(generator.pick(ShopProduct.listed), of: anyAppOfBothRoutes())
        let part = Int.random(in: 1...99_999, using: &generator)
        let (refund, share): (PlannedRefund, Revocation.Share) = generator.pick([
            (.prorated(part), .part(part)), (.prorated(part), .part(part)), (.prorated(nil), .unknown), (.typeAlone, .unknown),
            (.seats(2), .unknown),
        ])
        let payment = payment(for: order) { transaction in
            transaction.refund = refund
            transaction.partialRefund = share
        }
        play(.pay([payment]))
        buy(order, with: .signed(transaction: payment), isPersistent: false)
        expectReview(order, .partlyRefunded, payment)
    }

    /// The order stays fulfilled, and the share is recorded. A receipt, which knows no shares, shows the same refund as a whole
    /// one: that changes nothing.
    package mutating func proratedAfterGrant() {
        let order = order(generator.pick(Self.kept), of: anyAppOfBothRoutes())
        let part = Int.random(in: 1...99_999, using: &generator)
        let payment = payment(for: order)
        play(.pay([payment]))
        buy(order, with: anyProof(of: payment))
        play(.refund([payment], .prorated(part)), .upload([PlannedUpload(order: order, proof: .signed(transaction: payment))]))
        play(.see(order, .fulfilled))
        if generator.oneIn(2) {
            play(.upload([PlannedUpload(order: order, proof: receipt(of: [payment]))]), .see(order, .fulfilled))
        }
        expectGrant(order, payment)
        edit { $0.transactions[payment].partialRefund = .part(part) }
    }

    /// Shares of which each is that of all refunds so far. The whole is among them half of the time.
    private mutating func shares() -> [Int] {
        let part = Int.random(in: 1...99_998, using: &generator)
        let larger = generator.oneIn(2) ? 100_000 : Int.random(in: part + 1...99_999, using: &generator)
        return generator.oneIn(2) ? [part, larger] : [larger, part]
    }

    /// Expects what the last share leaves of a granted payment.
    private mutating func expect(_ order: Int, _ payment: Int, refunded share: Int) {
        if share == 100_000 {
            expect(payment, .grantedThenRevoked)
            expect(order, .refunded(self[payment: payment]))
        } else {
            expectGrant(order, payment)
            edit { $0.transactions[payment].partialRefund = .part(share) }
        }
    }

    private func state(refunded share: Int) -> OrderState {
        share == 100_000 ? .refunded : .fulfilled
    }

    /// The newest word counts, whether its share is larger or smaller.
    package mutating func sharesAfterGrant() {
        let order = order(generator.pick(ShopProduct.listed), of: anyAppOfBothRoutes())
        let payment = payment(for: order)
        let shares = shares()
        play(.pay([payment]))
        buy(order, with: anyProof(of: payment))
        for share in shares {
            play(
                .refund([payment], .share(share)), .upload([PlannedUpload(order: order, proof: .signed(transaction: payment))]),
                .see(order, state(refunded: share)))
        }
        expect(order, payment, refunded: shares[1])
    }

    /// The newest word arrives first.
    package mutating func sharesSwapped() {
        let order = order(generator.pick(ShopProduct.listed), of: anyAppOfBothRoutes())
        let payment = payment(for: order)
        let shares = shares()
        let words = [0, 1].map { PlannedProof.copy(.signed(transaction: payment), $0) }
        play(.pay([payment]))
        buy(order, with: anyProof(of: payment))
        for (share, word) in zip(shares, words) { play(.refund([payment], .share(share)), .keep([word])) }
        for word in words.reversed() {
            play(.upload([PlannedUpload(order: order, proof: word)]), .see(order, state(refunded: shares[1])))
        }
        expect(order, payment, refunded: shares[1])
    }

    /// The refund is shown once more, by a word from before its reversal; that changes nothing. A refund after the reversal counts.
    package mutating func refundReversed() {
        let order = order(generator.pick(ShopProduct.listed), of: anyAppOfBothRoutes())
        let payment = payment(for: order)
        let words = (0..<3).map { PlannedProof.copy(.signed(transaction: payment), $0) }
        func shows(_ word: PlannedProof) -> PlayerStep { .upload([PlannedUpload(order: order, proof: word)]) }
        play(.pay([payment]))
        buy(order, with: anyProof(of: payment))
        play(.refund([payment]), .keep([words[0], words[1]]), shows(words[1]), .see(order, .refunded))
        play(.reverse([payment]), .reverseByOperator(order), .see(order, .fulfilled))
        play(shows(words[0]), .see(order, .fulfilled))
        guard generator.oneIn(2) else { return expectGrant(order, payment) }
        play(.refund([payment]), shows(words[2]), .see(order, .refunded))
        expect(payment, .grantedThenRevoked)
        expect(order, .refunded(self[payment: payment]))
    }
}
