// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import Verification

/// Who signed a receipt and how: CMS SignerInfo (RFC 5652, section 5.3). Untrusted.
struct SignerInfo {
    /// The Name of the authority that issued the signer's certificate, as an element.
    let issuer: ArraySlice<UInt8>

    /// The content of that certificate's serial number.
    let serialNumber: ArraySlice<UInt8>

    private let digest: ReceiptDigest

    /// The element of the signed attributes; nil when the signature is directly over the content, as in Apple's.
    private let signedAttributes: Element?

    private let signature: ArraySlice<UInt8>

    /// - Throws: `Reason/malformedProof`, also for another algorithm than RSA with PKCS #1 v1.5 and a ``ReceiptDigest``.
    init(content: ArraySlice<UInt8>) throws(Reason) {
        var signer = ElementReader(content)
        guard try signer.element(Element.Tag.integer).number == 1 else { throw .malformedProof }
        var identifier = ElementReader(try signer.content(Element.Tag.sequence))
        issuer = try identifier.element(Element.Tag.sequence).encoded
        serialNumber = try identifier.content(Element.Tag.integer)
        digest = try ReceiptDigest(algorithm: try signer.content(Element.Tag.sequence))
        signedAttributes = try signer.element(ifTagged: Element.Tag.context0)
        guard try digest.isUsed(bySignatureAlgorithm: try signer.content(Element.Tag.sequence)) else {
            throw .malformedProof
        }
        signature = try signer.content(Element.Tag.octetString)
        // Attributes that nobody signed say nothing; they are passed over.
        _ = try signer.element(ifTagged: Element.Tag.context1)
        guard identifier.isAtEnd, signer.isAtEnd else { throw .malformedProof }
    }

    /// Whether the digests that SignedData says its signers use are the signer's own and nothing else.
    ///
    /// - Throws: `Reason/malformedProof`.
    func isDigestListed(in set: ArraySlice<UInt8>) throws(Reason) -> Bool {
        var algorithms = ElementReader(set)
        let listed = try ReceiptDigest(algorithm: try algorithms.content(Element.Tag.sequence))
        return listed == digest && algorithms.isAtEnd
    }

    /// Whether the holder of `key` signed `content`.
    ///
    /// With signed attributes the signature is over those, written as the SET that they are, and they must name the
    /// content's digest and its type (RFC 5652, section 5.4). Content can't be passed off as attributes, nor the other
    /// way round: a receipt's attributes begin with a number, CMS attributes with an object identifier.
    ///
    /// - Parameter attributeLimit: how many signed attributes are looked at.
    /// - Throws: `Reason/malformedProof` for attributes without form; `Reason/proofTooLarge` for too many.
    func isSignature(
        over content: ArraySlice<UInt8>, by key: _RSA.Signing.PublicKey, attributeLimit: Int
    ) throws(Reason) -> Bool {
        guard let signedAttributes else { return isValid(for: content, by: key) }
        let attributes = try SignedAttributes(signedAttributes.content, limit: attributeLimit)
        guard attributes.contentType.elementsEqual(ObjectIdentifierBytes.data),
            digest.isDigest(attributes.messageDigest, of: content)
        else { return false }
        let signed = [Element.Tag.set] + signedAttributes.encoded.dropFirst()
        return isValid(for: signed[...], by: key)
    }

    private func isValid(for bytes: ArraySlice<UInt8>, by key: _RSA.Signing.PublicKey) -> Bool {
        let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
        return switch digest {
        case .sha1: key.isValidSignature(signature, for: Insecure.SHA1.hash(data: bytes), padding: .insecurePKCS1v1_5)
        case .sha256: key.isValidSignature(signature, for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5)
        case .sha384: key.isValidSignature(signature, for: SHA384.hash(data: bytes), padding: .insecurePKCS1v1_5)
        case .sha512: key.isValidSignature(signature, for: SHA512.hash(data: bytes), padding: .insecurePKCS1v1_5)
        }
    }
}
