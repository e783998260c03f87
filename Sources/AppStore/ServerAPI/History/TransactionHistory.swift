// SPDX-License-Identifier: Apache-2.0

package import Verification

/// The transactions of a history, each once, in its newest version.
package final class TransactionHistory: Sendable {
    /// In the order in which the transactions were first met.
    package let transactions: VerifiedTransactions

    /// Where the history was left; asking from there later, with the same filters, gives what has changed since. Kept
    /// by whoever wants to go on; of use only when the order was oldest first.
    package let revision: String?

    /// False when the allowed number of pages was not enough.
    package let isComplete: Bool

    init(_ transactions: VerifiedTransactions, revision: String?, isComplete: Bool) {
        self.transactions = transactions
        self.revision = revision
        self.isComplete = isComplete
    }
}

/// Transactions as they come page by page: one that changed meanwhile comes again, and the later word counts.
struct CollectedTransactions {
    private var all: [Transaction] = []
    private var positions: [TransactionID: Int] = [:]

    mutating func add(_ page: VerifiedTransactions) {
        for transaction in page.all {
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
