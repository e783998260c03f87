// SPDX-License-Identifier: Apache-2.0

import Verification

/// An app receipt in the right form: signed data of one signer, three certificates, attributes of an app.
///
/// Untrusted until a validated chain has vouched for it. A class, because it is kept across a suspension.
final class SignedReceipt: Sendable {
    let facts: ReceiptFacts

    /// DER of leaf, intermediate and root, as the receipt claims them.
    var certificates: [[UInt8]] { signedData.certificates }

    private let signedData: SignedData
    private let limits: AppReceiptLimits

    /// - Throws: `Reason/malformedProof`, `Reason/proofTooLarge`, `Reason/badCertificate` or
    ///   `Reason/unsupportedEnvironment`, before any cryptography.
    init(_ bytes: [UInt8], limits: AppReceiptLimits) throws(Reason) {
        signedData = try SignedData(bytes)
        guard signedData.certificates.allSatisfy({ $0.count <= limits.certificateBytes }) else { throw .badCertificate }
        facts = try ReceiptFacts(signedData.content, limits: limits)
        self.limits = limits
    }

    /// The contents, if the chain's leaf signed them and the chain's root may speak for their app.
    ///
    /// - Throws: `Reason/untrustedRoot`, `Reason/badCertificate` for a key of another kind, `Reason/badSignature`,
    ///   `Reason/malformedProof` or `Reason/proofTooLarge` for its attributes, `Reason/unsupportedEnvironment`, or
    ///   `Reason/unknownAnswer` when it is genuine but names no app.
    func contents(verifiedBy chain: ValidatedChain) throws(Reason) -> AppReceiptContents {
        let bundleID = facts.bundleID.value.map(BundleID.init(rawValue:))
        guard chain.anchor.covers(bundleID) else { throw .untrustedRoot }
        guard case .rsa(let key) = chain.leafKey else { throw .badCertificate }
        guard
            try signedData.signer.isSignature(
                over: signedData.content, by: key, attributeLimit: limits.signedAttributes)
        else { throw .badSignature }
        guard let environment = facts.storeEnvironment else { throw .unsupportedEnvironment }
        guard let bundleID else { throw .unknownAnswer }
        return AppReceiptContents(facts, bundleID: bundleID, environment: environment, limits: limits)
    }
}
