// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Testing
import Verification
import X509

@testable import AppStore

/// A receipt under a chain that is taken for Apple's, which no simulated root can make.
@Suite
struct SignedReceiptTests {
    private static func contents(of content: [UInt8]) throws -> VerifiedProof {
        let authority = try ReceiptFixture().authority
        let certificates = try authority.receiptChain
        let key = try #require(LeafKey(certificates[0].publicKey))
        let chain = try #require(ValidatedChain(leafKey: key, anchor: .apple, certificates: certificates))
        let bytes = try authority.signReceipt(content: content)
        let receipt = try SignedReceipt(bytes, limits: AppReceiptLimits())
        return try receipt.contents(signedBy: try #require(receipt.signers.first), verifiedBy: chain, at: nil)
    }

    private static func faults(of content: [UInt8]) throws -> [String]? {
        if case .odd(let odd) = try contents(of: content) { odd.faults } else { nil }
    }

    @Test
    func appleVouchesForEveryApp() throws {
        let contents = try Self.contents(
            of: ReceiptBytes.set(ReceiptBytes.app(bundleID: ReceiptBytes.text("com.example.other"))))

        #expect(try contents.transactions.bundleID?.rawValue == "com.example.other")
    }

    @Test(arguments: [
        ([], "bundle id is missing"), (ReceiptBytes.text(""), "bundle id is missing"),
        (ReceiptBytes.number(1), "bundle id can't be read"),
    ] as [([UInt8], String)])
    func genuineReceiptThatNamesNoAppIsLeftToAnOperator(bundleID: [UInt8], fault: String) throws {
        #expect(try Self.faults(of: ReceiptBytes.set(ReceiptBytes.app(bundleID: bundleID))) == [fault])
    }

    @Test(arguments: [Array("no attributes".utf8), ReceiptBytes.set([[0x30, 0x00]]), [0x31, 0x80, 0, 0]])
    func contentThatIsNoSetOfAttributesIsLeftToAnOperator(content: [UInt8]) throws {
        #expect(try Self.faults(of: content) == ["content is no set of attributes"])
    }

    @Test
    func environmentIsJudgedBeforeTheApp() {
        #expect(throws: Reason.unsupportedEnvironment) {
            try Self.contents(of: ReceiptBytes.set(ReceiptBytes.app(type: ReceiptBytes.text("Xcode"), bundleID: [])))
        }
    }
}
