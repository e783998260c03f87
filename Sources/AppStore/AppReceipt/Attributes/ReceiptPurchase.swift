// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// One purchase of a receipt, from its attributes.
struct ReceiptPurchase {
    private var transactionID = LenientField<String>.absent
    private var originalTransactionID = LenientField<String>.absent
    private var webOrderLineItemID = LenientField<Int64>.absent
    private var productID = LenientField<String>.absent
    private var quantity = LenientField<Int64>.absent
    private var purchaseDate = LenientField<AppleTime>.absent
    private var originalPurchaseDate = LenientField<AppleTime>.absent
    private var productType = LenientField<Int64>.absent
    private var expirationDate = LenientField<AppleTime>.absent
    private var cancellationDate = LenientField<AppleTime>.absent

    /// Reads the SET of a purchase's attributes; nil when it is none, or has more attributes than allowed.
    ///
    /// An attribute that stands there twice with two values can't be read. Unknown types are passed over.
    init?(_ set: ArraySlice<UInt8>, attributeLimit: Int) {
        guard var attributes = try? ReceiptAttributeReader(set: set) else { return nil }
        do {
            var count = 0
            var seen = SeenAttributes()
            while let attribute = try attributes.next() {
                count += 1
                guard count <= attributeLimit else { return nil }
                take(attribute, isOdd: seen.contradict(attribute))
            }
        } catch {
            return nil
        }
    }

    /// The transaction, in our terms; nil when a fact is missing, or unreadable where a wrong guess would cost money.
    ///
    /// An absent quantity counts as one, and an absent original id as the transaction's own. A date of the original purchase or of
    /// the subscription's end may be absent, and may not be unreadable. A cancellation whose date can't be read is dated to the
    /// purchase, so that it is never overlooked. A receipt doesn't name the app's token, and marks no family's purchases.
    ///
    /// - Parameter asOf: when the receipt was made.
    func transaction(of bundleID: BundleID, in environment: AppStoreEnvironment, asOf: Date?) -> Transaction? {
        guard let id = transactionID.value, let productID = productID.value, let purchase = purchaseDate.value,
            !originalTransactionID.isUnreadable, !webOrderLineItemID.isUnreadable, !quantity.isUnreadable,
            !originalPurchaseDate.isUnreadable, !expirationDate.isUnreadable,
            let quantity = Int(exactly: quantity.value ?? 1), quantity >= 1
        else { return nil }
        let lineItem = webOrderLineItemID.value ?? 0
        let cancellation = cancellationDate.isUnreadable ? purchase : cancellationDate.value
        return Transaction(
            bundleID: bundleID, environment: environment, id: TransactionID(rawValue: id),
            originalID: TransactionID(rawValue: originalTransactionID.value ?? id),
            webOrderLineItemID: lineItem == 0 ? nil : String(lineItem), productID: ProductID(rawValue: productID),
            productKind: productKind, quantity: quantity, purchaseDate: purchase.date, expiresDate: expirationDate.value?.date,
            endAsOf: asOf,
            revocation: cancellation.map { .whole($0.date, by: .receipt, asOf: asOf) },
            originalPurchaseDate: originalPurchaseDate.value?.date
        )
    }

    /// Whether it is, or may be, a period of an auto-renewable subscription.
    var isPeriod: Bool {
        expirationDate.value != nil || expirationDate.isUnreadable || webOrderLineItemID.isUnreadable
            || webOrderLineItemID.value ?? 0 != 0
    }

    /// The kind that the product's type names: 0 to 3, as in all genuine receipts from 2014 on. Nil for any other type, such as the
    /// free subscription of once (4), for none, and for one that can't be read: the shop's list decides then.
    private var productKind: ProductKind? {
        switch productType.value {
        case 0: .nonConsumable
        case 1: .consumable
        case 2: .nonRenewing
        case 3: .autoRenewable
        default: nil
        }
    }

    private mutating func take(_ attribute: ReceiptAttributeReader.Attribute, isOdd: Bool) {
        switch attribute.type {
        case ReceiptAttributeType.quantity: quantity.fill(with: attribute.number, isOdd: isOdd)
        case ReceiptAttributeType.productID: productID.fill(with: attribute.text, isOdd: isOdd)
        case ReceiptAttributeType.transactionID: transactionID.fill(with: attribute.text, isOdd: isOdd)
        case ReceiptAttributeType.purchaseDate: purchaseDate.fill(with: attribute.moment, isOdd: isOdd)
        case ReceiptAttributeType.originalTransactionID: originalTransactionID.fill(with: attribute.text, isOdd: isOdd)
        case ReceiptAttributeType.originalPurchaseDate: originalPurchaseDate.fill(with: attribute.moment, isOdd: isOdd)
        case ReceiptAttributeType.productType: productType.fill(with: attribute.number, isOdd: isOdd)
        case ReceiptAttributeType.subscriptionExpirationDate: expirationDate.fill(with: attribute.moment, isOdd: isOdd)
        case ReceiptAttributeType.webOrderLineItemID: webOrderLineItemID.fill(with: attribute.number, isOdd: isOdd)
        case ReceiptAttributeType.cancellationDate: cancellationDate.fill(with: attribute.moment, isOdd: isOdd)
        default: return
        }
    }
}
