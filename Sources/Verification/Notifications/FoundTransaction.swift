// SPDX-License-Identifier: Apache-2.0

/// A transaction that Apple signed and that no client showed: a notification did. What it means to the ledger, as a value without I/O.
///
/// | The transaction | Effect |
/// |---|---|
/// | paid, and nothing is refunded | a payment: it may be an order's |
/// | refunded | a revocation |
/// | refunded in part, or nobody knows how much | a revocation, and a payment that a person has to look at |
package struct FoundTransaction: Sendable {
    package let transaction: Transaction
    package let payment: UnclaimedTransaction?

    /// The transaction as Apple signed it: a proof for the order that it was made for. Nil where it is no order's.
    package let proof: String?

    package var isRevoked: Bool { transaction.revocation != nil }

    /// Why a transaction has no effect.
    package enum Useless: Error {
        /// A family or a group has it.
        case paidBySomebodyElse
        case unstorable(UnstorableTransaction)

        /// A line, without anything secret.
        package var message: String {
            switch self {
            case .paidBySomebodyElse: "the transaction was paid by somebody else"
            case .unstorable(let unstorable): UnstorableTransaction.message([unstorable]) ?? ""
            }
        }
    }

    /// - Parameter text: the transaction as Apple signed it.
    /// - Throws: ``Useless`` where it means nothing to the ledger.
    package init(_ transaction: Transaction, text: String) throws(Useless) {
        if let unstorable = UnstorableTransaction(transaction) { throw .unstorable(unstorable) }
        guard transaction.ownership == .purchased else { throw .paidBySomebodyElse }
        self.transaction = transaction
        let reason: Reason? =
            if transaction.isRefunded {
                nil
            } else if transaction.isPartlyRefunded {
                .partlyRefunded
            } else if transaction.isAdvancedCommerce {
                .unsupportedYet
            } else if transaction.additionalReason != nil {
                .seatsAdded
            } else {
                .noOrder
            }
        payment = reason.map { UnclaimedTransaction(transaction, reason: $0) }
        proof = reason == .noOrder ? text : nil
    }
}
