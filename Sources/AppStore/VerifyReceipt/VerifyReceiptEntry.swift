// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// One purchase in an answer of verifyReceipt: an element of `in_app` or `latest_receipt_info`. Decoding never fails; a value that
/// isn't an object is an entry without facts.
struct VerifyReceiptEntry: Decodable {
    private var transactionID: String?
    private var originalTransactionID: String?
    private var webOrderLineItemID: String?
    private var productID: String?
    private var quantity: String?
    private var purchaseDate: String?
    private var originalPurchaseDate: String?
    private var expiresDate: String?
    private var cancellationDate: String?
    private var isCancelled: Bool
    private(set) var isUpgraded: Bool
    private var appAccountToken: String?
    private var ownership: String?

    /// Whether a field is there that decides about money, and can't be read.
    private var isUnreadable = false

    private enum CodingKeys: String, CodingKey {
        case transactionID = "transaction_id"
        case originalTransactionID = "original_transaction_id"
        case webOrderLineItemID = "web_order_line_item_id"
        case productID = "product_id"
        case quantity
        case purchaseDateMilliseconds = "purchase_date_ms"
        case originalPurchaseDateMilliseconds = "original_purchase_date_ms"
        case expiresDateMilliseconds = "expires_date_ms"
        case cancellationDateMilliseconds = "cancellation_date_ms"
        case cancellationDate = "cancellation_date"
        case cancellationReason = "cancellation_reason"
        case isUpgraded = "is_upgraded"
        case appAccountToken = "app_account_token"
        case ownership = "in_app_ownership_type"
    }

    init(from decoder: any Decoder) throws {
        let fields = try? decoder.container(keyedBy: CodingKeys.self)
        var isUnreadable = false
        func text(_ key: CodingKeys) -> String? {
            let field = fields?.simpleText(key)
            isUnreadable = isUnreadable || field?.isUnreadable ?? false
            return field?.value
        }
        transactionID = text(.transactionID)
        originalTransactionID = text(.originalTransactionID)
        webOrderLineItemID = text(.webOrderLineItemID)
        productID = text(.productID)
        quantity = text(.quantity)
        purchaseDate = text(.purchaseDateMilliseconds)
        originalPurchaseDate = text(.originalPurchaseDateMilliseconds)
        expiresDate = text(.expiresDateMilliseconds)
        cancellationDate = text(.cancellationDateMilliseconds)
        isCancelled = cancellationDate != nil || text(.cancellationDate) != nil || text(.cancellationReason) != nil
        let upgraded = text(.isUpgraded)
        isUpgraded = upgraded == "true"
        appAccountToken = text(.appAccountToken)
        ownership = text(.ownership)
        self.isUnreadable =
            isUnreadable || [originalPurchaseDate, expiresDate].contains { $0.map { AppleTime(digits: $0) == nil } ?? false }
            || appAccountToken.map { UUID(uuidString: $0) == nil } ?? false || !["true", "false", nil].contains(upgraded)
    }

    /// Equal for entries of one transaction.
    var id: String? { transactionID }

    /// Adds what another entry of the same transaction knows and this one doesn't.
    mutating func complete(from other: VerifyReceiptEntry) {
        originalTransactionID = originalTransactionID ?? other.originalTransactionID
        webOrderLineItemID = webOrderLineItemID ?? other.webOrderLineItemID
        productID = productID ?? other.productID
        quantity = quantity ?? other.quantity
        purchaseDate = purchaseDate ?? other.purchaseDate
        originalPurchaseDate = originalPurchaseDate ?? other.originalPurchaseDate
        expiresDate = expiresDate ?? other.expiresDate
        cancellationDate = cancellationDate ?? other.cancellationDate
        isCancelled = isCancelled || other.isCancelled
        isUpgraded = isUpgraded || other.isUpgraded
        appAccountToken = appAccountToken ?? other.appAccountToken
        ownership = ownership ?? other.ownership
        isUnreadable = isUnreadable || other.isUnreadable
    }

    /// The transaction, in our terms; nil when its id, product, time of purchase or quantity is missing, or any field can't be
    /// read.
    ///
    /// A cancellation without a readable date is dated to the purchase, so that it is never overlooked. Whether it is an upgrade's
    /// is seen beside other entries. An absent ownership counts as a purchase.
    ///
    /// - Parameter asOf: when Apple answered.
    func transaction(of bundleID: BundleID, in environment: AppStoreEnvironment, asOf: Date?) -> Transaction? {
        guard !isUnreadable, let transactionID, let productID, let purchase = purchaseDate.flatMap(AppleTime.init(digits:)),
            let quantity = Int(quantity ?? "1"), quantity >= 1
        else { return nil }
        let cancellation = cancellationDate.flatMap(AppleTime.init(digits:)) ?? purchase
        return Transaction(
            bundleID: bundleID, environment: environment, id: TransactionID(rawValue: transactionID),
            originalID: TransactionID(rawValue: originalTransactionID ?? transactionID),
            webOrderLineItemID: webOrderLineItemID, productID: ProductID(rawValue: productID), quantity: quantity,
            purchaseDate: purchase.date, expiresDate: expiresDate.flatMap(AppleTime.init(digits:))?.date, endAsOf: asOf,
            revocation: isCancelled ? .whole(cancellation.date, by: .receipt, asOf: asOf) : nil,
            appAccountToken: appAccountToken.flatMap(UUID.init(uuidString:)),
            ownership: Transaction.Ownership(appleName: ownership.map(LenientField.value) ?? .absent),
            originalPurchaseDate: originalPurchaseDate.flatMap(AppleTime.init(digits:))?.date
        )
    }
}
