// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import SwiftASN1
import X509

/// What goes into one certificate of a chain of Apple's shape.
struct CertificateRecipe {
    /// The place in the chain; it decides name, key usage and basic constraints.
    enum Role {
        case root
        case intermediate
        case leaf

        var name: DistinguishedName {
            get throws {
                try DistinguishedName {
                    CommonName(commonName)
                    OrganizationName("App Store Simulator")
                    CountryName("US")
                }
            }
        }

        private var commonName: String {
            switch self {
            case .root: "Simulated Root CA"
            case .intermediate: "Simulated Developer Relations Certification Authority"
            case .leaf: "Simulated Receipt Signing"
            }
        }
    }

    var role: Role
    var publicKey: Certificate.PublicKey
    var issuer: Role
    var issuerKey: Certificate.PrivateKey
    var validity: ClosedRange<Date>
    /// Apple's marker extension; it is not critical, and its value is NULL.
    var marker: ASN1ObjectIdentifier?
    var isAuthority: Bool

    init(
        _ role: Role,
        key: Certificate.PublicKey,
        issuedBy issuer: Role,
        with issuerKey: Certificate.PrivateKey,
        validity: ClosedRange<Date>
    ) {
        self.role = role
        publicKey = key
        self.issuer = issuer
        self.issuerKey = issuerKey
        self.validity = validity
        isAuthority = role != .leaf
        marker =
            switch role {
            case .root: nil
            case .intermediate: .appleDeveloperRelations
            case .leaf: .appleReceiptSigning
            }
    }

    /// The certificate, signed with the hash that fits the issuer's curve (SHA-384 for P-384).
    func makeCertificate() throws -> Certificate {
        try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: publicKey,
            notValidBefore: validity.lowerBound,
            notValidAfter: validity.upperBound,
            issuer: issuer.name,
            subject: role.name,
            extensions: makeExtensions(),
            issuerPrivateKey: issuerKey
        )
    }

    /// Apple's extensions in Apple's order, so that texts have the length of Apple's.
    private func makeExtensions() throws -> Certificate.Extensions {
        let usage = Critical(KeyUsage(digitalSignature: role == .leaf, keyCertSign: role != .leaf, cRLSign: role != .leaf))
        let keyIdentifier = SubjectKeyIdentifier(hash: publicKey)
        let issuerIdentifier = AuthorityKeyIdentifier(
            keyIdentifier: SubjectKeyIdentifier(hash: issuerKey.publicKey).keyIdentifier)
        var extensions =
            switch role {
            case .root:
                try Certificate.Extensions {
                    keyIdentifier
                    basicConstraints
                    usage
                }
            case .intermediate:
                try Certificate.Extensions {
                    basicConstraints
                    issuerIdentifier
                    RecipeExtensions.authorityInformation(isOfLeaf: false)
                    try RecipeExtensions.revocationList()
                    keyIdentifier
                    usage
                }
            case .leaf:
                try Certificate.Extensions {
                    basicConstraints
                    issuerIdentifier
                    RecipeExtensions.authorityInformation(isOfLeaf: true)
                    try RecipeExtensions.policies()
                    keyIdentifier
                    usage
                }
            }
        if let marker {
            try extensions.append(Certificate.Extension(oid: marker, critical: false, value: [0x05, 0x00]))
        }
        return extensions
    }

    /// The root sets no bound, and the intermediate issues leaves only.
    private var basicConstraints: Critical<BasicConstraints> {
        Critical(isAuthority ? .isCertificateAuthority(maxPathLength: role == .root ? nil : 0) : .notCertificateAuthority)
    }
}
