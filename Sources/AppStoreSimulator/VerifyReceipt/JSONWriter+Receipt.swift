// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The objects in verifyReceipt's answers, field by field as Apple documents them (pages `responsebody` and below).
extension JSONWriter {
    /// The fields of `receipt` for an app receipt.
    mutating func addAppReceipt(
        _ receipt: ReceiptContents,
        purchases: [ReceiptView.Purchase],
        appleID: Int64,
        now: Date
    ) {
        let isProduction = receipt.environment == .production
        field("receipt_type", receipt.receiptType)
        field("adam_id", isProduction ? appleID : 0)
        field("app_item_id", isProduction ? appleID : 0)
        field("bundle_id", receipt.bundleID)
        field("application_version", receipt.applicationVersion)
        field("download_id", isProduction ? receipt.opaqueValue.prefix(6).reduce(0) { $0 << 8 | Int64($1) } : 0)
        field("version_external_identifier", isProduction ? 850_000_001 : 0)
        addDate("receipt_creation_date", "receipt_creation_date_ms", "receipt_creation_date_pst", receipt.creationDate)
        addDate("request_date", "request_date_ms", "request_date_pst", now)
        addDate(
            "original_purchase_date", "original_purchase_date_ms", "original_purchase_date_pst",
            receipt.originalPurchaseDate)
        addDate("expiration_date", "expiration_date_ms", "expiration_date_pst", receipt.expirationDate)
        field("original_application_version", receipt.originalApplicationVersion)
        key("in_app")
        objects(purchases) { $0.addPurchase($1, inLatestInfo: false) }
    }

    /// The fields of an entry of `in_app` or, with what is only told there, of `latest_receipt_info`.
    mutating func addPurchase(_ purchase: ReceiptView.Purchase, inLatestInfo: Bool) {
        let facts = purchase.facts
        let transaction = purchase.transaction
        let isTrial = transaction?.offerDiscountType == "FREE_TRIAL"
        field("quantity", String(facts.quantity))
        field("product_id", facts.productID)
        field("transaction_id", facts.transactionID)
        field("original_transaction_id", facts.originalTransactionID)
        addDate("purchase_date", "purchase_date_ms", "purchase_date_pst", facts.purchaseDate)
        addDate(
            "original_purchase_date", "original_purchase_date_ms", "original_purchase_date_pst",
            facts.originalPurchaseDate)
        addDate("expires_date", "expires_date_ms", "expires_date_pst", facts.expirationDate)
        addDate("cancellation_date", "cancellation_date_ms", "cancellation_date_pst", facts.cancellationDate)
        field("cancellation_reason", purchase.cancellationReason.map { String($0) })
        field("web_order_line_item_id", facts.webOrderLineItemID.map { String($0) })
        field("is_trial_period", isTrial ? "true" : "false")
        if facts.isAutoRenewable {
            field("is_in_intro_offer_period", facts.isIntroductoryOffer && !isTrial ? "true" : "false")
        }
        if transaction?.offerType == 2 { field("promotional_offer_id", transaction?.offerIdentifier) }
        field("in_app_ownership_type", transaction?.inAppOwnershipType ?? "PURCHASED")
        guard inLatestInfo else { return }
        field("app_account_token", transaction?.appAccountToken?.uuidString.lowercased())
        field("is_upgraded", transaction?.isUpgraded == true ? "true" : nil)
        field("subscription_group_identifier", transaction?.subscriptionGroupIdentifier)
        if transaction?.offerType == 3 { field("offer_code_ref_name", transaction?.offerIdentifier) }
    }

    /// The fields of an entry of `pending_renewal_info`, from the newest period of a subscription: one that runs will
    /// be renewed, one that ended was cancelled by the customer.
    mutating func addPendingRenewal(_ purchase: ReceiptView.Purchase, now: Date) {
        let isExpired = purchase.facts.expirationDate.map { $0 <= now } ?? false
        field("product_id", purchase.facts.productID)
        field("auto_renew_product_id", purchase.facts.productID)
        field("original_transaction_id", purchase.facts.originalTransactionID)
        field("auto_renew_status", isExpired ? "0" : "1")
        field("expiration_intent", isExpired ? "1" : nil)
        field("is_in_billing_retry_period", isExpired ? "0" : nil)
    }

    /// The same from what Apple says of the next renewal.
    mutating func addPendingRenewal(_ renewal: SimulatedRenewalInfo) {
        field("product_id", renewal.productId)
        field("auto_renew_product_id", renewal.autoRenewProductId)
        field("original_transaction_id", renewal.originalTransactionId)
        field("auto_renew_status", String(renewal.autoRenewStatus))
        field("expiration_intent", renewal.expirationIntent.map { String($0) })
        field("is_in_billing_retry_period", renewal.isInBillingRetryPeriod.map { $0 ? "1" : "0" })
        addDate(
            "grace_period_expires_date", "grace_period_expires_date_ms", "grace_period_expires_date_pst",
            renewal.gracePeriodExpiresDate)
        field("price_increase_status", renewal.priceIncreaseStatus.map { String($0) })
        if renewal.offerType == 2 { field("promotional_offer_id", renewal.offerIdentifier) }
    }

    /// A moment in Apple's three forms, or nothing at all.
    private mutating func addDate(
        _ name: StaticString, _ milliseconds: StaticString, _ pacific: StaticString, _ date: Date?
    ) {
        guard let date else { return }
        field(name, date.greenwichText)
        field(milliseconds, String(date.milliseconds))
        field(pacific, date.pacificText)
    }
}
