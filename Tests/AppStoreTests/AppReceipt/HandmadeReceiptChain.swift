// SPDX-License-Identifier: Apache-2.0

import AppStore
import Crypto
import CryptoExtras
import FoundationEssentials
import Verification
import X509

@testable import AppStoreSimulator

/// A chain for receipts with all keys of RSA, the root signed with SHA-1, as Apple's is.
struct HandmadeReceiptChain {
    private let leafKey: _RSA.Signing.PrivateKey
    private let certificates: [Certificate]

    init() throws {
        leafKey = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let intermediateKey = Certificate.PrivateKey(try _RSA.Signing.PrivateKey(keySize: .bits2048))
        let rootKey = Certificate.PrivateKey(try _RSA.Signing.PrivateKey(keySize: .bits2048))
        let authority = Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
        certificates = [
            try Self.certificate("Leaf", Certificate.PublicKey(leafKey.publicKey), "Intermediate", intermediateKey) {
                Certificate.Extension(oid: .appleReceiptSigning, critical: false, value: [5, 0])
                Critical(KeyUsage(digitalSignature: true))
            },
            try Self.certificate("Intermediate", intermediateKey.publicKey, "Root", rootKey) {
                authority
                Certificate.Extension(oid: .appleDeveloperRelations, critical: false, value: [5, 0])
            },
            try Self.certificate("Root", rootKey.publicKey, "Root", rootKey, .sha1WithRSAEncryption) { authority },
        ]
    }

    /// A verifier that trusts the chain's root for the simulated app.
    func verifier() throws -> AppReceiptVerifier {
        let root = try ExtraRoot(certificate: certificates[2].derBytes, bundleIDs: [ReceiptFixture.bundleID])
        return AppReceiptVerifier(anchors: TrustAnchors(further: [root]))
    }

    func sign(_ content: [UInt8]) throws -> String {
        let container = ReceiptContainer(
            content: content, certificates: try certificates.map { try $0.derBytes },
            signers: [
                ReceiptContainer.Signer(
                    identifier: try ReceiptContainer.Signer.identifier(of: certificates[0]),
                    digest: ReceiptSignature.Digest.sha256.name, algorithm: .rsaEncryption,
                    signature: try ReceiptSignature.Digest.sha256.signature(over: content, by: leafKey))
            ])
        return Data(try container.encoded()).base64EncodedString()
    }

    private static func certificate(
        _ subject: String, _ key: Certificate.PublicKey, _ issuer: String, _ issuerKey: Certificate.PrivateKey,
        _ algorithm: Certificate.SignatureAlgorithm = .sha256WithRSAEncryption,
        @ExtensionsBuilder _ extensions: () throws -> Result<Certificate.Extensions, any Error>
    ) throws -> Certificate {
        try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key,
            notValidBefore: Date().addingTimeInterval(-2 * ReceiptFixture.year),
            notValidAfter: Date().addingTimeInterval(ReceiptFixture.year),
            issuer: DistinguishedName { CommonName(issuer) }, subject: DistinguishedName { CommonName(subject) },
            signatureAlgorithm: algorithm, extensions: Certificate.Extensions(builder: extensions),
            issuerPrivateKey: issuerKey)
    }
}
