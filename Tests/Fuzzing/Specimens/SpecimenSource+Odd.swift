// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Fuzzing

/// Proofs that customers of others met: genuine and odd, wrapped, or of a form that is no proof.
extension SpecimenSource {
    private static let environment = #""environment":"Production""#

    /// A change of a genuine payload's text.
    private static let changes: [(name: String, of: String, to: String)] = [
        ("environment-absent", environment + ",", ""), ("environment-staging", environment, #""environment":"Staging""#),
        ("environment-lower-case", environment, #""environment":"production""#),
        ("environment-empty", environment, #""environment":"""#),
        ("environment-number", environment, #""environment":7"#), ("environment-xcode", environment, #""environment":"Xcode""#),
        ("environment-twice", environment, environment + #","environment":"Sandbox""#),
        ("signed-in-words", #""signedDate":"#, #""signedDate":"yesterday","signed":"#),
        ("signed-before-1970", #""signedDate":"#, #""signedDate":-"#),
        ("signed-beyond-all", #""signedDate":"#, #""signedDate":1e300,"signed":"#),
        ("id-number", #""transactionId":"430000000000001""#, #""transactionId":430000000000001"#),
        ("id-absent", #""transactionId":"430000000000001","#, ""),
        ("id-empty", #""transactionId":"430000000000001""#, #""transactionId":"""#),
        ("type-new", #""type":"Consumable""#, #""type":"Rental""#), ("type-null", #""type":"Consumable""#, #""type":null"#),
        ("ownership-new", "PURCHASED", "RENTED"), ("quantity-half", #""quantity":7"#, #""quantity":0.5"#),
        ("upgraded-in-words", #""quantity":7"#, #""quantity":7,"isUpgraded":"yes""#),
    ]

    /// A genuine payload with each change.
    private func changedPayloads() -> [(name: String, bytes: [UInt8])] {
        let text = String(decoding: transactions(of: GenuinePurchase.productID)[0].payload(), as: UTF8.self)
        return Self.changes.map { ($0.name, Array(text.replacing($0.of, with: $0.to).utf8)) }
    }

    func oddPayloads() -> [Specimen] {
        changedPayloads().map { Specimen("payload-\($0.name)", $0.bytes) }
    }

    func oddSignedTransactions() throws -> [Specimen] {
        try changedPayloads().map { Specimen($0.name, try authority.sign(payload: $0.bytes, at: date).utf8) }
    }

    func oddReceipts() throws -> [Specimen] {
        let genuine = receipt(of: GenuinePurchase.productID)
        var future = genuine
        future.receiptType = "ProductionFuture"
        let content = Data(try genuine.content())
        let made = ReceiptField.text(date)
        let year = made.prefix(4)
        let unreadable = [
            ("offset-without-a-colon", made.dropLast(6) + "+0000"), ("epoch", String(Int(date.timeIntervalSince1970) * 1000) + "0000000"),
            ("no-offset", made.dropLast() + " "), ("30-february", year + "-02-30T09:30:00Z"),
        ]
        return [Specimen("type-new", try future.signedBytes(by: authority))]
            + (try unreadable.map { name, text in
                // As long as the right one, so that the lengths around it stay right.
                let changed = content.replacing(Data(made.utf8), with: Data(String(text).utf8.prefix(made.utf8.count)))
                return Specimen("made-\(name)", try authority.signReceipt(content: Array(changed)))
            })
    }

    /// Each wrapping and each soiling around each kind of proof; several, more than are taken off, and texts that are none.
    func wrappedProofs(jws: String, receipt: String) -> [Specimen] {
        let proofs = [("jws", jws), ("receipt", receipt), ("ios6", Self.iOS6StyleReceipt)]
        var texts = proofs.flatMap { name, text in
            ProofWrapping.allCases.map { ("\(name)-\($0.rawValue)", $0.applied(to: text)) }
                + ProofSoiling.allCases.map { ("\(name)-\($0.rawValue)", $0.applied(to: text)) }
        }
        let wrapped = ProofWrapping.percent.applied(to: ProofWrapping.jsonString.applied(to: jws))
        let payload = String(decoding: transactions(of: GenuinePurchase.productID)[0].payload(), as: UTF8.self)
        texts += [
            ("two-layers", wrapped), ("three-layers", ProofWrapping.base64.applied(to: wrapped)),
            ("four-layers", ProofWrapping.jsonObject.applied(to: ProofWrapping.base64.applied(to: wrapped))),
            ("soiled-layers", ProofSoiling.foldedLines.applied(to: ProofWrapping.base64.applied(to: wrapped))),
            ("padded-jws", jws + "=="), ("standard-alphabet-jws", jws.replacing("-", with: "+").replacing("_", with: "/")),
            ("two-proofs", #"{"a":"\#(jws)","b":"\#(receipt)"}"#), ("same-proof-twice", #"["\#(jws)","\#(jws)"]"#),
            ("decoded-transaction", payload), ("decoded-transaction-in-text", ProofWrapping.jsonString.applied(to: payload)),
            ("app-transaction", #"{"receiptType":"Production","bundleId":"com.example.app","originalApplicationVersion":"1"}"#),
            ("nil", "nil"), ("bundle-id", "com.example.app"),
            ("purchase-in-objective-c", "<SKPaymentTransaction: 0x600002c0c0d0>"),
        ]
        return texts.map { Specimen($0.0, $0.1.utf8) }
    }

    static var iOS6StyleReceipt: String {
        let purchase = Data(#"{ "transaction-id" = "1"; }"#.utf8).base64EncodedString()
        return Data("{\n\t\"signature\" = \"AA==\";\n\t\"purchase-info\" = \"\(purchase)\";\n}".utf8).base64EncodedString()
    }
}
