// SPDX-License-Identifier: Apache-2.0

import Verification

/// Asks Apple about what may be granted or taken back, before it is settled.
extension Verify {
    /// Asks Apple about the candidates that no other order holds: at most one of them is granted, and the settlement knows enough
    /// about the others. A lone candidate is not looked up in the ledger.
    mutating func confirm(
        _ candidates: [ShownPayment], of transactions: VerifiedTransactions
    ) async throws(Conclusion) -> Settlement {
        let free = try await freeCandidates(candidates)
        let asked = free.prefix(AttemptRunner.confirmations)
        guard !asked.isEmpty else { return settlement(of: transactions) }
        var confirmed: [TransactionID: Transaction] = [:]
        for candidate in asked {
            confirmed[candidate.transaction.id] = try await attempt.presentState(of: candidate.transaction)?.all.first
        }
        return settlement(of: transactions, offered: free, confirmed: confirmed)
    }

    /// Asks Apple about the candidates if the ledger has one of them as refunded at an earlier time than they were signed.
    mutating func confirmReversal(
        _ candidates: [ShownPayment], of transactions: VerifiedTransactions
    ) async throws(Conclusion) -> Settlement {
        let facts = try await attempt.ledger(candidates)
        guard zip(candidates, facts).contains(where: { $1.mayBeReversed(by: $0) }) else { return settlement(of: transactions) }
        return try await confirm(candidates, of: transactions)
    }

    /// Asks Apple about a refund that was signed long ago. Where Apple doesn't know the transaction, the signature counts.
    mutating func confirm(
        refund: Transaction, of transactions: VerifiedTransactions
    ) async throws(Conclusion) -> Settlement {
        guard let answer = try await attempt.presentState(of: refund)?.all.first else { return settlement(of: transactions) }
        return settlement(of: transactions, offered: [], confirmed: [refund.id: answer])
    }

    /// The candidates that the ledger doesn't hold for another order at this moment. Refunded ones come last: otherwise they would
    /// keep the others from being asked about each time.
    private func freeCandidates(_ candidates: [ShownPayment]) async throws(Conclusion) -> [ShownPayment] {
        guard candidates.count > 1 else { return candidates }
        let free = zip(candidates, try await attempt.ledger(candidates)).filter { $1.holder == nil }
        return (free.filter { !$1.isRevoked } + free.filter { $1.isRevoked }).map(\.0)
    }

    @inline(never)  // See "Judge" in Verify.swift.
    func objections(to payment: PaymentFacts) -> [Objection] {
        Fit.objectionsInAnyState(to: payment, for: order, under: policy)
    }

    /// Those that nothing stands against, and that no other order holds or was made for.
    mutating func unclaimed(among candidates: [ShownPayment]) async throws(Conclusion) -> [ShownPayment] {
        // The ledger doesn't have the proof's own words yet.
        zip(candidates, try await attempt.ledger(candidates)).filter { candidate, facts in
            facts.ownOrder == nil && objections(to: PaymentFacts(candidate)).isEmpty
                && objections(to: PaymentFacts(candidate, ledger: facts)).isEmpty
        }.map(\.0)
    }

    /// Asks Apple for the transaction that the client named and that the receipt lacks: the receipt was issued before the purchase,
    /// or after a consumable was finished.
    ///
    /// Anybody may name an id. If the named transaction would need an operator, the job waits for a receipt that shows it. The
    /// payments that the receipt itself shows are recorded in any case.
    mutating func findNamed(
        _ id: TransactionID, besides transactions: VerifiedTransactions, _ judgement: Judgement
    ) async throws(Conclusion) -> Settlement {
        do {
            let found = try await attempt.search(for: id)
            if found.isDenial, let settlement = try await settlementWithoutHint(of: transactions) { return settlement }
            return settlement(ofNamed: found, besides: transactions, judgement)
        } catch {
            throw error.showing(judgement)
        }
    }

    /// The grant of a purchase that nobody has claimed, where Apple denies what the client named: the denied id is no hint.
    ///
    /// Apple may know the id a moment later. A purchase that another order holds, or that was made for one, therefore decides
    /// nothing, and neither does a refund.
    ///
    /// - Returns: nil where the job goes on waiting for what the client named.
    private mutating func settlementWithoutHint(of transactions: VerifiedTransactions) async throws(Conclusion) -> Settlement? {
        let named = hint
        hint = nil
        defer { hint = named }
        guard case .candidates(let candidates) = judge(transactions).verdict else { return nil }
        let unclaimed = try await unclaimed(among: candidates)
        guard !unclaimed.isEmpty else { return nil }
        let settlement = try await confirm(unclaimed, of: transactions)
        return settlement.candidates.first.map { objections(to: PaymentFacts($0.shown)).isEmpty } == true ? settlement : nil
    }
}
