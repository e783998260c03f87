// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import Verification

/// Who signed a receipt and how: CMS SignerInfo (RFC 5652, section 5.3). Untrusted.
struct SignerInfo {
    /// The name by which the signer's certificate is found.
    enum Identifier {
        /// The Name of the authority that issued it, and the content of its serial number. Apple's receipts have this.
        case issuer(CertificateName, serialNumber: ArraySlice<UInt8>)
        /// The identifier of its key.
        case key(ArraySlice<UInt8>)
    }

    let identifier: Identifier

    private let digest: ReceiptDigest
    private let algorithm: ReceiptSignatureAlgorithm

    /// The element of the signed attributes; nil when the signature is directly over the content, as in Apple's.
    private let signedAttributes: Element?

    private let signature: ArraySlice<UInt8>

    /// - Throws: `Reason/malformedProof`, also for another algorithm than a ``ReceiptSignatureAlgorithm`` with a ``ReceiptDigest``.
    init(content: ArraySlice<UInt8>) throws(Reason) {
        var signer = ElementReader(content)
        let version = try signer.element(Element.Tag.integer).number
        if let key = try signer.element(ifTagged: Element.Tag.context0Bytes) {
            guard version == 3 else { throw .malformedProof }
            identifier = .key(key.content)
        } else {
            guard version == 1 else { throw .malformedProof }
            var named = ElementReader(try signer.content(Element.Tag.sequence))
            guard let issuer = CertificateName(try named.element(Element.Tag.sequence).encoded) else { throw .malformedProof }
            identifier = .issuer(issuer, serialNumber: try named.content(Element.Tag.integer))
            guard named.isAtEnd else { throw .malformedProof }
        }
        digest = try ReceiptDigest(algorithm: try signer.content(Element.Tag.sequence))
        signedAttributes = try signer.element(ifTagged: Element.Tag.context0)
        algorithm = try ReceiptSignatureAlgorithm(content: try signer.content(Element.Tag.sequence), beside: digest)
        signature = try signer.content(Element.Tag.octetString)
        // Attributes that nobody signed say nothing; they are passed over.
        _ = try signer.element(ifTagged: Element.Tag.context1)
        guard signer.isAtEnd else { throw .malformedProof }
    }

    /// Parts of the form that Apple's receipts never had so far, in words for ``OddProof/faults``.
    var oddities: [String] {
        var oddities: [String] = []
        if case .key = identifier { oddities.append("signer is named by a key") }
        if algorithm.namesAnotherDigest { oddities.append("signature algorithm names another digest than its signer") }
        return oddities
    }

    /// Whether the holder of `key` signed `content`.
    ///
    /// With signed attributes the signature is over those, written as the SET that they are, and they must name the
    /// content's digest and its type (RFC 5652, section 5.4). Content can't be passed off as attributes, nor the other
    /// way round: a receipt's attributes begin with a number, CMS attributes with an object identifier.
    ///
    /// - Parameter attributeLimit: how many signed attributes are looked at.
    /// - Throws: `Reason/badCertificate` for a key of another kind than the algorithm's; `Reason/malformedProof` for attributes
    ///   without form; `Reason/proofTooLarge` for too many.
    func isSignature(
        over content: ArraySlice<UInt8>, by key: LeafKey, attributeLimit: Int
    ) throws(Reason) -> Bool {
        guard algorithm.fits(key) else { throw .badCertificate }
        guard let signedAttributes else { return isValid(for: content, by: key) }
        let attributes = try SignedAttributes(signedAttributes.content, limit: attributeLimit)
        guard attributes.contentType.elementsEqual(ObjectIdentifierBytes.data),
            digest.isDigest(attributes.messageDigest, of: content)
        else { return false }
        let signed = [Element.Tag.set] + signedAttributes.encoded.dropFirst()
        return isValid(for: signed[...], by: key)
    }

    private func isValid(for bytes: ArraySlice<UInt8>, by key: LeafKey) -> Bool {
        switch digest {
        case .sha1: isValid(forDigest: Insecure.SHA1.hash(data: bytes), by: key)
        case .sha256: isValid(forDigest: SHA256.hash(data: bytes), by: key)
        case .sha384: isValid(forDigest: SHA384.hash(data: bytes), by: key)
        case .sha512: isValid(forDigest: SHA512.hash(data: bytes), by: key)
        }
    }

    private func isValid(forDigest digest: some Digest, by key: LeafKey) -> Bool {
        switch key {
        case .rsa(let key):
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: digest, padding: .insecurePKCS1v1_5)
        case .p256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: digest)
        case .p384(let key):
            guard let signature = try? P384.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: digest)
        }
    }
}
