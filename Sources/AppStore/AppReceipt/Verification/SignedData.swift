// SPDX-License-Identifier: Apache-2.0

import Verification

/// CMS SignedData (RFC 5652, section 5) in the one form that the App Store gives its receipts: content inside, its
/// certificates, one signer. Untrusted.
///
/// swift-certificates' own CMS refuses Apple's genuine receipts, because their sets are unsorted and their signature
/// algorithm names the key only.
struct SignedData {
    /// What is signed: the content of the inner OCTET STRING.
    let content: ArraySlice<UInt8>

    let signer: SignerInfo

    /// In no order. Apple puts leaf, intermediate and root there.
    let certificates: [EmbeddedCertificate]

    /// - Throws: `Reason/badCertificate` for what is no certificate, or a larger one than the limits allow;
    ///   `Reason/proofTooLarge` for more certificates than that; `Reason/malformedProof` for every other form, another number
    ///   of signers and no certificate included.
    init(_ bytes: [UInt8], limits: AppReceiptLimits) throws(Reason) {
        var fields = try Self.fields(of: bytes)
        // Version 1 is what this form has; others are for what isn't read here.
        guard try fields.element(Element.Tag.integer).number == 1 else { throw .malformedProof }
        let digests = try fields.content(Element.Tag.set)
        content = try Self.encapsulated(in: try fields.content(Element.Tag.sequence))
        certificates = try Self.certificates(in: try fields.content(Element.Tag.context0), limits: limits)
        // Revocation lists, which the App Store doesn't send and which we don't read.
        _ = try fields.element(ifTagged: Element.Tag.context1)
        var signers = ElementReader(try fields.content(Element.Tag.set))
        signer = try SignerInfo(content: try signers.content(Element.Tag.sequence))
        guard signers.isAtEnd, fields.isAtEnd, try signer.isDigestListed(in: digests) else { throw .malformedProof }
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
        while let element = try set.next() {
            guard certificates.count < limits.certificates else { throw .proofTooLarge }
            guard element.encoded.count <= limits.certificateBytes else { throw .badCertificate }
            certificates.append(try EmbeddedCertificate(element))
        }
        guard !certificates.isEmpty else { throw .malformedProof }
        return certificates
    }
}
