// SPDX-License-Identifier: Apache-2.0

import AppStore
import AppStoreSimulator
import FoundationEssentials
import Testing
import Verification

@Suite
struct AppReceiptLimitsTests {
    let fixture: ReceiptFixture

    init() throws {
        fixture = try ReceiptFixture()
    }

    private func verdict(
        on base64: String, _ change: (inout AppReceiptLimits) -> Void
    ) async throws -> Result<Int, Reason> {
        var limits = AppReceiptLimits()
        change(&limits)
        return await ReceiptFixture.verdict(of: try fixture.verifier(limits: limits), on: base64).map(\.count)
    }

    @Test
    func bytesAreBounded() async throws {
        let receipt = try ReceiptFixture.receipt().signedBytes(by: fixture.authority)
        let base64 = Data(receipt).base64EncodedString()

        #expect(try await verdict(on: base64) { $0.bytes = receipt.count } == .success(1))
        #expect(try await verdict(on: base64) { $0.bytes = receipt.count - 1 } == .failure(.proofTooLarge))
    }

    @Test
    func whatIsTooLargeIsNotEvenDecoded() async throws {
        #expect(
            try await verdict(on: String(repeating: "*", count: 1_000_000)) { $0.bytes = 1000 }
                == .failure(.proofTooLarge))
    }

    @Test
    func purchasesAreBounded() async throws {
        let receipt = try ReceiptFixture.receipt(of: 5).signed(by: fixture.authority)

        #expect(try await verdict(on: receipt) { $0.purchases = 5 } == .success(5))
        #expect(try await verdict(on: receipt) { $0.purchases = 4 } == .failure(.proofTooLarge))
    }

    @Test
    func attributesOfTheAppAreBounded() async throws {
        let more = (100..<110).map { ReceiptBytes.attribute($0, []) }
        let receipt = try fixture.signed(ReceiptBytes.app() + more + [ReceiptBytes.purchase([:])])

        #expect(try await verdict(on: receipt) { $0.attributes = 13 } == .success(1))
        #expect(try await verdict(on: receipt) { $0.attributes = 12 } == .failure(.proofTooLarge))
    }

    @Test
    func purchaseWithTooManyAttributesIsPassedOver() async throws {
        let count = ReceiptBytes.coins.count
        let receipt = try fixture.signed(ReceiptBytes.app() + [ReceiptBytes.purchase([:])])

        #expect(try await verdict(on: receipt) { $0.attributes = count } == .success(1))
        #expect(try await verdict(on: receipt) { $0.attributes = count - 1 } == .success(0))
    }

    @Test
    func signedAttributesAreBounded() async throws {
        var signature = ReceiptSignature()
        signature.coversAttributes = true
        let receipt = try ReceiptFixture.receipt().signed(by: fixture.authority, as: signature)

        #expect(try await verdict(on: receipt) { $0.signedAttributes = 3 } == .success(1))
        #expect(try await verdict(on: receipt) { $0.signedAttributes = 2 } == .failure(.proofTooLarge))
    }

    @Test
    func certificatesAreBounded() async throws {
        let receipt = try ReceiptFixture.receipt().signed(by: fixture.authority)
        let largest = try fixture.authority.receiptChain.map { try $0.derBytes.count }.max() ?? 0

        #expect(try await verdict(on: receipt) { $0.certificateBytes = largest } == .success(1))
        #expect(try await verdict(on: receipt) { $0.certificateBytes = largest - 1 } == .failure(.badCertificate))
    }

    @Test
    func nestingIsNeverFollowed() async throws {
        var nested: [UInt8] = []
        for _ in 0..<2000 { nested = ReceiptBytes.element(0x31, nested) }
        let hidden = try fixture.signed(
            ReceiptBytes.app() + [ReceiptBytes.attribute(6, nested), ReceiptBytes.attribute(17, nested)])

        #expect(try await verdict(on: hidden) { _ in } == .success(0))
        #expect(try await verdict(on: Data(nested).base64EncodedString()) { _ in } == .failure(.malformedProof))
    }
}
