// SPDX-License-Identifier: Apache-2.0

import Crypto
package import FoundationEssentials
package import NIOSSL
import SwiftASN1
import X509

/// A certificate for Apple's host names on the loopback, with the authority that issued it; both are made at run time.
package struct TransportIdentity: Sendable {
    /// The authority's certificate as PEM: what a client must trust in addition to reach the simulator.
    package let authorityPEM: String
    /// The server's certificate and key as PEM, for a server that reads files.
    package let certificatePEM: String
    package let keyPEM: String
    /// How a server presents the certificate: TLS 1.2 and later.
    package let serverConfiguration: TLSConfiguration

    package init(now: Date) throws {
        let validity = now.addingTimeInterval(-86_400)...now.addingTimeInterval(365 * 86_400)
        let authorityKey = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let authorityName = try DistinguishedName {
            CommonName("App Store Simulator TLS CA")
            OrganizationName("App Store Simulator")
        }
        let authority = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: authorityKey.publicKey,
            notValidBefore: validity.lowerBound,
            notValidAfter: validity.upperBound,
            issuer: authorityName,
            subject: authorityName,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                SubjectKeyIdentifier(hash: authorityKey.publicKey)
            },
            issuerPrivateKey: authorityKey
        )
        authorityPEM = try authority.serializeAsPEM().pemString

        let serverKey = P256.Signing.PrivateKey()
        let server = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(serverKey.publicKey),
            notValidBefore: validity.lowerBound,
            notValidAfter: validity.upperBound,
            issuer: authorityName,
            subject: try DistinguishedName { CommonName("App Store Simulator") },
            extensions: try Self.serverExtensions(
                key: Certificate.PublicKey(serverKey.publicKey), issuer: authorityKey),
            issuerPrivateKey: authorityKey
        )
        certificatePEM = try server.serializeAsPEM().pemString
        keyPEM = serverKey.pemRepresentation
        serverConfiguration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try NIOSSLCertificate(bytes: server.derBytes, format: .der))],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(serverKey.derRepresentation), format: .der))
        )
    }

    private static func serverExtensions(
        key: Certificate.PublicKey,
        issuer: Certificate.PrivateKey
    ) throws -> Certificate.Extensions {
        let names = SimulatedEnvironment.allCases.flatMap(\.hostNames) + ["localhost"]
        return try Certificate.Extensions {
            Critical(BasicConstraints.notCertificateAuthority)
            Critical(KeyUsage(digitalSignature: true))
            try ExtendedKeyUsage([.serverAuth])
            SubjectAlternativeNames(names.map { .dnsName($0) } + [.ipAddress(.init(contentBytes: [127, 0, 0, 1]))])
            AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: issuer.publicKey).keyIdentifier)
        }
    }
}
