// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A transaction as the control interface takes it: `productId`, and whatever else is to differ from a first purchase
/// made now, under Apple's names.
struct TransactionRequest: Decodable {
    var productId: String
    var bundleId: String?
    /// In Apple's words: `Consumable`, `Non-Consumable`, `Non-Renewing Subscription`, `Auto-Renewable Subscription`.
    var type: SimulatedProductType?
    /// `production` or `sandbox`, in any case.
    var environment: String?
    var quantity: Int?
    var transactionId: String?
    var originalTransactionId: String?
    var webOrderLineItemId: String?
    /// Whose it is; transactions with the same one are one customer's.
    var appTransactionId: String?
    var purchaseDate: Date?
    var originalPurchaseDate: Date?
    var expiresDate: Date?
    var signedDate: Date?
    var appAccountToken: UUID?
    var inAppOwnershipType: String?
    var transactionReason: String?
    var additionalTransactionReason: String?
    var price: Int64?
    var currency: String?
    var revocationDate: Date?
    var revocationReason: Int?
    var revocationType: String?
    var revocationPercentage: Int?
    var revokedSeatQuantity: Int?
    var isUpgraded: Bool?
    var upgradeDate: Date?
    var requestReferenceId: String?
    var offerType: Int?
    var offerIdentifier: String?
    var offerDiscountType: String?
    /// For signed transactions only; a receipt takes no notice.
    var forged: ForgedVariant?

    /// The transaction that is asked for; `bundle` and `environment` stand in for what the request leaves open.
    func makeTransaction(
        bundle: String? = nil, environment fallback: SimulatedEnvironment = .production
    ) throws -> SimulatedTransaction {
        var transaction = SimulatedTransaction(
            productId: productId,
            bundleId: bundleId ?? bundle ?? "com.example.app",
            type: type ?? .consumable,
            environment: try environment.map { try SimulatedEnvironment(requested: $0) } ?? fallback,
            quantity: quantity ?? 1,
            purchaseDate: purchaseDate ?? Date(),
            transactionId: transactionId,
            appAccountToken: appAccountToken
        )
        if let originalTransactionId { transaction.originalTransactionId = originalTransactionId }
        if let appTransactionId { transaction.appTransactionId = appTransactionId }
        if let webOrderLineItemId { transaction.webOrderLineItemId = webOrderLineItemId }
        if let originalPurchaseDate { transaction.originalPurchaseDate = originalPurchaseDate }
        if let expiresDate { transaction.expiresDate = expiresDate }
        if let signedDate { transaction.signedDate = signedDate }
        if let inAppOwnershipType { transaction.inAppOwnershipType = inAppOwnershipType }
        // A further period is Apple's doing, unless the request says that the customer bought it.
        let isFurtherPeriod = transaction.type == .autoRenewable && transaction.originalTransactionId != transaction.transactionId
        transaction.transactionReason = transactionReason ?? (isFurtherPeriod ? "RENEWAL" : "PURCHASE")
        transaction.additionalTransactionReason = additionalTransactionReason
        if let price { transaction.price = price }
        if let currency { transaction.currency = currency }
        transaction.revocationDate = revocationDate
        // Beside an upgrade a reason would make a refund of its date.
        transaction.revocationReason = revocationReason ?? (revocationDate == nil || isUpgraded == true ? nil : 0)
        transaction.revocationType = revocationType
        transaction.revocationPercentage = revocationPercentage
        transaction.revokedSeatQuantity = revokedSeatQuantity
        transaction.isUpgraded = isUpgraded
        transaction.upgradeDate = upgradeDate
        transaction.requestReferenceId = requestReferenceId
        transaction.offerType = offerType
        transaction.offerIdentifier = offerIdentifier
        transaction.offerDiscountType = offerDiscountType
        return transaction
    }
}

extension SimulatedEnvironment {
    /// The environment that a request of the control interface names.
    init(requested name: String) throws {
        guard let environment = SimulatedEnvironment(named: name) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: [], debugDescription: "environment is neither production nor sandbox"))
        }
        self = environment
    }
}
