// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

extension ReceiptContents {
    /// One purchase as the receipt tells it.
    package struct Purchase: Sendable, Equatable {
        package var quantity: Int64
        package var productID: String
        package var transactionID: String
        /// Equal to ``transactionID`` where the receipt doesn't say.
        package var originalTransactionID: String
        package var purchaseDate: Date?
        package var originalPurchaseDate: Date?
        /// Of subscriptions only.
        package var expirationDate: Date?
        /// Of subscriptions only.
        package var webOrderLineItemID: Int64?
        package var cancellationDate: Date?
        package var isIntroductoryOffer: Bool
        /// Apple's undocumented number: 3 for auto-renewable subscriptions.
        package var productType: Int64?

        init(set: ArraySlice<UInt8>, limits: Limits) throws(ReceiptContentsError) {
            let attributes = try Attributes(set: set, maximum: limits.attributes, limits: limits)
            guard let productID = try attributes.text(ReceiptAttribute.productID),
                let transactionID = try attributes.text(ReceiptAttribute.transactionID)
            else { throw .malformed("purchase without product or transaction id") }
            self.productID = productID
            self.transactionID = transactionID
            quantity = try attributes.integer(ReceiptAttribute.quantity) ?? 1
            originalTransactionID = try attributes.text(ReceiptAttribute.originalTransactionID) ?? transactionID
            purchaseDate = try attributes.date(ReceiptAttribute.purchaseDate)
            originalPurchaseDate = try attributes.date(ReceiptAttribute.originalPurchaseDateOfPurchase)
            expirationDate = try attributes.date(ReceiptAttribute.subscriptionExpiration)
            let lineItem = try attributes.integer(ReceiptAttribute.webOrderLineItemID) ?? 0
            webOrderLineItemID = lineItem == 0 ? nil : lineItem
            cancellationDate = try attributes.date(ReceiptAttribute.cancellationDate)
            isIntroductoryOffer = try attributes.integer(ReceiptAttribute.introductoryOffer) == 1
            productType = try attributes.integer(ReceiptAttribute.productType)
        }

        /// The same facts of a transaction that is known from elsewhere than a receipt.
        init(_ transaction: SimulatedTransaction) {
            quantity = Int64(transaction.quantity)
            productID = transaction.productId
            transactionID = transaction.transactionId
            originalTransactionID = transaction.originalTransactionId
            purchaseDate = transaction.purchaseDate
            originalPurchaseDate = transaction.originalPurchaseDate
            expirationDate = transaction.expiresDate
            webOrderLineItemID = transaction.webOrderLineItemId.flatMap { Int64($0) }
            cancellationDate = transaction.cancellationDate
            isIntroductoryOffer = transaction.offerType == 1
            productType = transaction.type.receiptNumber
        }

        /// Whether Apple renews it, so that a shared secret is needed to ask about it.
        package var isAutoRenewable: Bool {
            productType == 3 || (productType == nil && expirationDate != nil)
        }
    }
}
