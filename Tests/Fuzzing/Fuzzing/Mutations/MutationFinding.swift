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
        let changed = verified.all.first { !others.contains($0) }
        let verdict = Self.verdict(on: changed, in: verified)
        let (outcome, reason) = Self.outcome(of: verdict)
        return MutationFinding(outcome: outcome, reason: reason, fault: fault(in: verified.all, outcome))
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

    /// Judged for an order that nothing but the transaction itself can speak against: it asks for what the transaction sells, and is
    /// made for it.
    private static func verdict(on transaction: Transaction?, in transactions: VerifiedTransactions) -> Verdict {
        guard let transaction else { return .missing }
        let order = Order(
            id: OrderID(rawValue: "mutated"), bundleID: transaction.bundleID, productID: transaction.productID,
            accountID: AccountID(rawValue: "mutated"), appAccountToken: transaction.appAccountToken, isRecovery: true,
            createdAt: transaction.purchaseDate)
        let policy = AppPolicy(allowsSandbox: true)
        return OrderMatching.judge(transactions, for: order, policy: policy, hint: nil).verdict
    }

    private static func outcome(of verdict: Verdict) -> (MutationFinding.Outcome, Reason?) {
        switch verdict {
        case .candidates(let candidates):
            guard candidates.contains(where: { $0.obstacle == nil }) else { return (.review, candidates.first?.obstacle) }
            return (.verified, nil)
        case .refunded: return (.refunded, nil)
        case .rejected(let reason): return (.rejected, reason)
        case .review(let reason): return (.review, reason)
        case .missing: return (.missing, nil)
        }
    }
}
