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

    /// In Apple's order; the root names no other authority, and the intermediate issues leaves only.
    @Test func extensionsAreApples() throws {
        let chain = try SimulatedCertificateAuthority().chain
        let leafOID: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]
        let intermediateOID: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]
        let authorityKey: ASN1ObjectIdentifier = [2, 5, 29, 35]
        let information: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 1, 1]
        let (constraints, policies, revocations): (ASN1ObjectIdentifier, ASN1ObjectIdentifier, ASN1ObjectIdentifier) =
            ([2, 5, 29, 19], [2, 5, 29, 32], [2, 5, 29, 31])
        let (subjectKey, usage): (ASN1ObjectIdentifier, ASN1ObjectIdentifier) = ([2, 5, 29, 14], [2, 5, 29, 15])

        #expect(
            chain.map { $0.extensions.map(\.oid) } == [
                [constraints, authorityKey, information, policies, subjectKey, usage, leafOID],
                [constraints, authorityKey, information, revocations, subjectKey, usage, intermediateOID],
                [subjectKey, constraints, usage],
            ])
        #expect(
            chain.map { $0.extensions.filter(\.critical).map(\.oid) } == [
                [constraints, usage], [constraints, usage], [constraints, usage],
            ])
        #expect(try chain[1].extensions.basicConstraints == .isCertificateAuthority(maxPathLength: 0))
        #expect(try chain[2].extensions.basicConstraints == .isCertificateAuthority(maxPathLength: nil))
    }

    /// Apple's are of 4,966 to 5,546 characters.
    @Test func textsAreAsLongAsApples() throws {
        let authority = try SimulatedCertificateAuthority()
        let bought = SimulatedTransaction(productId: "com.example.app.subscription.month", type: .autoRenewable)

        let length = try bought.signedTransaction(by: authority).utf8.count

        #expect((4_700...5_700).contains(length))
    }

    @Test func newLeafSignsFromItsMomentOnAndOlderDatesKeepTheirs() async throws {
        let now = Date()
        let authority = try SimulatedCertificateAuthority(now: now)
        let copy = authority
        let first = authority.chain[0]
        try authority.replaceLeaf(at: now.addingTimeInterval(60))
        var bought = SimulatedTransaction(productId: "coins", purchaseDate: now)

        let old = try bought.signedTransaction(by: copy)
        bought.signedDate = now.addingTimeInterval(61)
        let new = try bought.signedTransaction(by: copy)

        #expect(copy.chain[0] == authority.chain[0] && copy.chain[0] != first)
        #expect(copy.chain.dropFirst().elementsEqual(authority.chain.dropFirst()))
        #expect(try Self.leaf(of: old) == first)
        #expect(try Self.leaf(of: new) == authority.chain[0])
        #expect(first.issuer == authority.chain[0].issuer && first.notValidAfter > authority.chain[0].notValidBefore)
        for (text, date) in [(old, now), (new, bought.signedDate)] {
            let inspection = try await TokenInspection(text, authority: authority, signedAt: date)
            #expect(inspection.findings == [])
        }
    }

    private static func leaf(of token: String) throws -> Certificate {
        struct Header: Decodable { var x5c: [String] }
        let header = try #require(TokenInspection.json(String(token.prefix { $0 != "." }), as: Header.self))
        return try Certificate(derEncoded: Array(try #require(Data(base64Encoded: header.x5c[0]))))
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
