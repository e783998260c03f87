// SPDX-License-Identifier: Apache-2.0

import AppStore
import AppStoreSimulator
import FoundationEssentials
import Testing
import Verification

/// Damage everywhere and at random: nothing crashes, and nothing that is damaged is taken for genuine. A root that came with a
/// receipt may be damaged beyond its name: it isn't needed then.
@Suite
struct ReceiptDamageTests {
    let genuine: [UInt8]
    let verifier: AppReceiptVerifier

    /// Where the root stands in it.
    let root: Range<Int>

    init() throws {
        let fixture = try ReceiptFixture()
        genuine = try ReceiptFixture.receipt(of: 2).signedBytes(by: fixture.authority)
        verifier = try fixture.verifier()
        root = try #require(Data(genuine).firstRange(of: Data(fixture.authority.rootCertificateDER)))
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
    func noFlippedBitVerifiesButOfTheRootsName() async {
        let honest = await purchases(genuine)
        var verified: [Int] = []

        for index in genuine.indices {
            var changed = genuine
            changed[index] ^= 1 << (index % 8)
            guard let shown = await purchases(changed) else { continue }
            if !root.contains(index) || shown != honest { verified.append(index) }
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
            // Outside of the root every byte counts.
            let isWhole = damaged.starts(with: genuine[..<root.lowerBound]) && damaged.suffix(300).elementsEqual(genuine.suffix(300))
            if !isWhole || shown != honest { verified += 1 }
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
