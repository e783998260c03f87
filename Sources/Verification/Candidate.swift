// SPDX-License-Identifier: Apache-2.0

/// A verified transaction of the ordered product that may pay for the order, if the ledger agrees.
package struct Candidate: Hashable, Sendable {
    package let transaction: Transaction
    package let kind: ProductKind
    package let key: GrantKey

    /// Why a person has to look before it may be granted; nil when nothing stands in the way.
    ///
    /// The ledger is asked first all the same: a replay is answered as a replay, whatever else is odd about it.
    package let obstacle: Reason?

    package init(_ transaction: Transaction, kind: ProductKind, obstacle: Reason? = nil) {
        self.transaction = transaction
        self.kind = kind
        self.key = GrantKey(transaction, kind: kind)
        self.obstacle = obstacle
    }
}
