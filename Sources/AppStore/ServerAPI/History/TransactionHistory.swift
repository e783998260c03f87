// SPDX-License-Identifier: Apache-2.0

package import Verification

/// The transactions of a history, each once, in its newest version.
package final class TransactionHistory: Sendable {
    /// In the order in which the transactions were first met.
    package let transactions: VerifiedTransactions

    /// Each as Apple signed it.
    package let texts: [TransactionID: String]

    /// Where the history was left; asking from there later, with the same filters, gives what has changed since. Kept
    /// by whoever wants to go on; of use only when the order was oldest first.
    package let revision: String?

    /// False when the allowed number of pages was not enough.
    package let isComplete: Bool

    init(_ collected: CollectedTransactions, revision: String?, isComplete: Bool) {
        transactions = collected.transactions
        texts = collected.texts
        self.revision = revision
        self.isComplete = isComplete
    }
}

/// Transactions as they come page by page: one that changed meanwhile comes again, and the later word counts.
struct CollectedTransactions {
    private var all: [Transaction] = []
    private var positions: [TransactionID: Int] = [:]
    private(set) var texts: [TransactionID: String] = [:]

    /// - Parameter signed: the page's transactions as Apple signed them.
    mutating func add(_ page: VerifiedTransactions, signed: [String]) {
        for (transaction, text) in zip(page.all, signed) {
            texts[transaction.id] = text
            if let position = positions[transaction.id] {
                all[position] = transaction
            } else {
                positions[transaction.id] = all.count
                all.append(transaction)
            }
        }
    }

    var transactions: VerifiedTransactions {
        VerifiedTransactions(all, mayBeIncomplete: false)
    }
}
