// SPDX-License-Identifier: Apache-2.0

/// What a client holds after a payment, recognised and repaired, not yet verified.
package enum Proof: Hashable, Sendable {
    /// StoreKit 2's compact JWS.
    case signedTransaction(String)
    /// The app receipt (PKCS#7), as standard base64 with padding.
    case appReceipt(String)
    /// A bare transaction id: a claim, proof of nothing by itself.
    case transactionID(TransactionID)

    package var kind: ProofKind {
        switch self {
        case .signedTransaction: .signedTransaction
        case .appReceipt: .appReceipt
        case .transactionID: .transactionID
        }
    }
}

/// The three kinds of proof.
package enum ProofKind: String, Hashable, Sendable, CaseIterable {
    case signedTransaction = "signed_transaction"
    case appReceipt = "app_receipt"
    case transactionID = "transaction_id"
}
