// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// Apple's JWSTransactionDecodedPayload, with Apple's names, as far as a verdict needs it.
///
/// Decoding fails only when the JSON isn't an object. Every field may be missing, unknown fields are passed over, and
/// enumerations stay text: Apple adds to all of these without notice.
struct SignedTransactionPayload: Decodable {
    let transactionId: LenientField<String>
    let originalTransactionId: LenientField<String>
    let webOrderLineItemId: LenientField<String>
    let bundleId: LenientField<String>
    let productId: LenientField<String>
    let type: LenientField<String>
    let environment: LenientField<String>
    let inAppOwnershipType: LenientField<String>
    let additionalTransactionReason: LenientField<String>
    let quantity: LenientField<Int>
    let appAccountToken: LenientField<String>
    let purchaseDate: LenientField<AppleTime>
    let originalPurchaseDate: LenientField<AppleTime>
    let expiresDate: LenientField<AppleTime>
    let revocationDate: LenientField<AppleTime>
    let revocationType: LenientField<String>
    let revocationPercentage: LenientField<Int>
    let revocationReason: LenientField<Int>
    let isUpgraded: LenientField<Bool>
    let multiSeatInfo: LenientField<MultiSeatInfo>
    let advancedCommerceInfo: LenientField<AnyValue>
    let signedDate: LenientField<AppleTime>

    private enum CodingKeys: String, CodingKey {
        case transactionId, originalTransactionId, webOrderLineItemId, bundleId, productId, type, environment
        case inAppOwnershipType, additionalTransactionReason, quantity, appAccountToken, purchaseDate, originalPurchaseDate
        case expiresDate, revocationDate, revocationType, revocationPercentage, revocationReason, isUpgraded
        case multiSeatInfo, advancedCommerceInfo, signedDate
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        transactionId = LenientField(fields, .transactionId)
        originalTransactionId = LenientField(fields, .originalTransactionId)
        webOrderLineItemId = LenientField(fields, .webOrderLineItemId)
        bundleId = LenientField(fields, .bundleId)
        productId = LenientField(fields, .productId)
        type = LenientField(fields, .type)
        environment = LenientField(fields, .environment)
        inAppOwnershipType = LenientField(fields, .inAppOwnershipType)
        additionalTransactionReason = LenientField(fields, .additionalTransactionReason)
        quantity = LenientField(fields, .quantity)
        appAccountToken = LenientField(fields, .appAccountToken)
        purchaseDate = LenientField(fields, .purchaseDate)
        originalPurchaseDate = LenientField(fields, .originalPurchaseDate)
        expiresDate = LenientField(fields, .expiresDate)
        revocationDate = LenientField(fields, .revocationDate)
        revocationType = LenientField(fields, .revocationType)
        revocationPercentage = LenientField(fields, .revocationPercentage)
        revocationReason = LenientField(fields, .revocationReason)
        isUpgraded = LenientField(fields, .isUpgraded)
        multiSeatInfo = LenientField(fields, .multiSeatInfo)
        advancedCommerceInfo = LenientField(fields, .advancedCommerceInfo)
        signedDate = LenientField(fields, .signedDate)
    }
}

extension SignedTransactionPayload {
    /// The kind that `type` names; nil for a type that Apple added since.
    var productKind: ProductKind? {
        switch type.value {
        case "Consumable": .consumable
        case "Non-Consumable": .nonConsumable
        case "Non-Renewing Subscription": .nonRenewing
        case "Auto-Renewable Subscription": .autoRenewable
        default: nil
        }
    }

    /// The one of Apple's two real stores that it comes from; nil for Xcode, LocalTesting and all else.
    var storeEnvironment: AppStoreEnvironment? {
        AppStoreEnvironment(appleName: environment.value)
    }

    /// The transaction, in our terms; nil when a fact is missing, or unreadable where a wrong guess would cost money.
    ///
    /// An absent ownership counts as a purchase, and an absent quantity as one.
    func transaction(in environment: AppStoreEnvironment) -> Transaction? {
        guard let id = transactionId.value, let bundleID = bundleId.value, !bundleID.isEmpty,
            let productID = productId.value, !productID.isEmpty, let purchaseDate = purchaseDate.value,
            !originalTransactionId.isUnreadable, !webOrderLineItemId.isUnreadable, !quantity.isUnreadable,
            !revocationDate.isUnreadable, let token = accountToken
        else { return nil }
        let quantity = quantity.value ?? 1
        guard quantity >= 1 else { return nil }
        let originalID = originalTransactionId.value.flatMap { $0.isEmpty ? nil : $0 }
        return Transaction(
            bundleID: BundleID(rawValue: bundleID), environment: environment, id: TransactionID(rawValue: id),
            originalID: TransactionID(rawValue: originalID ?? id),
            webOrderLineItemID: webOrderLineItemId.value.flatMap { $0.isEmpty ? nil : $0 },
            productID: ProductID(rawValue: productID), productKind: productKind, quantity: quantity,
            purchaseDate: purchaseDate.date, expiresDate: expiresDate.value?.date,
            revocation: revocation, appAccountToken: token, ownership: Transaction.Ownership(appleName: inAppOwnershipType),
            originalPurchaseDate: originalPurchaseDate.value?.date, isAdvancedCommerce: !advancedCommerceInfo.isAbsent,
            additionalReason: Transaction.AdditionalReason(appleName: additionalTransactionReason)
        )
    }

    /// The token, if there is one; the outer nil means that there is one and it is no UUID.
    private var accountToken: UUID?? {
        switch appAccountToken {
        case .absent, .value(""): .some(nil)
        case .value(let text): UUID(uuidString: text).map(Optional.some)
        case .unreadable: nil
        }
    }
}
