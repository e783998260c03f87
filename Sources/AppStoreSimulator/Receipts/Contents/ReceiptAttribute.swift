// SPDX-License-Identifier: Apache-2.0

/// The attribute types of an app receipt and of the purchases in it.
///
/// Source: Apple's page "Validating receipts on the device" and its archived list of receipt fields; types 0, 18 and
/// 1707 are undocumented and were read off genuine receipts.
enum ReceiptAttribute {
    static let receiptType = 0
    static let bundleID = 2
    static let applicationVersion = 3
    static let opaqueValue = 4
    static let deviceHash = 5
    static let creationDate = 12
    static let purchase = 17
    static let originalPurchaseDate = 18
    static let originalApplicationVersion = 19
    static let expirationDate = 21

    static let quantity = 1701
    static let productID = 1702
    static let transactionID = 1703
    static let purchaseDate = 1704
    static let originalTransactionID = 1705
    static let originalPurchaseDateOfPurchase = 1706
    static let productType = 1707
    static let subscriptionExpiration = 1708
    static let webOrderLineItemID = 1711
    static let cancellationDate = 1712
    static let introductoryOffer = 1719
}
