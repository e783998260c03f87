// SPDX-License-Identifier: Apache-2.0

import SwiftASN1
import X509

/// The container of a receipt: CMS SignedData (RFC 5652, section 5.1), its parts as they are to be written.
struct ReceiptContainer {
    /// One SignerInfo (RFC 5652, section 5.3).
    struct Signer {
        var version = 1
        /// An element: issuer and serial number, or what stands in their place.
        var identifier: [UInt8]
        var digest: ASN1ObjectIdentifier
        /// The content of the set of signed attributes; nil leaves them out.
        var attributes: [UInt8]?
        var algorithm: ASN1ObjectIdentifier
        var signature: [UInt8]
    }

    var contentType: ASN1ObjectIdentifier = .cmsData
    /// Nil leaves the content out.
    var content: [UInt8]?
    var digest = ReceiptSignature.Digest.sha256.name
    /// Nil leaves the field out.
    var certificates: [[UInt8]]?
    var signers: [Signer] = []

    func encoded() throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { contentInfo in
            try contentInfo.serialize(ASN1ObjectIdentifier.cmsSignedData)
            try contentInfo.appendConstructedNode(identifier: .explicitZero) { explicit in
                try explicit.appendConstructedNode(identifier: .sequence) { try append(to: &$0) }
            }
        }
        return serializer.serializedBytes
    }

    private func append(to signedData: inout DER.Serializer) throws {
        try signedData.serialize(1)
        try signedData.appendConstructedNode(identifier: .set) { try Self.append(algorithm: digest, to: &$0) }
        try signedData.appendConstructedNode(identifier: .sequence) { encapsulated in
            try encapsulated.serialize(contentType)
            guard let content else { return }
            try encapsulated.serialize(
                ASN1OctetString(contentBytes: content[...]), explicitlyTaggedWithIdentifier: .explicitZero)
        }
        if let certificates {
            signedData.appendConstructedNode(identifier: .explicitZero) { set in
                for certificate in certificates { set.serializeRawBytes(certificate) }
            }
        }
        try signedData.appendConstructedNode(identifier: .set) { set in
            for signer in signers { try Self.append(signer, to: &set) }
        }
    }

    private static func append(_ signer: Signer, to set: inout DER.Serializer) throws {
        try set.appendConstructedNode(identifier: .sequence) { info in
            try info.serialize(signer.version)
            info.serializeRawBytes(signer.identifier)
            try append(algorithm: signer.digest, to: &info)
            if let attributes = signer.attributes {
                info.appendConstructedNode(identifier: .explicitZero) { $0.serializeRawBytes(attributes) }
            }
            try append(algorithm: signer.algorithm, to: &info)
            try info.serialize(ASN1OctetString(contentBytes: signer.signature[...]))
        }
    }

    /// An AlgorithmIdentifier with NULL for parameters.
    private static func append(algorithm: ASN1ObjectIdentifier, to serializer: inout DER.Serializer) throws {
        try serializer.appendConstructedNode(identifier: .sequence) { sequence in
            try sequence.serialize(algorithm)
            try sequence.serialize(ASN1Null())
        }
    }
}

extension ReceiptContainer.Signer {
    /// Names a signer by its certificate's issuer and serial number.
    static func identifier(of certificate: Certificate) throws -> [UInt8] {
        try identifier(issuer: certificate.issuer, serialNumber: certificate.serialNumber)
    }

    static func identifier(
        issuer: DistinguishedName, serialNumber: Certificate.SerialNumber
    ) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { sequence in
            try sequence.serialize(issuer)
            try sequence.serialize(serialNumber.bytes)
        }
        return serializer.serializedBytes
    }
}

extension ASN1Identifier {
    /// `[0]`: explicit, or in place of a SET.
    static let explicitZero = ASN1Identifier(tagWithNumber: 0, tagClass: .contextSpecific)
}

extension ASN1ObjectIdentifier {
    static let cmsData: Self = [1, 2, 840, 113549, 1, 7, 1]
    static let cmsSignedData: Self = [1, 2, 840, 113549, 1, 7, 2]
    static let cmsContentType: Self = [1, 2, 840, 113549, 1, 9, 3]
    static let cmsMessageDigest: Self = [1, 2, 840, 113549, 1, 9, 4]
    static let cmsSigningTime: Self = [1, 2, 840, 113549, 1, 9, 5]
    static let rsaEncryption: Self = [1, 2, 840, 113549, 1, 1, 1]
}
