// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

/// What the database can keep of a verified transaction.
@Suite struct UnstorableTransactionTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let transaction: Transaction
        /// The part of the description that says why; nil where the database can keep it.
        let fault: String?

        init(_ name: String, _ fault: String?, _ change: (inout Transaction) -> Void) {
            var transaction = makeTransaction("1", webOrder: "2")
            change(&transaction)
            testDescription = name
            self.transaction = transaction
            self.fault = fault
        }
    }

    private static func text(_ count: Int) -> String {
        String(repeating: "9", count: count)
    }

    @Test(arguments: [
        Case("as Apple sends them", nil) { _ in },
        Case("the longest id", nil) { $0.id = TransactionID(rawValue: text(128)) },
        Case("one character more", "its transaction id is no text") { $0.id = TransactionID(rawValue: text(129)) },
        Case("longer than a row of an index", "its transaction id is no text") { $0.id = TransactionID(rawValue: text(9000)) },
        Case("an empty id", "its transaction id is no text") { $0.id = TransactionID(rawValue: "") },
        Case("a NUL", "its transaction id is no text") { $0.id = TransactionID(rawValue: "1\0") },
        Case("NUL alone", "its transaction id is no text") { $0.id = TransactionID(rawValue: "\0") },
        Case("a NUL in the original id", "its original transaction id is no text") {
            $0.originalID = TransactionID(rawValue: "\0")
        },
        Case("an original id too long", "its original transaction id is no text") {
            $0.originalID = TransactionID(rawValue: text(129))
        },
        Case("a NUL in the line item", "its web order line item id is no text") { $0.webOrderLineItemID = "7\0" },
        Case("an empty line item", "its web order line item id is no text") { $0.webOrderLineItemID = "" },
        Case("no line item", nil) { $0.webOrderLineItemID = nil },
        Case("a NUL in the product", "its product id is no text") { $0.productID = ProductID(rawValue: "coins\0") },
        Case("a product too long", "its product id is no text") { $0.productID = ProductID(rawValue: text(129)) },
        Case("the longest bundle id that an app may have", nil) { $0.bundleID = BundleID(rawValue: text(155)) },
        Case("a bundle id too long", "its bundle id is no text of 1 to 155") { $0.bundleID = BundleID(rawValue: text(156)) },
        Case("a NUL in the bundle id", "its bundle id is no text") { $0.bundleID = BundleID(rawValue: "shop\0") },
        Case("printable ASCII", nil) { $0.productID = ProductID(rawValue: " ~!a.b-c_d") },
        Case("letters of other scripts, marks and symbols", nil) { $0.productID = ProductID(rawValue: "münzen 金貨 e\u{301} €") },
        Case("128 characters of four bytes", nil) {
            $0.productID = ProductID(rawValue: String(repeating: "\u{20000}", count: 128))
        },
        Case("129 characters, which look like half as many", "its product id is no text") {
            $0.productID = ProductID(rawValue: String(repeating: "e\u{301}", count: 64) + "e")
        },
        Case("a line break", "its product id is no text") { $0.productID = ProductID(rawValue: "a\nb") },
        Case("a tab", "its product id is no text") { $0.productID = ProductID(rawValue: "a\tb") },
        Case("delete", "its product id is no text") { $0.productID = ProductID(rawValue: "a\u{7F}") },
        Case("a C1 control character", "its product id is no text") { $0.productID = ProductID(rawValue: "a\u{85}") },
        Case("an invisible character", "its product id is no text") { $0.productID = ProductID(rawValue: "a\u{200B}b") },
        Case("a change of direction", "its product id is no text") { $0.productID = ProductID(rawValue: "a\u{202E}b") },
        Case("a line separator", "its product id is no text") { $0.productID = ProductID(rawValue: "a\u{2028}b") },
        Case("a paragraph separator", "its product id is no text") { $0.productID = ProductID(rawValue: "a\u{2029}b") },
        Case("a private character", "its product id is no text") { $0.productID = ProductID(rawValue: "a\u{E000}") },
        Case("a code point without a meaning", "its product id is no text") { $0.productID = ProductID(rawValue: "a\u{FFFF}") },
        Case("the largest quantity", nil) { $0.quantity = 2_147_483_647 },
        Case("one more", "its quantity is outside 1 to 2147483647") { $0.quantity = 2_147_483_648 },
        Case("the largest integer", "its quantity is outside") { $0.quantity = .max },
        Case("nothing", "its quantity is outside") { $0.quantity = 0 },
        Case("less than nothing", "its quantity is outside") { $0.quantity = -1 },
        Case("the first day of a timestamptz", nil) { $0.purchaseDate = Date(timeIntervalSince1970: -210_866_803_200) },
        Case("the day before", "one of its dates") { $0.purchaseDate = Date(timeIntervalSince1970: -210_866_889_600) },
        Case("no time at all", "one of its dates") { $0.purchaseDate = Date(timeIntervalSince1970: .nan) },
        Case("an end too late", "one of its dates") { $0.expiresDate = Date(timeIntervalSince1970: 9_300_000_000_000) },
        Case("an end of a time too late", "one of its dates") { $0.endAsOf = Date(timeIntervalSince1970: 9_300_000_000_000) },
        Case("the latest end", nil) { $0.expiresDate = Date(timeIntervalSince1970: 9_223_372_036_854) },
        Case("a refund too late", "one of its dates") { $0.revocationDate = Date(timeIntervalSince1970: .infinity) },
        Case("an original purchase too early", "one of its dates") {
            $0.originalPurchaseDate = Date(timeIntervalSince1970: -.infinity)
        },
    ])
    func aTransactionCanBeKeptOrNot(_ example: Case) throws {
        let unstorable = UnstorableTransaction(example.transaction)

        guard let fault = example.fault else {
            #expect(unstorable == nil)
            return
        }
        #expect(try #require(unstorable).description.contains(fault))
    }

    @Test func theDescriptionIsOneShortLineOfPrintableASCII() throws {
        var odd = makeTransaction("1\0\n\u{202E}", product: String(repeating: "\u{1F9FE}", count: 9000), token: token)
        odd.webOrderLineItemID = String(repeating: "\0", count: 9000)
        let unstorable = try #require(UnstorableTransaction(odd))

        let message = try #require(UnstorableTransaction.message([unstorable, unstorable, unstorable, unstorable, unstorable]))

        #expect(message.utf8.allSatisfy { (0x20...0x7E).contains($0) })
        #expect(message.utf8.count < 2500)
        #expect(message.contains(#"transaction "1\0\n\u{202E}" of product"#))
        #expect(message.hasSuffix("; and 2 more"))
        // It says whose the order is.
        #expect(!message.contains(token.uuidString))
    }

    @Test func nothingIsSaidOfNone() {
        #expect(UnstorableTransaction.message([]) == nil)
    }
}
