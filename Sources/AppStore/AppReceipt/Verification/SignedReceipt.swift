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

    /// Every purchase that can be read, if the chain's leaf signed them and the chain's root may speak for their app.
    ///
    /// - Throws: `Reason/untrustedRoot`, `Reason/badCertificate` for a key of another kind, `Reason/badSignature`,
    ///   `Reason/malformedProof` or `Reason/proofTooLarge` for its attributes, `Reason/unsupportedEnvironment`, or
    ///   `Reason/unknownAnswer` when it is genuine but names no app.
    func transactions(verifiedBy chain: ValidatedChain) throws(Reason) -> VerifiedTransactions {
        let bundleID = facts.bundleID.value.map(BundleID.init(rawValue:))
        guard chain.anchor.covers(bundleID) else { throw .untrustedRoot }
        guard case .rsa(let key) = chain.leafKey else { throw .badCertificate }
        guard
            try signedData.signer.isSignature(
                over: signedData.content, by: key, attributeLimit: limits.signedAttributes)
        else { throw .badSignature }
        guard let environment = facts.storeEnvironment else { throw .unsupportedEnvironment }
        guard let bundleID else { throw .unknownAnswer }
        return facts.transactions(of: bundleID, in: environment, limits: limits)
    }

    /// pkcs7-signedData, 1.2.840.113549.1.7.2, with its tag and length.
    private static let signedDataIdentifier: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]

    /// Whether bytes are one SEQUENCE that fills them exactly and names signed data as its content.
    ///
    /// Cheap; the signature is not looked at. A blob that was cut or mangled on its way to us stays bad, and Apple may refuse
    /// a whole one for a reason of its own: this is the difference between the two.
    static func hasShape(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 4, bytes[0] == 0x30, (0x81...0x84).contains(bytes[1]) else { return false }
        let start = 2 + Int(bytes[1] & 0x7F)
        guard bytes.count > start else { return false }
        let length = bytes[2..<start].reduce(0) { $0 << 8 | Int($1) }
        return bytes.count == start + length && bytes[start...].starts(with: signedDataIdentifier)
    }
}
