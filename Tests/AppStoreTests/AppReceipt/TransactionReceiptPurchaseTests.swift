// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Testing
import Verification

@testable import AppStore

@Suite
struct TransactionReceiptPurchaseTests {
    private static func receipt(_ purchase: String) -> [UInt8] {
        let info = Data(purchase.utf8).base64EncodedString()
        return Array("{\n\t\"signature\" = \"AAAA\";\n\t\"purchase-info\" = \"\(info)\";\n\t\"pod\" = \"100\";\n}".utf8)
    }

    @Test
    func purchaseIsReadFromAWholeReceipt() throws {
        var transaction = SimulatedTransaction(productId: "com.example.app.coins", bundleId: "com.example.app")
        transaction.originalTransactionId = "420000000000001"
        let base64 = SimulatedTransactionReceipt(transaction: transaction).base64

        let purchase = try #require(TransactionReceipt(base64: base64))

        #expect(purchase.transactionID.rawValue == transaction.transactionId)
        #expect(purchase.originalTransactionID?.rawValue == "420000000000001")
        #expect(purchase.productID?.rawValue == "com.example.app.coins")
        #expect(purchase.bundleID?.rawValue == "com.example.app")
    }

    @Test
    func onlyTheTransactionMustBeNamed() throws {
        let purchase = try #require(TransactionReceipt(Self.receipt(#"{ "transaction-id" = "1"; "bid" = ""; }"#)))

        #expect(purchase.transactionID.rawValue == "1")
        #expect(purchase.originalTransactionID == nil)
        #expect(purchase.productID == nil)
        #expect(purchase.bundleID == nil)
    }

    @Test(arguments: [
        ("white space is missing", #"{"transaction-id"="1";"bid"="a";}"#),
        ("the last semicolon is missing", #"{ "transaction-id" = "1" }"#),
        ("lines end", "{\r\n\t\"transaction-id\"\r\n=\r\n\"1\"\r\n;\r\n}\r\n"),
    ])
    func looseTextIsRead(_ name: String, text: String) {
        #expect(TransactionReceipt(Self.receipt(text))?.transactionID.rawValue == "1", "\(name)")
    }

    @Test(arguments: [
        ("nothing", ""),
        ("an id twice", #"{ "transaction-id" = "1"; "transaction-id" = "2"; }"#),
        ("no transaction id", #"{ "bid" = "com.example.app"; }"#),
        ("an empty transaction id", #"{ "transaction-id" = ""; }"#),
        ("no end", #"{ "transaction-id" = "1"; "#),
        ("text behind the end", #"{ "transaction-id" = "1"; } more"#),
        ("a number", #"{ "transaction-id" = 1; }"#),
        ("a text without an end", #"{ "transaction-id" = "1; }"#),
        ("an escape", #"{ "transaction-id" = "1\"; }"#),
        ("a dictionary inside", #"{ "a" = { "transaction-id" = "1"; }; }"#),
        ("an array", #"( "transaction-id", "1" )"#),
    ])
    func otherTextIsNone(_ name: String, text: String) {
        #expect(TransactionReceipt(Self.receipt(text)) == nil, "\(name)")
    }

    @Test
    func sizeAndNumberOfFieldsAreBounded() {
        let fields = (0..<99).map { "\"name\($0)\" = \"value\";" }.joined()
        let id = #""transaction-id" = "1";"#

        #expect(TransactionReceipt(Self.receipt("{\(fields)\(id)}")) != nil)
        #expect(TransactionReceipt(Self.receipt("{\(fields)\"one\" = \"more\";\(id)}")) == nil)
        #expect(
            TransactionReceipt(Self.receipt("{\(id)\"long\" = \"\(String(repeating: "x", count: 65_536))\";}")) == nil)
        #expect(TransactionReceipt(base64: String(repeating: "*", count: 1_000_000)) == nil)
    }

    @Test(arguments: [1, 2] as [UInt64])
    func damageIsSurvived(seed: UInt64) {
        var mutator = Mutator(seed: seed)
        let genuine = Self.receipt(#"{ "original-transaction-id" = "1"; "transaction-id" = "1"; "bid" = "a"; }"#)
        var readable = 0

        for _ in 0..<5000 where TransactionReceipt(mutator.damaged(genuine)) != nil {
            readable += 1
        }

        #expect(readable < 5000)
    }
}
