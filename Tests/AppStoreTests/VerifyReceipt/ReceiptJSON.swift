// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Verification

@testable import AppStore

/// Answers of verifyReceipt, written field by field, and what is found in them.
enum ReceiptJSON {
    static let purchase = Date(timeIntervalSince1970: 1_769_850_000)

    static func finding(
        in body: String, http status: Int = 200, host: AppStoreEnvironment = .production,
        proof: Proof? = nil, note: (Int) -> Void = { _ in }
    ) throws -> Finding {
        let proof = try proof ?? .appReceipt(try SimulatedReceipt(transactions: []).base64)
        do {
            let evidence = try VerifyReceiptAnswer(host: host, proof: proof, bundleID: SimulatedStore.bundleID)
                .evidence(in: HTTPResponse(status: status, body: Data(body.utf8)))
            if case .transactions(let transactions) = evidence { note(transactions.skipped) }
            return Finding(evidence)
        } catch {
            return Finding(error)
        }
    }

    static func answer(
        status: Int = 0, environment: String? = "Production", inApp: [String], more: String = ""
    ) -> String {
        let name = environment.map { #","environment":"\#($0)""# } ?? ""
        let entries = inApp.joined(separator: ",")
        return
            #"{"status":\#(status)\#(name),"receipt":{"bundle_id":"com.example.app","in_app":[\#(entries)]}\#(more)}"#
    }

    static func entry(_ changes: [String: String] = [:], leavingOut name: String? = nil) -> String {
        var fields = [
            "quantity": #""1""#, "product_id": #""com.example.app.coins""#, "transaction_id": #""430000000000001""#,
            "original_transaction_id": #""430000000000001""#, "purchase_date_ms": #""1769850000000""#,
        ]
        fields.merge(changes) { _, new in new }
        if let name { fields[name] = nil }
        return "{" + fields.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
    }

    static func transaction(_ change: (inout Transaction) -> Void = { _ in }) -> Transaction {
        let id = TransactionID(rawValue: "430000000000001")
        var transaction = Transaction(
            bundleID: SimulatedStore.bundleID, environment: .production, id: id, originalID: id,
            productID: ProductID(rawValue: "com.example.app.coins"), purchaseDate: purchase
        )
        change(&transaction)
        return transaction
    }
}
