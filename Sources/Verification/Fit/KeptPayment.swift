// SPDX-License-Identifier: Apache-2.0

/// A verified payment that isn't granted, or another name of one that is, and why it is kept.
package struct KeptPayment: Hashable, Sendable {
    package enum Role: Hashable, Sendable {
        /// The ledger doesn't hold it.
        case unclaimed(Reason)
        /// It is a payment of the ledger, or of this choice's grant, under another transaction id: that id belongs to the grant
        /// with its key, or to the one that knows the original transaction which that key names.
        case restored
        /// It was refunded. A reversal makes it unclaimed.
        case refunded
    }

    package let transaction: Transaction
    package let role: Role

    /// The number of the policy under which it would pay for a new order. Nil where it would not, or where nobody knows.
    package let fitsUnder: Int?

    package init(_ transaction: Transaction, as role: Role, fitsUnder: Int? = nil) {
        self.transaction = transaction
        self.role = role
        self.fitsUnder = fitsUnder
    }
}
