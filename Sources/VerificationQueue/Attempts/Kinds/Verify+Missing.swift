// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// Receipts that lack the purchase: what else may be known of it, before the client is asked for another receipt.
extension Verify {
    /// How many purchases of the order's product that are older than the order are looked up in the ledger, the newest first.
    private static let mostOlderPurchases = 20

    /// Looks for the purchase that a receipt lacks.
    ///
    /// | The receipt | Then |
    /// |---|---|
    /// | shows an older purchase, which was made for another order of the account, and the client named none | that order is paid, as if the client had named the purchase |
    /// | lacks the transaction that the client named | Apple is asked for it, where receipts go to the App Store Server API |
    /// | the same, on other routes, and one purchase that nobody claimed fits | that is granted: the client named it wrongly |
    /// | is checked for the last time | Apple's history of its customer is asked before all else, where there is a key |
    mutating func findMissing(
        besides transactions: VerifiedTransactions, _ judgement: Judgement, along path: ProofPath
    ) async throws(Conclusion) -> Settlement {
        if isFinalCheck, let settlement = try await settlementByHistory(besides: transactions, judgement) { return settlement }
        guard let id = hint else {
            return try await settlementOfOlder(of: transactions, judgement, along: path) ?? settlement(of: transactions, judgement)
        }
        if policy.receiptRoute == .localThenAPI { return try await findNamed(id, besides: transactions, judgement) }
        return try await settlementOfOnlyFitting(of: transactions) ?? settlement(of: transactions, judgement)
    }

    /// - Returns: nil where the receipt shows no purchase that is another order's.
    private mutating func settlementOfOlder(
        of transactions: VerifiedTransactions, _ judgement: Judgement, along path: ProofPath
    ) async throws(Conclusion) -> Settlement? {
        let older = judgement.others
            .filter {
                $0.transaction.productID == order.productID
                    && Fit.mayPayAnOlderOrder(PaymentFacts($0), than: order, objections(to: PaymentFacts($0)))
            }
            .sorted {
                ($0.transaction.purchaseDate, $0.transaction.id.rawValue) > (
                    $1.transaction.purchaseDate, $1.transaction.id.rawValue
                )
            }
            .prefix(Self.mostOlderPurchases)
        guard !older.isEmpty else { return nil }
        let facts = try await attempt.ledger(Array(older))
        let own = zip(older, facts).first { payment, facts in
            facts.ownOrder != nil
                && objections(to: PaymentFacts(payment, ledger: facts)).allSatisfy { $0.scope != .payment }
        }
        guard let (own, _) = own else { return nil }
        hint = own.transaction.id
        defer { hint = nil }
        let named = judge(transactions)
        guard case .candidates(let candidates) = named.verdict else { return nil }
        guard case .local(let confirmation) = path,
            confirmation.isNeeded(signedAt: transactions.signedAt, now: attempt.job.claimedAt)
        else { return settlement(of: transactions, named) }
        return try await confirm(candidates, of: transactions)
    }

    /// The grant of the one purchase that nobody has claimed. One that another order holds, or that was made for one, decides
    /// nothing.
    ///
    /// - Returns: nil where none fits, or several do, or one can't be read: the job goes on waiting for what the client named.
    private mutating func settlementOfOnlyFitting(of transactions: VerifiedTransactions) async throws(Conclusion) -> Settlement? {
        guard transactions.skipped == 0 else { return nil }
        let named = hint
        hint = nil
        defer { hint = named }
        let judgement = judge(transactions)
        guard case .candidates(let candidates) = judgement.verdict else { return nil }
        let unclaimed = try await unclaimed(among: candidates)
        guard let only = unclaimed.first, unclaimed.count == 1 else { return nil }
        return settlement(
            of: transactions,
            Judgement(
                verdict: .candidates([only]), others: judgement.others + candidates.filter { $0 !== only },
                revoked: judgement.revoked, unstorable: judgement.unstorable, shared: judgement.shared, note: judgement.note))
    }

    /// A receipt may lag behind a purchase by StoreKit 2 for ever. Apple's history of the customer shows it: whoever has the
    /// receipt has the purchases of its customer.
    ///
    /// - Returns: nil where Apple can't be asked, or shows nothing that may pay.
    private mutating func settlementByHistory(
        besides transactions: VerifiedTransactions, _ judgement: Judgement
    ) async throws(Conclusion) -> Settlement? {
        let known = transactions.all.filter { $0.bundleID == attempt.bundleID }
        guard attempt.runner.verifier.credential(of: attempt.bundleID, on: .serverAPI) != nil,
            let latest = known.max(by: { $0.purchaseDate < $1.purchaseDate })
        else { return nil }
        let since = order.isRecovery ? nil : order.createdAt.addingTimeInterval(-policy.purchaseTimeTolerance)
        let found: VerifiedTransactions?
        do throws(Conclusion) {
            found = try await attempt.history(of: latest, order.productID, since: since)
        } catch {
            throw error.showing(judgement)
        }
        guard let found else { return nil }
        let shown = VerifiedTransactions(found.all, mayBeIncomplete: true, isConfirmed: true)
        let further = judge(shown)
        guard case .candidates = further.verdict else { return nil }
        return settlement(
            of: shown,
            Judgement(
                verdict: further.verdict, others: judgement.others + further.others,
                revoked: judgement.revoked + further.revoked, unstorable: judgement.unstorable + further.unstorable,
                shared: further.shared + judgement.shared, note: further.note))
    }
}
