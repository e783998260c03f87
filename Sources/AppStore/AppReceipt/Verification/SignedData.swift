// SPDX-License-Identifier: Apache-2.0

import Verification

/// CMS SignedData (RFC 5652, section 5) in the one form that the App Store gives its receipts: content inside, three
/// certificates, one signer. Untrusted.
///
/// swift-certificates' own CMS refuses Apple's genuine receipts, because their sets are unsorted and their signature
/// algorithm names the key only.
struct SignedData {
    /// What is signed: the content of the inner OCTET STRING.
    let content: ArraySlice<UInt8>

    let signer: SignerInfo

    /// DER of leaf, intermediate and root, as the signer's and the certificates' names say.
    let certificates: [[UInt8]]

    /// - Throws: `Reason/unsupportedEnvironment` for BER's indefinite form, which Xcode's local testing makes and no
    ///   real store; `Reason/badCertificate` when the signer's certificate isn't there; `Reason/malformedProof` for
    ///   every other form, another number of certificates or signers included.
    init(_ bytes: [UInt8]) throws(Reason) {
        guard !bytes.starts(with: [Element.Tag.sequence, 0x80]) else { throw .unsupportedEnvironment }
        var fields = try Self.fields(of: bytes)
        // Version 1 is what this form has; others are for what isn't read here.
        guard try fields.element(Element.Tag.integer).number == 1 else { throw .malformedProof }
        let digests = try fields.content(Element.Tag.set)
        content = try Self.encapsulated(in: try fields.content(Element.Tag.sequence))
        let embedded = try Self.certificates(in: try fields.content(Element.Tag.context0))
        // Revocation lists, which the App Store doesn't send and which we don't read.
        _ = try fields.element(ifTagged: Element.Tag.context1)
        var signers = ElementReader(try fields.content(Element.Tag.set))
        signer = try SignerInfo(content: try signers.content(Element.Tag.sequence))
        guard signers.isAtEnd, fields.isAtEnd, try signer.isDigestListed(in: digests) else { throw .malformedProof }
        certificates = try EmbeddedCertificate.chain(of: signer, among: embedded)
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

    private static func certificates(in set: ArraySlice<UInt8>) throws(Reason) -> [EmbeddedCertificate] {
        var set = ElementReader(set)
        var elements: [Element] = []
        while let element = try set.next() {
            guard elements.count < 3 else { throw .malformedProof }
            elements.append(element)
        }
        guard elements.count == 3 else { throw .malformedProof }
        var certificates: [EmbeddedCertificate] = []
        for element in elements {
            certificates.append(try EmbeddedCertificate(element))
        }
        return certificates
    }
}
