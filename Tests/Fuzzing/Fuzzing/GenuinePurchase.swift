// SPDX-License-Identifier: Apache-2.0

package import AppStore
package import Verification

/// What all purchases that the specimens' authority signs have in common, so that anything else that verifies is known
/// to be false without a list of what was signed.
package enum GenuinePurchase {
    package static let bundleID = BundleID(rawValue: "com.example.app")
    package static let productID = ProductID(rawValue: "com.example.app.genuine")

    /// What forged specimens are for.
    package static let forgedProductID = ProductID(rawValue: "com.example.app.forged")

    package static let quantity = 7
    package static let transactionIDs = ["430000000000001", "430000000000002", "430000000000003"]

    /// Whether a transaction is one that was signed.
    package static func includes(_ transaction: Transaction) -> Bool {
        transaction.bundleID == bundleID && transaction.productID == productID && transaction.quantity == quantity
            && transactionIDs.contains(transaction.id.rawValue) && transaction.originalID == transaction.id
            && transaction.environment == .production && transaction.revocation == nil
    }

    /// Whether what is shown of a purchase is of one that was signed.
    package static func includes(_ purchase: ProofInspection.Purchase) -> Bool {
        purchase.productID == productID && purchase.quantity == quantity && purchase.revocationDate == nil
            && transactionIDs.contains(purchase.transactionID.rawValue)
    }
}
