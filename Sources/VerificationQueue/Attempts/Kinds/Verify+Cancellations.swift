// SPDX-License-Identifier: Apache-2.0

import Verification

/// Cancelled periods of subscriptions in receipts that are verified here.
///
/// A receipt dates an upgrade where it dates a refund, and not every upgrade can be told by its date: the receipt alone takes no
/// period back.
extension Verify {
    /// The periods that a receipt shows as cancelled; none on paths where Apple itself has said so.
    @inline(never)  // See "Judge" in Verify.swift.
    func cancelledPeriods(of transactions: VerifiedTransactions, along path: ProofPath) -> [Transaction] {
        guard case .local = path, transactions.mayBeIncomplete else { return [] }
        return transactions.all.filter { transaction in
            transaction.isRefunded && transaction.revocation?.source == .receipt && transaction.webOrderLineItemID != nil
                && transaction.bundleID == attempt.bundleID
        }
    }

    /// The transactions of a receipt, with Apple's present word about each cancelled period, where the app's policy is to ask. The
    /// share of what nobody was asked about, and of what Apple doesn't know, is unknown.
    ///
    /// Periods whose refund the ledger holds already are not asked about: otherwise each upload of the receipt would.
    mutating func examine(
        _ cancelled: [Transaction], of transactions: VerifiedTransactions
    ) async throws(Conclusion) -> VerifiedTransactions {
        var known: [TransactionID: [Transaction]] = [:]
        if policy.receiptRoute == .localThenAPI {
            let recorded = try await recordedRefunds(among: cancelled)
            for period in recorded { known[period.id] = [period] }
            for period in cancelled.filter({ known[$0.id] == nil }).prefix(AttemptRunner.confirmations) {
                if let answer = try await attempt.presentState(of: period) {
                    known[period.id] = Self.confirmed(period, as: answer.all.first)
                }
            }
        }
        return Self.replacing(cancelled, in: transactions, by: known)
    }

    @inline(never)  // See "Judge" in Verify.swift.
    private static func replacing(
        _ cancelled: [Transaction], in transactions: VerifiedTransactions, by known: [TransactionID: [Transaction]]
    ) -> VerifiedTransactions {
        let ids = Set(cancelled.map(\.id))
        let all = transactions.all.flatMap { transaction in
            guard ids.contains(transaction.id) else { return [transaction] }
            if let answer = known[transaction.id] { return answer }
            var doubtful = transaction
            doubtful.revocation?.share = .unknown
            return [doubtful]
        }
        return VerifiedTransactions(
            all, mayBeIncomplete: transactions.mayBeIncomplete, signedAt: transactions.signedAt, bundleID: transactions.bundleID,
            appVersion: transactions.appVersion, skipped: transactions.skipped)
    }

    private func recordedRefunds(among periods: [Transaction]) async throws(Conclusion) -> [Transaction] {
        let facts = try await attempt.ledger(periods.map { ShownPayment($0, listedKind: .autoRenewable) })
        return zip(periods, facts).filter { $1.isRevoked }.map(\.0)
    }
}
