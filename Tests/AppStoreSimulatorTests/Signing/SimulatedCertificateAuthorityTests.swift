// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Crypto
import FoundationEssentials
import SwiftASN1
import Testing
@_spi(FixedExpiryValidationTime) import X509

@Suite struct SimulatedCertificateAuthorityTests {
    @Test func chainHasApplesShape() throws {
        let authority = try SimulatedCertificateAuthority()

        let (leaf, intermediate, root) = (authority.chain[0], authority.chain[1], authority.chain[2])

        #expect(authority.chain.count == 3)
        #expect(P256.Signing.PublicKey(leaf.publicKey) != nil)
        #expect(P384.Signing.PublicKey(intermediate.publicKey) != nil)
        #expect(P384.Signing.PublicKey(root.publicKey) != nil)
        #expect(authority.chain.allSatisfy { $0.signatureAlgorithm == .ecdsaWithSHA384 })
        #expect(leaf.issuer == intermediate.subject)
        #expect(intermediate.issuer == root.subject)
        #expect(root.issuer == root.subject)
    }

    @Test func markersAreNotCriticalAndOnTheRightCertificates() throws {
        let authority = try SimulatedCertificateAuthority()
        let leafOID: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]
        let intermediateOID: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]

        #expect(authority.chain.map { $0.extensions[oid: leafOID]?.critical } == [false, nil, nil])
        #expect(authority.chain.map { $0.extensions[oid: intermediateOID]?.critical } == [nil, false, nil])
        #expect(authority.chain[0].extensions[oid: leafOID]?.value == [0x05, 0x00])
    }

    @Test func chainIsValidForAnIndependentVerifier() async throws {
        let now = Date()
        let authority = try SimulatedCertificateAuthority(now: now)
        var verifier = Verifier(rootCertificates: CertificateStore([authority.chain[2]])) {
            RFC5280Policy(fixedExpiryValidationTime: now)
        }

        let result = await verifier.validate(
            leaf: authority.chain[0], intermediates: CertificateStore([authority.chain[1]]))

        guard case .validCertificate(let path) = result else {
            Issue.record("not valid: \(result)")
            return
        }
        #expect(path.elementsEqual(authority.chain))
    }

    @Test func certificatesAreValidFromTwoYearsAgo() throws {
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let year: TimeInterval = 365 * 86_400

        let authority = try SimulatedCertificateAuthority(now: now)

        #expect(authority.chain.map(\.notValidBefore) == Array(repeating: now.addingTimeInterval(-2 * year), count: 3))
        #expect(
            authority.chain.map(\.notValidAfter)
                == [2, 8, 8].map { now.addingTimeInterval($0 * year) })
    }

    @Test func fingerprintIsTheHashOfTheRootInTheToken() throws {
        let authority = try SimulatedCertificateAuthority()
        struct Header: Decodable { var x5c: [String] }

        let token = try SimulatedTransaction(productId: "coins").signedTransaction(by: authority)

        let first = try #require(token.split(separator: ".").first)
        let header = try #require(TokenInspection.json(String(first), as: Header.self))
        let root = try #require(Data(base64Encoded: header.x5c[2]))
        let digits = SHA256.hash(data: root).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(Array(root) == authority.rootCertificateDER)
        #expect(digits == authority.rootCertificateSHA256)
    }
}
