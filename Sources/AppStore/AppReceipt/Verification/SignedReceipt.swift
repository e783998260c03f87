// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// An app receipt in the right form: signed data of a signer and some certificates, which should be attributes of an app.
///
/// Untrusted until a validated chain has vouched for it. A class, because it is kept across a suspension.
final class SignedReceipt: Sendable {
    /// Nil where the content is no set of attributes. Whether anybody signed that is judged first.
    let facts: ReceiptFacts?

    private let signedData: SignedData
    private let limits: AppReceiptLimits

    /// - Throws: `Reason/malformedProof`, `Reason/proofTooLarge` or `Reason/badCertificate`, before any cryptography.
    init(_ bytes: [UInt8], limits: AppReceiptLimits) throws(Reason) {
        signedData = try SignedData(bytes, limits: limits)
        facts = try ReceiptFacts(ifReadable: signedData.content, limits: limits)
        self.limits = limits
    }

    /// Who may have signed it; at least one.
    var signers: [SignerInfo] { signedData.signers }

    /// The signer's certificate and an intermediate, for each way in which these may be a chain; at least one.
    ///
    /// - Throws: `Reason/badCertificate` when there is none.
    func candidates(of signer: SignerInfo) throws(Reason) -> [CertificateChainVerifier.Candidate] {
        try EmbeddedCertificate.candidates(of: signer, among: signedData.certificates)
    }

    /// When the receipt says that it was made; `now` where it says nothing; nil where that can't be read.
    func creationDate(orNow now: Date) -> Date? {
        guard let facts, !facts.creationDate.isUnreadable else { return nil }
        return facts.creationDate.value?.date ?? now
    }

    /// Every purchase that can be read, if the signer's certificate signed them and the chain's root may speak for their app; or
    /// the facts of the receipt itself that can't be read, and what is odd about its form and its certificates.
    ///
    /// - Throws: `Reason/untrustedRoot`, `Reason/badCertificate` for a key of another kind, `Reason/badSignature`,
    ///   `Reason/malformedProof` or `Reason/proofTooLarge` for its signed attributes, or `Reason/unsupportedEnvironment`.
    func contents(signedBy signer: SignerInfo, verifiedBy chain: ValidatedChain, at date: Date?) throws(Reason) -> VerifiedProof {
        let bundleID = facts?.bundleID.value.map(BundleID.init(rawValue:))
        guard chain.anchor.covers(bundleID) else { throw .untrustedRoot }
        guard
            try signer.isSignature(
                over: signedData.content, by: chain.leafKey, attributeLimit: limits.signedAttributes)
        else { throw .badSignature }
        guard let facts else { return .odd(OddProof(["content is no set of attributes"])) }
        let origin = ProofOrigin(receiptType: facts.receiptType)
        guard origin != .xcode else { throw .unsupportedEnvironment }
        let faults = facts.faults + signedData.oddities + signer.oddities + chain.faults(at: date)
        guard faults.isEmpty, case .store(let environment) = origin, let bundleID else { return .odd(OddProof(faults)) }
        return .transactions(facts.transactions(of: bundleID, in: environment, limits: limits))
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
