// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A transaction as the simulated App Store Server API keeps it.
struct TransactionRecord: Sendable {
    var transaction: SimulatedTransaction
    /// Rises with every change over all transactions: the order of "last modified".
    var change: Int
    var isFinished = false
    private(set) var isVisible = true
    private(set) var program = TransactionProgram()
    private var calls = 0

    /// Whose it is: the Apple Account in this app. One without such an id is a customer of its own.
    var customer: String { transaction.appTransactionId ?? "customer of " + transaction.transactionId }

    init(_ transaction: SimulatedTransaction, change: Int) {
        self.transaction = transaction
        self.change = change
    }

    /// Replaces the program, and counts calls anew.
    mutating func setProgram(_ program: TransactionProgram) {
        self.program = program
        calls = 0
        isVisible = program.arrival == nil
    }

    /// Counts a call, and lets happen what the program has for it.
    ///
    /// - Returns: whether the transaction has changed.
    mutating func countCall(at now: Date) -> Bool {
        calls += 1
        let hasArrived = !isVisible && hasCome(program.arrival, at: now)
        if hasArrived { isVisible = true }
        let wasRefunded = transaction.revocationDate != nil
        if let reversal = program.reversal, reversal.hasCome(call: calls, now: now) {
            transaction.revocationDate = nil
            transaction.revocationReason = nil
            transaction.revocationType = nil
            transaction.revocationPercentage = nil
        } else if let refund = program.refund, !wasRefunded, refund.at.hasCome(call: calls, now: now) {
            transaction.revocationDate = if case .date(let date) = refund.at { date } else { now }
            transaction.revocationReason = refund.reason
            transaction.revocationType = "REFUND_FULL"
            transaction.revocationPercentage = 100_000
        }
        return hasArrived || wasRefunded != (transaction.revocationDate != nil)
    }

    private func hasCome(_ moment: ReceiptProgram.Moment?, at now: Date) -> Bool {
        moment?.hasCome(call: calls, now: now) ?? true
    }
}
