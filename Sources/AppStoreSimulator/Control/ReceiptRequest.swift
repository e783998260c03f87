// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A receipt as the control interface takes it.
struct ReceiptRequest: Decodable {
    /// Which kind of receipt to make.
    enum Form: String, Decodable {
        /// An app receipt with any number of purchases.
        case app
        /// A receipt of the kind made up to iOS 6, with exactly one.
        case old
    }

    /// What was made.
    struct Made {
        var base64: String
        var id: ReceiptID
        var transactions: [SimulatedTransaction]
    }

    var bundleId: String?
    /// `production` or `sandbox`, in any case; default production.
    var environment: String?
    /// Default `app`.
    var form: Form?
    var inApp: [TransactionRequest]
    /// What is to be said of the receipt from the first call on.
    var program: ReceiptProgram?
    /// Of an app receipt: `sha256`, `sha1`, `sha384` or `sha512`; default `sha256`.
    var digest: ReceiptSignature.Digest?
    /// Makes an app receipt wrong in one way.
    var forged: ForgedReceiptVariant?

    /// Makes the receipt; `authority` signs it if it is an app receipt.
    func makeReceipt(by authority: SimulatedCertificateAuthority) throws -> Made {
        let bundle = bundleId ?? "com.example.app"
        let environment = try environment.map { try SimulatedEnvironment(requested: $0) } ?? .production
        let transactions = try inApp.map { try $0.makeTransaction(bundle: bundle, environment: environment) }
        if form == .old {
            guard let transaction = transactions.first, transactions.count == 1 else {
                throw DecodingError.dataCorrupted(
                    .init(codingPath: [], debugDescription: "an iOS 6 style receipt holds exactly one transaction"))
            }
            let receipt = SimulatedTransactionReceipt(transaction: transaction)
            return Made(base64: receipt.base64, id: receipt.id, transactions: transactions)
        }
        let receipt = SimulatedReceipt(bundleId: bundle, environment: environment, transactions: transactions)
        var signature = ReceiptSignature()
        signature.digest = digest ?? .sha256
        return Made(
            base64: try receipt.signed(by: authority, as: signature, forged: forged), id: receipt.id,
            transactions: transactions)
    }
}
