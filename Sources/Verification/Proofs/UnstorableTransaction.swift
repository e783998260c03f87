// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A verified transaction with a value that the database can't keep. It reaches no statement: all that is recorded of it is its
/// ``description``, in the history of attempts, and the proof itself.
package struct UnstorableTransaction: Hashable, Sendable, CustomStringConvertible {
    /// The most characters of an id in the description.
    private static let shownLength = 40

    /// The most transactions in a message.
    private static let shownTransactions = 3

    /// One line of ASCII: which transaction, and what of it can't be kept.
    package let description: String

    /// - Returns: nil where the database can keep the transaction.
    package init?(_ transaction: Transaction) {
        guard let fault = Self.fault(of: transaction) else { return nil }
        description =
            "transaction \(Self.quoted(transaction.id.rawValue)) of product \(Self.quoted(transaction.productID.rawValue)),"
            + " quantity \(transaction.quantity), bought at \(transaction.purchaseDate.timeIntervalSince1970) s since 1970: \(fault)"
    }

    /// The line for the history of attempts; nil without any such transaction.
    package static func message(_ transactions: [UnstorableTransaction]) -> String? {
        guard !transactions.isEmpty else { return nil }
        let shown = transactions.prefix(shownTransactions).map(\.description).joined(separator: "; ")
        let rest = transactions.count - shownTransactions
        return "the database can't keep " + shown + (rest > 0 ? "; and \(rest) more" : "")
    }

    private static func fault(of transaction: Transaction) -> String? {
        let ids: [(name: String, value: String?, length: ClosedRange<Int>)] = [
            ("transaction id", transaction.id.rawValue, TransactionLimits.idLength),
            ("original transaction id", transaction.originalID.rawValue, TransactionLimits.idLength),
            ("web order line item id", transaction.webOrderLineItemID, TransactionLimits.idLength),
            ("product id", transaction.productID.rawValue, TransactionLimits.idLength),
            ("bundle id", transaction.bundleID.rawValue, TransactionLimits.bundleIDLength),
            ("revocation type", transaction.revocation?.type, TransactionLimits.idLength),
        ]
        for id in ids {
            guard let value = id.value, !TransactionLimits.allows(value, length: id.length) else { continue }
            return "its \(id.name) is no text of \(id.length.lowerBound) to \(id.length.upperBound) printable characters"
        }
        guard TransactionLimits.quantity.contains(transaction.quantity) else {
            return "its quantity is outside \(TransactionLimits.quantity.lowerBound) to \(TransactionLimits.quantity.upperBound)"
        }
        let dates = [
            transaction.purchaseDate, transaction.originalPurchaseDate, transaction.expiresDate, transaction.endAsOf,
            transaction.revocation?.date, transaction.revocation?.asOf,
        ]
        guard dates.allSatisfy({ $0.map(TransactionLimits.allows) ?? true }) else {
            return "one of its dates is outside a timestamptz"
        }
        return nil
    }

    private static func quoted(_ text: String) -> String {
        let characters = text.unicodeScalars
        let shown = characters.prefix(shownLength).map { $0.escaped(asASCII: true) }.joined()
        return "\"" + shown + (characters.count > shownLength ? "...\"" : "\"")
    }
}
