// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Testing
import Verification

@testable import AppStore

/// Receipts in containers that Apple hasn't used so far: right, odd, and forged beside them.
@Suite
struct OddContainerTests {
    let fixture: ReceiptFixture

    init() throws {
        fixture = try ReceiptFixture()
    }

    private func contents(_ receipt: String) async throws -> VerifiedProof {
        try await fixture.verifier().contents(of: receipt)
    }

    private func signed(
        _ variant: ForgedReceiptVariant, by authority: SimulatedCertificateAuthority? = nil
    ) throws -> String {
        try ReceiptFixture.receipt().signed(by: authority ?? fixture.authority, forged: variant)
    }

    /// Some byte of the content is another one, and the form is the same.
    private func changed(_ variant: ForgedReceiptVariant) throws -> String {
        var bytes = Array(try #require(Data(base64Encoded: signed(variant))))
        let product = try #require(Data(bytes).firstRange(of: Data("com.example.app.coins".utf8)))
        bytes[product.upperBound - 1] ^= 1
        return Data(bytes).base64EncodedString()
    }

    @Test(arguments: [ForgedReceiptVariant.replacedRoot, .algorithmECDSA, .digestNotListed])
    func whatChangesNothingThatCountsIsVerified(variant: ForgedReceiptVariant) async throws {
        let found = try await contents(signed(variant)).transactions

        #expect(found.all.count == 1)
        #expect(found.skipped == 0)
    }

    @Test(arguments: [
        (ForgedReceiptVariant.twoSigners, ["container has 2 signers"]), (.signerByKeyIdentifier, ["signer is named by a key"]),
        (.algorithmOfOtherDigest, ["signature algorithm names another digest than its signer"]),
    ])
    func otherFormsAreLeftToAnOperatorByName(variant: ForgedReceiptVariant, faults: [String]) async throws {
        guard case .odd(let odd) = try await contents(signed(variant)) else {
            Issue.record("not odd")
            return
        }
        #expect(odd.faults == faults)
    }

    @Test(arguments: [
        ForgedReceiptVariant.replacedRoot, .algorithmECDSA, .digestNotListed, .twoSigners, .signerByKeyIdentifier,
        .algorithmOfOtherDigest,
    ])
    func forgeriesOfTheSameFormsAreForgeries(variant: ForgedReceiptVariant) async throws {
        let stranger = try SimulatedCertificateAuthority()
        let verifier = try fixture.verifier()

        #expect(await ReceiptFixture.verdict(of: verifier, on: try changed(variant)) == .failure(.badSignature))
        #expect(await ReceiptFixture.verdict(of: verifier, on: try signed(variant, by: stranger)) == .failure(.untrustedRoot))
    }

    @Test
    func versionOfTheContainerIsLeftToAnOperator() async throws {
        var bytes = Array(try #require(Data(base64Encoded: ReceiptFixture.receipt().signed(by: fixture.authority))))
        // The version stands behind the name of the content, and the heads of two elements.
        let place = try #require(Data(bytes).firstRange(of: Data([0x02, 0x01, 0x01, 0x31])))
        bytes[place.lowerBound + 2] = 3
        guard case .odd(let odd) = try await contents(Data(bytes).base64EncodedString()) else {
            Issue.record("not odd")
            return
        }
        #expect(odd.faults == ["container is of version 3"])

        bytes[place.lowerBound + 2] = 6
        let unknown = Data(bytes).base64EncodedString()
        #expect(await ReceiptFixture.verdict(of: try fixture.verifier(), on: unknown) == .failure(.malformedProof))
    }

    @Test
    func numberOfSignersIsALimit() async throws {
        var limits = AppReceiptLimits()
        limits.signers = 1

        let verdict = await ReceiptFixture.verdict(of: try fixture.verifier(limits: limits), on: try signed(.twoSigners))

        #expect(verdict == .failure(.proofTooLarge))
    }

    // MARK: Kinds

    /// Of all genuine receipts: 0 to 3. Any other number, and what can't be read, is no kind.
    @Test(arguments: [
        (ReceiptBytes.number(0), ProductKind.nonConsumable), (ReceiptBytes.number(1), .consumable),
        (ReceiptBytes.number(2), .nonRenewing), (ReceiptBytes.number(3), .autoRenewable), (ReceiptBytes.number(4), nil),
        (ReceiptBytes.number(0xFF), nil), (ReceiptBytes.text("1"), nil), (nil, nil),
    ] as [([UInt8]?, ProductKind?)])
    func productsKindIsReadOffItsType(type: [UInt8]?, kind: ProductKind?) async throws {
        let receipt = try fixture.signed(ReceiptBytes.app() + [ReceiptBytes.purchase([1707: type])])

        #expect(try await contents(receipt).transactions.all.map(\.productKind) == [kind])
    }

    @Test
    func typeThatStandsThereTwiceIsNoKind() async throws {
        func kind(_ second: UInt8) async throws -> [ProductKind?] {
            let attributes = ReceiptBytes.coins.map { ReceiptBytes.attribute($0.key, $0.value) }
            let types = [ReceiptBytes.number(1), ReceiptBytes.number(second)].map { ReceiptBytes.attribute(1707, $0) }
            let receipt = try fixture.signed(ReceiptBytes.app() + [ReceiptBytes.purchase(attributes + types)])
            return try await contents(receipt).transactions.all.map(\.productKind)
        }

        #expect(try await kind(1) == [.consumable])
        #expect(try await kind(0) == [nil])
    }
}
