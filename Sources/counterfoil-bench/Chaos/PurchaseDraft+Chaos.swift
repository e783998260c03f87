// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Rehearsal
import Verification

/// Stories that only chaos runs have.
extension PurchaseDraft {
    /// A proof that ends every process which attempts it, as ``FaultKind/poison(order:)`` sees to. It is of the sandbox,
    /// whose calls are never answered then.
    mutating func poison() {
        let order = order(.coins, of: .puzzle)
        let payment = payment(for: order) { $0.environment = .sandbox }
        play(.pay([payment]))
        buy(order, with: receipt(of: [payment]), way: .insert, isPersistent: false)
        expect(order, .review(.crashedRepeatedly))
    }

    /// A receipt of a payment that Apple answers with 21004 each time, with the secret and without.
    mutating func refusedSecret() {
        let order = order(.coins, of: .puzzle)
        let payment = payment(for: order)
        play(.pay([payment]))
        buy(order, with: receipt(of: [payment]) { $0.status = 21004 }, way: .insert, isPersistent: false)
        expect(order, .review(.credentialRefused))
    }

    /// An order that somebody holds. Its first step places it, so that it can be held before its proof comes.
    mutating func held() {
        let order = order(.coins, of: .puzzle)
        let payment = payment(for: order)
        play(.pay([payment]))
        buy(order, with: .signed(transaction: payment), way: .insert)
        edit { $0.steps.swapAt(0, 1) }
        expectGrant(order, payment)
    }

    /// One payment shown for many orders of its customer, all at once. One of them wins; which is open.
    mutating func sharedProof(orders count: Int) {
        let orders = (0..<count).map { _ in order(.coins, of: .puzzle) }
        let payment = payment(for: orders[0])
        let proof = receipt(of: [payment])
        play(
            .place(orders), .pay([payment]), .upload(orders.map { PlannedUpload(order: $0, proof: proof) }),
            .follow(orders))
        expect(payment, .granted)
        edit { purchase in
            let paid = purchase.transactions[payment]
            let others = Array(
                repeating: Outcome.rejected(.alreadyGranted, .finish, naming: paid), count: count - 1)
            purchase.expectations.append(Expectation(orders: orders, outcomes: [.fulfilled(paid)] + others))
        }
    }
}
