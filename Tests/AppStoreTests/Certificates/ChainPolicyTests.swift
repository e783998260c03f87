// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification
import X509

@Suite
struct ChainPolicyTests {
    private static let signs = KeyUsage(digitalSignature: true)
    private static let issues = KeyUsage(keyCertSign: true, cRLSign: true)

    @Test(arguments: [(signs, issues), (nil, issues), (signs, nil), (nil, nil)] as [(KeyUsage?, KeyUsage?)])
    func usesThatFitOrAreNotStatedAreFine(leaf: KeyUsage?, intermediate: KeyUsage?) async throws {
        let chain = try HandmadeChain(leafUsage: leaf, intermediateUsage: intermediate)

        let verdict = await SigningFixture.verdict(of: try chain.verifier(), on: try chain.sign(PayloadText.json()))

        #expect(throws: Never.self) { try verdict.get() }
    }

    @Test(
        arguments: [(issues, issues), (signs, signs), (KeyUsage(keyEncipherment: true), nil)]
            as [(KeyUsage?, KeyUsage?)])
    func keyUsedForWhatItsCertificateForbidsIsRefused(leaf: KeyUsage?, intermediate: KeyUsage?) async throws {
        let chain = try HandmadeChain(leafUsage: leaf, intermediateUsage: intermediate)

        let verdict = await SigningFixture.verdict(of: try chain.verifier(), on: try chain.sign(PayloadText.json()))

        #expect(verdict == .failure(.badCertificate))
    }

    @Test
    func headerWithExtensionsToBeUnderstoodIsMalformed() async throws {
        let chain = try HandmadeChain(leafUsage: Self.signs, intermediateUsage: Self.issues)
        let jws = try chain.sign(PayloadText.json(), header: #""crit":["b64"],"b64":false,"#)

        let verdict = await SigningFixture.verdict(of: try chain.verifier(), on: jws)

        #expect(verdict == .failure(.malformedProof))
    }

    @Test
    func headerMayHoldMoreThanApplesDoes() async throws {
        let chain = try HandmadeChain(leafUsage: Self.signs, intermediateUsage: Self.issues)
        let jws = try chain.sign(PayloadText.json(), header: #""typ":"JWT","kid":"ABCDEF0123","new":[1],"#)

        let verdict = await SigningFixture.verdict(of: try chain.verifier(), on: jws)

        #expect(throws: Never.self) { try verdict.get() }
    }
}
