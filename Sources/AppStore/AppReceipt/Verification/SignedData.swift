// SPDX-License-Identifier: Apache-2.0

import Verification

/// CMS SignedData (RFC 5652, section 5) in the form that the App Store gives its receipts, and in forms beside it: content inside,
/// its certificates, one signer or a few. Untrusted.
///
/// The digests that it lists are passed over: each signer names its own.
///
/// swift-certificates' own CMS refuses Apple's genuine receipts, because their sets are unsorted and their signature
/// algorithm names the key only.
struct SignedData {
    /// What is signed: the content of the inner OCTET STRING.
    let content: ArraySlice<UInt8>

    /// One or more.
    let signers: [SignerInfo]

    /// In no order. Apple puts leaf, intermediate and root there. What is no certificate is passed over.
    let certificates: [EmbeddedCertificate]

    /// Parts of the form that Apple's receipts never had so far, in words for ``OddProof/faults``. If the signature holds, an
    /// operator decides.
    let oddities: [String]

    /// - Throws: `Reason/badCertificate` for a larger certificate than the limits allow; `Reason/proofTooLarge` for more
    ///   certificates or signers than that; `Reason/malformedProof` for every other form, no signer and no certificate included.
    init(_ bytes: [UInt8], limits: AppReceiptLimits) throws(Reason) {
        var fields = try Self.fields(of: bytes)
        // Version 1 is what Apple's have. The others say what else may be there, and change nothing of what is.
        guard let version = try fields.element(Element.Tag.integer).number, (1...5).contains(version) else { throw .malformedProof }
        _ = try fields.content(Element.Tag.set)
        content = try Self.encapsulated(in: try fields.content(Element.Tag.sequence))
        certificates = try Self.certificates(in: try fields.content(Element.Tag.context0), limits: limits)
        // Revocation lists, which the App Store doesn't send and which we don't read.
        _ = try fields.element(ifTagged: Element.Tag.context1)
        signers = try Self.signers(in: try fields.content(Element.Tag.set), limits: limits)
        guard fields.isAtEnd else { throw .malformedProof }
        var oddities: [String] = []
        if version != 1 { oddities.append("container is of version \(version)") }
        if signers.count > 1 { oddities.append("container has \(signers.count) signers") }
        self.oddities = oddities
    }

    private static func signers(in set: ArraySlice<UInt8>, limits: AppReceiptLimits) throws(Reason) -> [SignerInfo] {
        var set = ElementReader(set)
        var signers: [SignerInfo] = []
        while !set.isAtEnd {
            guard signers.count < limits.signers else { throw .proofTooLarge }
            signers.append(try SignerInfo(content: try set.content(Element.Tag.sequence)))
        }
        guard !signers.isEmpty else { throw .malformedProof }
        return signers
    }

    /// The fields of SignedData, in a ContentInfo that fills the bytes exactly (RFC 5652, section 3).
    private static func fields(of bytes: [UInt8]) throws(Reason) -> ElementReader {
        var outer = ElementReader(bytes[...])
        var contentInfo = ElementReader(try outer.content(Element.Tag.sequence))
        guard outer.isAtEnd,
            try contentInfo.content(Element.Tag.objectIdentifier).elementsEqual(ObjectIdentifierBytes.signedData)
        else { throw .malformedProof }
        var explicit = ElementReader(try contentInfo.content(Element.Tag.context0))
        let signedData = try explicit.content(Element.Tag.sequence)
        guard contentInfo.isAtEnd, explicit.isAtEnd else { throw .malformedProof }
        return ElementReader(signedData)
    }

    /// The content of EncapsulatedContentInfo, which must be plain data and be there.
    private static func encapsulated(in info: ArraySlice<UInt8>) throws(Reason) -> ArraySlice<UInt8> {
        var info = ElementReader(info)
        guard try info.content(Element.Tag.objectIdentifier).elementsEqual(ObjectIdentifierBytes.data) else {
            throw .malformedProof
        }
        var explicit = ElementReader(try info.content(Element.Tag.context0))
        let content = try explicit.content(Element.Tag.octetString)
        guard info.isAtEnd, explicit.isAtEnd else { throw .malformedProof }
        return content
    }

    private static func certificates(
        in set: ArraySlice<UInt8>, limits: AppReceiptLimits
    ) throws(Reason) -> [EmbeddedCertificate] {
        var set = ElementReader(set)
        var certificates: [EmbeddedCertificate] = []
        var count = 0
        while let element = try set.next() {
            guard count < limits.certificates else { throw .proofTooLarge }
            guard element.encoded.count <= limits.certificateBytes else { throw .badCertificate }
            count += 1
            if let certificate = EmbeddedCertificate(element) { certificates.append(certificate) }
        }
        guard count > 0 else { throw .malformedProof }
        return certificates
    }
}
