// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Crypto
import FoundationEssentials
import Testing
import X509

@Suite struct ForgedVariantTests {
    private static let expected: [ForgedVariant: Set<TokenInspection.Finding>] = [
        .selfSigned: [.certificateCount, .chain],
        .foreignRoot: [.untrustedRoot, .chain],
        .replacedRoot: [.untrustedRoot],
        .wrongLeafOID: [.leafMarker],
        .missingLeafOID: [.leafMarker],
        .wrongIntermediateOID: [.intermediateMarker],
        .missingIntermediateOID: [.intermediateMarker],
        .twoCertificates: [.certificateCount],
        .fourCertificates: [.certificateCount],
        // With the root in first place, all that is asked of the leaf is asked of the root.
        .reversedCertificates: [.untrustedRoot, .leafMarker, .chain, .keyCurve, .signature],
        .expiredLeaf: [.validity],
        .notYetValidLeaf: [.validity],
        .expiredIntermediate: [.validity],
        .intermediateNotCA: [.chain],
        .leafSignedByRoot: [.chain],
        .leafKeyOnP384: [.keyCurve],
        .x5cBase64URL: [.certificateEncoding],
        .x5cNotBase64: [.certificateEncoding],
        .x5cNotCertificates: [.certificateForm],
        .x5cMissing: [.certificatesMissing],
        .x5cEmpty: [.certificateCount],
        .algNone: [.algorithm, .signatureForm],
        .algHS256: [.algorithm, .signatureForm],
        .algRS256: [.algorithm],
        .algMissing: [.algorithm],
        .payloadSwapped: [.signature],
        .signatureByOtherKey: [.signature],
        .signatureTruncated: [.signatureForm],
        .signatureDER: [.signatureForm],
        .emptyHeader: [.header],
        .emptyPayload: [.payload],
        .emptySignature: [.signatureForm],
        .twoParts: [.partCount],
        .fourParts: [.partCount],
        .headerNotJSON: [.header],
        .payloadNotJSON: [.payload],
        .xcodeEnvironment: [.environment],
        .localTestingEnvironment: [.environment],
        .xcodeSigned: [.environment, .certificateCount, .chain],
    ]

    @Test func honestTransactionHasNothingWrong() async throws {
        let authority = try SimulatedCertificateAuthority()
        let transaction = SimulatedTransaction(productId: "coins")

        let token = try transaction.signedTransaction(by: authority)

        let inspection = try await TokenInspection(token, authority: authority, signedAt: transaction.signedDate)
        #expect(inspection.findings == [])
    }

    @Test(arguments: ForgedVariant.allCases)
    func variantIsWrongOnlyInTheNamedWay(_ variant: ForgedVariant) async throws {
        let authority = try SimulatedCertificateAuthority()
        let transaction = SimulatedTransaction(productId: "coins")

        let token = try transaction.signedTransaction(by: authority, forged: variant)

        let inspection = try await TokenInspection(token, authority: authority, signedAt: transaction.signedDate)
        #expect(inspection.findings == Self.expected[variant])
    }

    @Test func hmacVariantIsKeyedWithTheLeafsPublicKey() throws {
        let authority = try SimulatedCertificateAuthority()
        let token = try SimulatedTransaction(productId: "coins").signedTransaction(by: authority, forged: .algHS256)

        let parts = token.split(separator: ".").map { String($0) }
        let leaf = try #require(P256.Signing.PublicKey(authority.chain[0].publicKey))
        let code = try #require(TokenInspection.base64URL(parts[2]))

        #expect(
            HMAC<SHA256>.isValidAuthenticationCode(
                code, authenticating: Data((parts[0] + "." + parts[1]).utf8),
                using: SymmetricKey(data: leaf.x963Representation)))
    }

    @Test func foreignChainBearsTheHonestNamesAndMarkers() throws {
        let authority = try SimulatedCertificateAuthority()
        let other = try SimulatedCertificateAuthority()

        #expect(authority.chain.map(\.subject) == other.chain.map(\.subject))
        #expect(authority.chain.map(\.issuer) == other.chain.map(\.issuer))
        #expect(authority.rootCertificateDER != other.rootCertificateDER)
    }
}
