// SPDX-License-Identifier: Apache-2.0

import Verification

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
