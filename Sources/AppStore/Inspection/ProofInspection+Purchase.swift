// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import Verification

extension ProofInspection {
    /// A purchase from a proof; facts that the proof lacks are nil.
    package struct Purchase: Hashable, Sendable {
        package let transactionID: TransactionID
        package var originalTransactionID: TransactionID?
        package var productID: ProductID?
        package var quantity: Int?
        package var purchaseDate: Date?
        package var expiresDate: Date?
        package var revocationDate: Date?
        package var webOrderLineItemID: String?
        package var appAccountToken: UUID?
        package var isFamilyShared = false

        init(transactionID: TransactionID) {
            self.transactionID = transactionID
        }

        init(_ transaction: Transaction) {
            transactionID = transaction.id
            originalTransactionID = transaction.originalID
            productID = transaction.productID
            quantity = transaction.quantity
            purchaseDate = transaction.purchaseDate
            expiresDate = transaction.expiresDate
            revocationDate = transaction.revocation?.date
            webOrderLineItemID = transaction.webOrderLineItemID
            appAccountToken = transaction.appAccountToken
            isFamilyShared = transaction.ownership == .familyShared
        }
    }
}
