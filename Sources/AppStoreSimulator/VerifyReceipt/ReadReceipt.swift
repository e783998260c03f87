// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A receipt that was sent, read once.
///
/// A class, because it is large, is shared by the calls that show the same receipt, and never changes.
final class ReadReceipt: Sendable {
    enum Content: Sendable {
        case app(ReceiptContents)
        case unreadable
    }

    let content: Content
    /// Nil when the receipt is unreadable.
    let id: ReceiptID?
    /// The transactions that a call with this receipt is about.
    let transactionIDs: [String]

    /// Reads `receipt-data`: base64 in one line, nothing repaired.
    init(base64: String, limits: ReceiptContents.Limits) {
        let bytes = Data(base64Encoded: base64).map(Array.init) ?? []
        if let contents = try? ReceiptContents(bytes, limits: limits) {
            content = .app(contents)
            id = contents.id
            transactionIDs = contents.purchases.map(\.transactionID)
        } else {
            content = .unreadable
            id = nil
            transactionIDs = []
        }
    }
}
