// SPDX-License-Identifier: Apache-2.0

import AppStore
import AppStoreSimulator
import Crypto
import FoundationEssentials
import Verification
import X509

/// A chain of Apple's shape whose certificates say what a test wants them to, for what the simulator doesn't forge.
struct HandmadeChain {
    private let leafKey = P256.Signing.PrivateKey()
    private let certificates: [[UInt8]]

    init(leafUsage: KeyUsage?, intermediateUsage: KeyUsage?) throws {
        let rootKey = Certificate.PrivateKey(P384.Signing.PrivateKey())
        let intermediateKey = Certificate.PrivateKey(P384.Signing.PrivateKey())
        let authority = Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
        certificates = try [
            Self.certificate("Leaf", Certificate.PublicKey(leafKey.publicKey), "Intermediate", intermediateKey) {
                Certificate.Extension(oid: .appleReceiptSigning, critical: false, value: [5, 0])
                if let leafUsage { Critical(leafUsage) }
            },
            Self.certificate("Intermediate", intermediateKey.publicKey, "Root", rootKey) {
                authority
                Certificate.Extension(oid: .appleDeveloperRelations, critical: false, value: [5, 0])
                if let intermediateUsage { Critical(intermediateUsage) }
            },
            Self.certificate("Root", rootKey.publicKey, "Root", rootKey) { authority },
        ]
    }

    /// A verifier that trusts the chain's root for the simulated app.
    func verifier() throws -> SignedTransactionVerifier {
        SignedTransactionVerifier(
            anchors: TrustAnchors(further: [
                try ExtraRoot(certificate: certificates[2], bundleIDs: [SigningFixture.bundleID])
            ])
        )
    }

    /// The payload, signed by the leaf; `more` is put into the header, and ends with a comma.
    func sign(_ payload: String, header more: String = "") throws -> String {
        let x5c = certificates.map { "\"" + Data($0).base64EncodedString() + "\"" }.joined(separator: ",")
        let header = #"{\#(more)"alg":"ES256","x5c":[\#(x5c)]}"#
        let input = [header, payload].map { Self.base64URL(Data($0.utf8)) }.joined(separator: ".")
        return input + "." + Self.base64URL(try leafKey.signature(for: Data(input.utf8)).rawRepresentation)
    }

    private static func certificate(
        _ subject: String, _ key: Certificate.PublicKey, _ issuer: String, _ issuerKey: Certificate.PrivateKey,
        @ExtensionsBuilder _ extensions: () throws -> Result<Certificate.Extensions, any Error>
    ) throws -> [UInt8] {
        try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key,
            notValidBefore: Date().addingTimeInterval(-86_400), notValidAfter: Date().addingTimeInterval(86_400),
            issuer: DistinguishedName { CommonName(issuer) }, subject: DistinguishedName { CommonName(subject) },
            signatureAlgorithm: .ecdsaWithSHA384, extensions: Certificate.Extensions(builder: extensions),
            issuerPrivateKey: issuerKey
        ).derBytes
    }

    private static func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
