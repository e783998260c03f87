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
    private static func transactions(of attributes: [[UInt8]]) throws -> VerifiedTransactions {
        let authority = try ReceiptFixture().authority
        let certificates = try authority.receiptChain
        let key = try #require(LeafKey(certificates[0].publicKey))
        let chain = try #require(ValidatedChain(leafKey: key, anchor: .apple, certificates: certificates))
        let bytes = try authority.signReceipt(content: ReceiptBytes.set(attributes))
        return try SignedReceipt(bytes, limits: AppReceiptLimits()).transactions(verifiedBy: chain)
    }

    @Test
    func appleVouchesForEveryApp() throws {
        let transactions = try Self.transactions(of: ReceiptBytes.app(bundleID: ReceiptBytes.text("com.example.other")))

        #expect(transactions.bundleID?.rawValue == "com.example.other")
    }

    @Test(arguments: [[], ReceiptBytes.text(""), ReceiptBytes.number(1)])
    func genuineReceiptThatNamesNoAppIsLeftToAPerson(bundleID: [UInt8]) {
        #expect(throws: Reason.unknownAnswer) { try Self.transactions(of: ReceiptBytes.app(bundleID: bundleID)) }
    }

    @Test
    func environmentIsJudgedBeforeTheApp() {
        #expect(throws: Reason.unsupportedEnvironment) {
            try Self.transactions(of: ReceiptBytes.app(type: ReceiptBytes.text("Xcode"), bundleID: []))
        }
    }
}
