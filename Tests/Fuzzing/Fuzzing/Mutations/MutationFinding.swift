// SPDX-License-Identifier: Apache-2.0

package import Verification

/// What became of an mutated proof, and which rule that breaks.
package struct MutationFinding: Sendable {
    /// For the table by field.
    package enum Outcome: String, CaseIterable, Sendable {
        case verified
        case review
        /// The client is asked for a newer proof.
        case missing
        case refunded
        /// Genuine, and not for this order: another app, the family's, an assigned seat.
        case rejected
        case refused
    }

    package let outcome: Outcome

    /// Why it was refused, or is left to an operator.
    package let reason: Reason?

    /// Nil where the rule holds.
    package let fault: String?
}

extension MutatedProof.Expectation {
    /// What an answer of the verifiers means for orders, and the rule that it breaks.
    func finding(on answer: Result<VerifiedTransactions, Reason>) -> MutationFinding {
        switch answer {
        case .failure(let reason):
            MutationFinding(
                outcome: reason == .unknownAnswer ? .review : .refused, reason: reason,
                fault: refusals.contains(reason) ? nil : "refused: \(reason.rawValue)")
        case .success(let transactions): finding(on: transactions)
        }
    }

    private func finding(on verified: VerifiedTransactions) -> MutationFinding {
        // The terms decide nothing.
        let all = verified.all.map { transaction in
            var transaction = transaction
            transaction.terms = nil
            return transaction
        }
        let changed = all.first { !others.contains($0) }
        let (outcome, reason) = Self.outcome(of: changed, in: verified)
        return MutationFinding(outcome: outcome, reason: reason, fault: fault(in: all, outcome))
    }

    private func fault(in transactions: [Transaction], _ outcome: MutationFinding.Outcome) -> String? {
        if let facts, Set(transactions) == Set(facts) { return nil }
        guard mayBeUndecided else { return "other facts: \(transactions)" }
        guard Set(transactions).isSuperset(of: others) else { return "the other transactions are missing: \(transactions)" }
        switch outcome {
        case .review, .missing: return nil
        case .refunded where mayBeRefunded: return nil
        case .verified, .refunded, .rejected, .refused: return "\(outcome.rawValue): \(transactions)"
        }
    }

    /// Judged for an order that nothing but the transaction itself can speak against: it asks for what the transaction sells, and
    /// is made for it.
    private static func outcome(
        of transaction: Transaction?, in transactions: VerifiedTransactions
    ) -> (MutationFinding.Outcome, Reason?) {
        guard let transaction else { return (.missing, nil) }
        let order = Order(
            id: OrderID(rawValue: "mutated"), bundleID: transaction.bundleID, productID: transaction.productID,
            accountID: AccountID(rawValue: "mutated"), appAccountToken: transaction.appAccountToken, isRecovery: true,
            createdAt: transaction.purchaseDate)
        let policy = AppPolicy(allowsSandbox: true)
        let verdict = OrderMatching.judge(transactions, for: order, policy: policy, hint: nil).verdict
        switch verdict {
        case .candidates where verdict.takenBack != nil: return (.refunded, nil)
        case .candidates(let candidates):
            let objections = candidates.map { Fit.objections(to: PaymentFacts($0), for: order, under: policy) }
            return objections.contains(where: \.isEmpty) ? (.verified, nil) : (.review, objections[0][0].reason)
        case .rejected(let reason): return (.rejected, reason)
        case .review(let reason): return (.review, reason)
        case .missing: return (.missing, nil)
        }
    }
}
