// SPDX-License-Identifier: Apache-2.0

/// The types of the attributes that a verdict needs, of the app and of a purchase, and of the app's version.
///
/// Source: Apple's "Validating receipts on the device" and its archived list of receipt fields. Types 0 and 1707 are undocumented
/// and stand in every genuine receipt.
enum ReceiptAttributeType {
    /// `Production`, `ProductionSandbox` and their like.
    static let receiptType: Int64 = 0
    static let bundleID: Int64 = 2
    /// Of the app that made the receipt. No verdict needs it.
    static let applicationVersion: Int64 = 3
    /// When the receipt was made, and signed.
    static let creationDate: Int64 = 12
    /// A purchase: a SET of the attributes below.
    static let purchase: Int64 = 17

    static let quantity: Int64 = 1701
    static let productID: Int64 = 1702
    static let transactionID: Int64 = 1703
    static let purchaseDate: Int64 = 1704
    static let originalTransactionID: Int64 = 1705
    static let originalPurchaseDate: Int64 = 1706
    /// The kind of the product: see ``ReceiptPurchase``.
    static let productType: Int64 = 1707
    static let subscriptionExpirationDate: Int64 = 1708
    static let webOrderLineItemID: Int64 = 1711
    static let cancellationDate: Int64 = 1712

    /// Whether a verdict needs the attribute.
    static func isRead(_ type: Int64) -> Bool {
        switch type {
        case receiptType, bundleID, creationDate, quantity, productID, transactionID, purchaseDate, originalTransactionID,
            originalPurchaseDate, productType, subscriptionExpirationDate, webOrderLineItemID, cancellationDate:
            true
        default: false
        }
    }
}
