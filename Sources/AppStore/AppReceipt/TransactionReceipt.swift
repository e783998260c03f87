// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import Verification

/// The iOS 6 style receipt of one transaction: an old property list of text, `{ "purchase-info" = "…"; … }`.
///
/// Its fields are claims to look something up by, and evidence of nothing: the certificate that signed such receipts ended
/// long ago, so only Apple knows whether one is genuine.
package struct TransactionReceipt: Hashable, Sendable {
    package let transactionID: TransactionID
    package let originalTransactionID: TransactionID?
    package let productID: ProductID?
    package let bundleID: BundleID?

    /// Whether it is of a period of an auto-renewable subscription.
    package let isOfSubscription: Bool

    /// Longest receipt read, in bytes. Genuine ones have about 4 KB.
    private static let byteLimit = 64 * 1024

    /// Most fields of the receipt, and of the purchase in it. Genuine ones have 5 and about 20.
    private static let fieldLimit = 100

    /// The claims of a receipt; nil when its purchase can't be found or names no transaction.
    ///
    /// - Parameter base64: standard, with padding, as ``ProofReader`` gives it.
    package init?(base64: String) {
        guard base64.utf8.count / 4 * 3 <= Self.byteLimit,
            let bytes = Base64.decode(padded: Array(base64.utf8)[...], as: .standard)
        else { return nil }
        self.init(bytes)
    }

    /// The claims in a receipt's text.
    init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.byteLimit,
            let envelope = PropertyListText.fields(of: bytes[...], limit: Self.fieldLimit),
            let encoded = envelope["purchase-info"],
            let purchase = Base64.decode(padded: Array(encoded.utf8)[...], as: .standard),
            let fields = PropertyListText.fields(of: purchase[...], limit: Self.fieldLimit),
            let transactionID = fields["transaction-id"], !transactionID.isEmpty
        else { return nil }
        func field(_ name: String) -> String? { fields[name].flatMap { $0.isEmpty ? nil : $0 } }
        self.transactionID = TransactionID(rawValue: transactionID)
        originalTransactionID = field("original-transaction-id").map(TransactionID.init(rawValue:))
        productID = field("product-id").map(ProductID.init(rawValue:))
        bundleID = field("bid").map(BundleID.init(rawValue:))
        isOfSubscription = ["expires-date", "web-order-line-item-id"].contains { field($0) != nil }
    }

    private static let quotedKey = Array(#""purchase-info""#.utf8)

    /// Whether decoded bytes look like one: a brace, white space, a quoted key, and the key that holds the purchase.
    static func hasShape(_ bytes: [UInt8]) -> Bool {
        guard bytes.first == UInt8(ascii: "{") else { return false }
        let inside = bytes.dropFirst()
        guard let second = inside.first, second.isWhitespace,
            inside.first(where: { !$0.isWhitespace }) == UInt8(ascii: "\"")
        else { return false }
        return inside.contains(bytes: quotedKey)
    }
}
