// SPDX-License-Identifier: Apache-2.0

import AppStore
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

    /// Whoever holds the key of such a certificate is the App Store all the same.
    @Test(
        arguments: [
            (issues, issues, "certificate does not allow its key to sign"),
            (signs, signs, "intermediate certificate does not allow its key to sign certificates"),
            (KeyUsage(keyEncipherment: true), nil, "certificate does not allow its key to sign"),
        ] as [(KeyUsage?, KeyUsage?, String)])
    func keyUsedForWhatItsCertificateForbidsIsLeftToAnOperator(
        leaf: KeyUsage?, intermediate: KeyUsage?, fault: String
    ) async throws {
        let chain = try HandmadeChain(leafUsage: leaf, intermediateUsage: intermediate)

        let contents = try await chain.verifier().contents(of: try chain.sign(PayloadText.json()))

        guard case .odd(let odd) = contents else {
            Issue.record("not odd")
            return
        }
        #expect(odd.faults == [fault])
        #expect(odd.rest?.id.rawValue == "430000000000001")
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
