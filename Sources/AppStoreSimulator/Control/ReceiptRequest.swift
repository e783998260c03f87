// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A receipt as the control interface takes it.
struct ReceiptRequest: Decodable {
    /// What was made.
    struct Made {
        var base64: String
        var id: ReceiptID
        var transactions: [SimulatedTransaction]
    }

    var bundleId: String?
    /// `production` or `sandbox`, in any case; default production.
    var environment: String?
    var inApp: [TransactionRequest]
    /// What is to be said of the receipt from the first call on.
    var program: ReceiptProgram?
    /// `sha256`, `sha1`, `sha384` or `sha512`; default `sha256`.
    var digest: ReceiptSignature.Digest?
    /// Makes it wrong in one way.
    var forged: ForgedReceiptVariant?

    /// Makes the receipt, signed by `authority`.
    func makeReceipt(by authority: SimulatedCertificateAuthority) throws -> Made {
        let bundle = bundleId ?? "com.example.app"
        let environment = try environment.map { try SimulatedEnvironment(requested: $0) } ?? .production
        let transactions = try inApp.map { try $0.makeTransaction(bundle: bundle, environment: environment) }
        let receipt = SimulatedReceipt(bundleId: bundle, environment: environment, transactions: transactions)
        var signature = ReceiptSignature()
        signature.digest = digest ?? .sha256
        return Made(
            base64: try receipt.signed(by: authority, as: signature, forged: forged), id: receipt.id,
            transactions: transactions)
    }
}
