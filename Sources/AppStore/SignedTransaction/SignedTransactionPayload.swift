// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// Apple's JWSTransactionDecodedPayload, with Apple's names, as far as a verdict needs it: ``SignedTransactionField``.
///
/// Decoding fails only when the JSON isn't an object. Every field may be missing, unknown fields are passed over, and
/// enumerations stay text: Apple adds to all of these without notice.
struct SignedTransactionPayload: Decodable {
    let transactionId: LenientField<AppleIdentifier>
    let originalTransactionId: LenientField<AppleIdentifier>
    let webOrderLineItemId: LenientField<AppleIdentifier>
    let bundleId: LenientField<String>
    let productId: LenientField<String>
    let type: LenientField<String>
    let environment: LenientField<String>
    let inAppOwnershipType: LenientField<String>
    let additionalTransactionReason: LenientField<String>
    let transactionReason: LenientField<String>
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
    /// An app transaction's only date of its making; transactions lack it.
    let receiptCreationDate: LenientField<AppleTime>
    let price: LenientField<Int64>
    let currency: LenientField<String>
    let appTransactionId: LenientField<AppleIdentifier>
    let storefront: LenientField<String>
    let offerType: LenientField<Int>
    let offerIdentifier: LenientField<String>
    let offerPeriod: LenientField<String>
    let offerDiscountType: LenientField<String>
    let billingPlanType: LenientField<String>
    let commitmentInfo: LenientField<CommitmentInfo>

    /// Of a purchase that is paid for in parts.
    struct CommitmentInfo: Decodable, Sendable {
        let billingPeriodNumber: LenientField<Int>
        let totalBillingPeriods: LenientField<Int>
        let commitmentExpiresDate: LenientField<AppleTime>

        private enum CodingKeys: String, CodingKey {
            case billingPeriodNumber, totalBillingPeriods, commitmentExpiresDate
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            billingPeriodNumber = LenientField(fields, .billingPeriodNumber)
            totalBillingPeriods = LenientField(fields, .totalBillingPeriods)
            commitmentExpiresDate = LenientField(fields, .commitmentExpiresDate)
        }
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: SignedTransactionField.self)
        transactionId = LenientField(fields, .transactionId)
        originalTransactionId = LenientField(fields, .originalTransactionId)
        webOrderLineItemId = LenientField(fields, .webOrderLineItemId)
        bundleId = LenientField(fields, .bundleId)
        productId = LenientField(fields, .productId)
        type = LenientField(fields, .type)
        environment = LenientField(fields, .environment)
        inAppOwnershipType = LenientField(fields, .inAppOwnershipType)
        additionalTransactionReason = LenientField(fields, .additionalTransactionReason)
        transactionReason = LenientField(fields, .transactionReason)
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
        price = LenientField(fields, .price)
        currency = LenientField(fields, .currency)
        appTransactionId = LenientField(fields, .appTransactionId)
        storefront = LenientField(fields, .storefront)
        offerType = LenientField(fields, .offerType)
        offerIdentifier = LenientField(fields, .offerIdentifier)
        offerPeriod = LenientField(fields, .offerPeriod)
        offerDiscountType = LenientField(fields, .offerDiscountType)
        billingPlanType = LenientField(fields, .billingPlanType)
        commitmentInfo = LenientField(fields, .commitmentInfo)
        receiptCreationDate = LenientField(try decoder.container(keyedBy: AppTransactionField.self), .receiptCreationDate)
    }

    private enum AppTransactionField: String, CodingKey {
        case receiptCreationDate
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

    /// Who made the purchase; nil for a word that Apple added since.
    var purchaseReason: Transaction.PurchaseReason? {
        switch transactionReason.value {
        case "PURCHASE": .purchase
        case "RENEWAL": .renewal
        default: nil
        }
    }

    /// The transaction, in our terms, or the rest of an odd one. See ``SignedTransactionField`` for absent fields.
    ///
    /// - Returns: nil when an id, the app, the product, or any date to put the purchase at can't be read.
    func transaction(in environment: AppStoreEnvironment) -> Transaction? {
        guard let id = transactionId.value?.text, !id.isEmpty, let originalID = originalTransactionId.value?.text,
            !originalID.isEmpty, let bundleID = bundleId.value, !bundleID.isEmpty, let productID = productId.value,
            !productID.isEmpty, let purchaseDate = purchaseDate.value ?? signedDate.value
        else { return nil }
        return transaction(
            BundleID(rawValue: bundleID), in: environment, TransactionID(rawValue: id), of: TransactionID(rawValue: originalID),
            ProductID(rawValue: productID), at: purchaseDate)
    }

    private func transaction(
        _ bundleID: BundleID, in environment: AppStoreEnvironment, _ id: TransactionID, of originalID: TransactionID,
        _ productID: ProductID, at purchaseDate: AppleTime
    ) -> Transaction {
        Transaction(
            bundleID: bundleID, environment: environment, id: id, originalID: originalID,
            webOrderLineItemID: webOrderLineItemId.value.flatMap { $0.text.isEmpty ? nil : $0.text },
            productID: productID, productKind: productKind, quantity: max(1, quantity.value ?? 1),
            purchaseDate: purchaseDate.date, expiresDate: expiresDate.value?.date, endAsOf: signedDate.value?.date,
            revocation: revocation, appAccountToken: appAccountToken.value.flatMap(UUID.init(uuidString:)),
            ownership: Transaction.Ownership(appleName: inAppOwnershipType),
            originalPurchaseDate: originalPurchaseDate.value?.date, isAdvancedCommerce: !advancedCommerceInfo.isAbsent,
            additionalReason: Transaction.AdditionalReason(appleName: additionalTransactionReason),
            purchaseReason: purchaseReason, price: SignedPrice(milliunits: price.value, currency: currency.value),
            customerID: appTransactionId.value.flatMap { CustomerID($0.text) }, terms: terms
        )
    }

    /// The transaction that answers a question, with what it lacks taken from there: ``OddProof/completed(by:)``.
    func transaction(answering asked: OddProof.Asked) -> Transaction? {
        func text(_ field: LenientField<String>, or answered: String, mustEqual: Bool) -> String? {
            switch field {
            case .absent: answered
            case .value(let value) where !value.isEmpty && (!mustEqual || value == answered): value
            case .value, .unreadable: nil
            }
        }
        func id(_ field: LenientField<AppleIdentifier>, or answered: String) -> String? {
            switch field {
            case .absent: answered
            case .value(let value) where !value.text.isEmpty: value.text
            case .value, .unreadable: nil
            }
        }
        guard text(bundleId, or: asked.bundleID.rawValue, mustEqual: true) != nil,
            environment.isAbsent || ProofOrigin(environment: environment) == .store(asked.environment),
            let product = text(productId, or: asked.productID.rawValue, mustEqual: false),
            id(transactionId, or: asked.id.rawValue) == asked.id.rawValue,
            let original = id(originalTransactionId, or: asked.id.rawValue),
            let purchaseDate = purchaseDate.value ?? signedDate.value
        else { return nil }
        return transaction(
            asked.bundleID, in: asked.environment, asked.id, of: TransactionID(rawValue: original), ProductID(rawValue: product),
            at: purchaseDate)
    }

    private var terms: SignedTerms? {
        let commitment = commitmentInfo.value
        return SignedTerms(
            storefront: storefront.value, offerType: offerType.value, offerID: offerIdentifier.value,
            offerPeriod: offerPeriod.value,
            offerDiscount: offerDiscountType.value, billingPlan: billingPlanType.value,
            payment: (commitment?.billingPeriodNumber.value, commitment?.totalBillingPeriods.value),
            commitmentEndsAt: commitment?.commitmentExpiresDate.value?.date, hasSeats: multiSeatInfo.value != nil)
    }

    /// The facts that ``SignedTransactionField`` calls odd, but for the environment; none in what is to be verified.
    var faults: [String] {
        var faults: [String] = []
        func check<Value>(
            _ field: SignedTransactionField, _ value: LenientField<Value>, _ isReadable: (Value) -> Bool = { _ in true }
        ) {
            switch value {
            case .absent where field.mayBeAbsent: return
            case .absent: faults.append(field.fault(isAbsent: true))
            case .value(let value) where isReadable(value): return
            case .value, .unreadable: faults.append(field.fault(isAbsent: false))
            }
        }
        check(.transactionId, transactionId) { !$0.text.isEmpty }
        check(.originalTransactionId, originalTransactionId) { !$0.text.isEmpty }
        check(.webOrderLineItemId, webOrderLineItemId)
        check(.bundleId, bundleId) { !$0.isEmpty }
        check(.productId, productId) { !$0.isEmpty }
        check(.type, type) { _ in productKind != nil }
        check(.quantity, quantity) { $0 >= 1 }
        check(.purchaseDate, purchaseDate)
        check(.originalPurchaseDate, originalPurchaseDate)
        check(.expiresDate, expiresDate)
        check(.signedDate, signedDate)
        check(.appAccountToken, appAccountToken) { $0.isEmpty || UUID(uuidString: $0) != nil }
        check(.revocationDate, revocationDate)
        check(.isUpgraded, isUpgraded)
        check(.transactionReason, transactionReason) { _ in purchaseReason != nil }
        // Apple shares no consumable.
        switch Transaction.Ownership(appleName: inAppOwnershipType) {
        case .familyShared where productKind == .consumable, .assigned where productKind == .consumable:
            faults.append("\(SignedTransactionField.inAppOwnershipType.rawValue) of a consumable is shared")
        default: break
        }
        return faults
    }
}

extension SignedTransactionField {
    /// The field's name and what is wrong with it.
    func fault(isAbsent: Bool) -> String {
        rawValue + (isAbsent ? " is missing" : " can't be read")
    }
}
