// SPDX-License-Identifier: Apache-2.0

package import Verification

/// What a history shows, each transaction once, with the newest that was said of it.
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
