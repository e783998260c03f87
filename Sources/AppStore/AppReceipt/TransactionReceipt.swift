// SPDX-License-Identifier: Apache-2.0

/// The iOS 6 style receipt of one transaction: an old property list of text, `{ "purchase-info" = "…"; … }`.
package enum TransactionReceipt {
    private static let purchaseInfo = Array(#""purchase-info""#.utf8)

    /// Whether decoded bytes look like one: a brace, white space, a quoted key, and the key that holds the purchase.
    static func hasShape(_ bytes: [UInt8]) -> Bool {
        guard bytes.first == UInt8(ascii: "{") else { return false }
        let inside = bytes.dropFirst()
        guard let second = inside.first, second.isWhitespace,
            inside.first(where: { !$0.isWhitespace }) == UInt8(ascii: "\"")
        else { return false }
        return inside.contains(bytes: purchaseInfo)
    }
}
