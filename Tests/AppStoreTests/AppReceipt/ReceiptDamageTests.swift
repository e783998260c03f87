// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Testing
import Verification

@testable import AppStore

/// Damage everywhere and at random: nothing crashes, and nothing but what was signed is taken for genuine. What nobody signed and
/// decides nothing may be damaged: a root that came with a receipt, the list of digests, and the case of letters in the name that
/// finds the signer's certificate.
@Suite
struct ReceiptDamageTests {
    let genuine: [UInt8]
    let verifier: AppReceiptVerifier

    /// Where what nobody signed stands in it.
    let unsigned: [Range<Int>]

    init() throws {
        let fixture = try ReceiptFixture()
        genuine = try ReceiptFixture.receipt(of: 2).signedBytes(by: fixture.authority)
        verifier = try fixture.verifier()
        let leaf = try fixture.authority.receiptChain[0].derBytes
        // The list of one digest, SHA-256, as a SET of its name and NULL.
        let digests = ReceiptBytes.element(
            0x31, ReceiptBytes.element(0x30, [0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00]))
        var fields = ElementReader(leaf[...])
        var certificate = ElementReader(try fields.content(Element.Tag.sequence))
        var signed = ElementReader(try certificate.content(Element.Tag.sequence))
        for _ in 0..<3 { _ = try signed.next() }
        let issuer = Array(try signed.element(Element.Tag.sequence).encoded)
        unsigned = [
            try #require(Data(genuine).firstRange(of: Data(fixture.authority.rootCertificateDER))),
            try #require(Data(genuine).firstRange(of: Data(digests))),
            // The last one is the signer's.
            try #require(Data(genuine).ranges(of: Data(issuer)).last),
        ]
    }

    /// The purchases of a receipt that verifies.
    private func purchases(_ bytes: [UInt8]) async -> [Transaction]? {
        try? await ReceiptFixture.verdict(of: verifier, on: Data(bytes).base64EncodedString()).get()
    }

    private func verifies(_ bytes: [UInt8]) async -> Bool {
        await purchases(bytes) != nil
    }

    @Test
    func noPrefixVerifies() async {
        var verified: [Int] = []

        for count in 0..<genuine.count where await verifies(Array(genuine.prefix(count))) {
            verified.append(count)
        }

        #expect(await verifies(genuine))
        #expect(verified == [])
    }

    @Test
    func noFlippedBitVerifiesButOfWhatNobodySigned() async {
        let honest = await purchases(genuine)
        var verified: [Int] = []

        for index in genuine.indices {
            var changed = genuine
            changed[index] ^= 1 << (index % 8)
            guard let shown = await purchases(changed) else { continue }
            if !unsigned.contains(where: { $0.contains(index) }) || shown != honest { verified.append(index) }
        }

        #expect(verified == [])
    }

    /// Nothing signs the count of unused bits before a certificate's signature.
    @Test
    func certificateThatIsWrittenInAnotherWayIsRefused() async throws {
        var authority = try SimulatedCertificateAuthority()
        while try authority.receiptChain[0].derBytes.last?.isMultiple(of: 2) == false {
            authority = try SimulatedCertificateAuthority()
        }
        let root = try ExtraRoot(
            certificate: authority.rootCertificateDER, bundleIDs: [ReceiptFixture.bundleID])
        var receipt = Data(try ReceiptFixture.receipt().signedBytes(by: authority))
        let leaf = try #require(receipt.firstRange(of: try authority.receiptChain[0].derBytes))
        let unusedBits = leaf.upperBound - 257

        try #require(receipt[unusedBits] == 0)
        receipt[unusedBits] = 1

        let verifier = AppReceiptVerifier(anchors: TrustAnchors(further: [root]))
        #expect(
            await ReceiptFixture.verdict(of: verifier, on: receipt.base64EncodedString()) == .failure(.badCertificate))
    }

    @Test(arguments: [1, 2] as [UInt64])
    func damageAtRandomVerifiesNothingButWhatWasSigned(seed: UInt64) async {
        var mutator = Mutator(seed: seed)
        let honest = await purchases(genuine)
        var verified = 0

        for _ in 0..<3000 {
            let damaged = mutator.damaged(genuine)
            guard let shown = await purchases(damaged) else { continue }
            if shown != honest { verified += 1 }
        }

        #expect(verified == 0)
    }

    @Test(arguments: [3, 4] as [UInt64])
    func contentThatIsDamagedAndSignedIsReadWithoutHarm(seed: UInt64) async throws {
        var mutator = Mutator(seed: seed)
        let fixture = try ReceiptFixture()
        let content = ReceiptBytes.set(ReceiptBytes.app() + (0..<3).map { _ in ReceiptBytes.purchase([:]) })
        var most = 0

        for _ in 0..<500 {
            let receipt = Data(try fixture.authority.signReceipt(content: mutator.damaged(content)))
            let verdict = await ReceiptFixture.verdict(of: verifier, on: receipt.base64EncodedString())
            if case .success(let transactions) = verdict { most = max(most, transactions.count) }
        }

        #expect((1...3).contains(most))
    }
}
