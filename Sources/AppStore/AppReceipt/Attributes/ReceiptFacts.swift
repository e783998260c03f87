// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// A receipt's attributes of the app and of the receipt itself, and the bytes of its purchases. Untrusted until the
/// signature is known to be over these bytes.
///
/// An attribute that stands there twice with two values can't be read; only purchases repeat. Unknown types are passed over.
struct ReceiptFacts {
    private(set) var receiptType = LenientField<String>.absent
    private(set) var bundleID = LenientField<String>.absent
    private(set) var creationDate = LenientField<AppleTime>.absent
    private var applicationVersion = LenientField<String>.absent

    /// The value of each attribute that holds a purchase, in no order.
    private(set) var purchases: [ArraySlice<UInt8>] = []

    /// Nil for what is no set of attributes.
    ///
    /// - Throws: `Reason/proofTooLarge`.
    init?(ifReadable content: ArraySlice<UInt8>, limits: AppReceiptLimits) throws(Reason) {
        do {
            try self.init(content, limits: limits)
        } catch .malformedProof {
            return nil
        }
    }

    /// - Throws: `Reason/malformedProof`; `Reason/proofTooLarge` for more attributes or purchases than the limits allow.
    init(_ content: ArraySlice<UInt8>, limits: AppReceiptLimits) throws(Reason) {
        var attributes = try ReceiptAttributeReader(set: content)
        var others = 0
        var seen = SeenAttributes()
        while let attribute = try attributes.next() {
            guard attribute.type != ReceiptAttributeType.purchase else {
                guard purchases.count < limits.purchases else { throw .proofTooLarge }
                purchases.append(attribute.value)
                continue
            }
            others += 1
            guard others <= limits.attributes else { throw .proofTooLarge }
            let isOdd = seen.contradict(attribute)
            switch attribute.type {
            case ReceiptAttributeType.receiptType: receiptType.fill(with: attribute.text, isOdd: isOdd)
            case ReceiptAttributeType.bundleID: bundleID.fill(with: attribute.text, isOdd: isOdd)
            case ReceiptAttributeType.creationDate: creationDate.fill(with: attribute.moment, isOdd: isOdd)
            case ReceiptAttributeType.applicationVersion: applicationVersion.fill(with: attribute.text, isOdd: isOdd)
            default: continue
            }
        }
    }

    /// Every purchase that can be read, in no order. A receipt without purchases is as genuine as one with many.
    ///
    /// Purchases are skipped if an id, a product, a time or a quantity can't be read: see ``ReceiptPurchase``. A period that was
    /// cancelled for an upgrade is paid.
    func transactions(
        of bundleID: BundleID, in environment: AppStoreEnvironment, limits: AppReceiptLimits
    ) -> VerifiedTransactions {
        let readable = purchases.compactMap { set in
            ReceiptPurchase(set, attributeLimit: limits.attributes)?
                .transaction(of: bundleID, in: environment, asOf: creationDate.value?.date)
        }
        let upgrades = Upgrades(readable)
        let transactions = readable.map { upgrades.explain($0) ? $0.withoutRevocation() : $0 }
        return VerifiedTransactions(
            transactions, mayBeIncomplete: true, bundleID: bundleID, appVersion: applicationVersion.value.flatMap(AppVersion.init),
            skipped: purchases.count - transactions.count)
    }

    /// The facts of the receipt itself that no verdict can do without, and that can't be read.
    var faults: [String] {
        var faults: [String] = []
        if ProofOrigin(receiptType: receiptType) == .unknown {
            faults.append(receiptType.isAbsent ? "receipt type is missing" : "receipt type can't be read")
        }
        if bundleID.value == nil { faults.append(bundleID.isAbsent ? "bundle id is missing" : "bundle id can't be read") }
        if creationDate.isUnreadable { faults.append("creation date can't be read") }
        return faults
    }
}

extension LenientField {
    /// Takes a field's value unless there is one already. An odd one has two, so that none can be read.
    mutating func fill(with other: @autoclosure () -> LenientField, isOdd: Bool) {
        if isOdd { self = .unreadable } else if case .absent = self { self = other() }
    }
}
