// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A receipt of the kind that devices made up to iOS 6: one transaction, as the text of an old property list.
///
/// Its base64 begins `ewo`. The signature is random bytes of the usual length.
package struct SimulatedTransactionReceipt: Sendable {
    package var transaction: SimulatedTransaction
    package var applicationVersion = "42"
    package var signature: [UInt8]

    package init(transaction: SimulatedTransaction) {
        self.transaction = transaction
        signature = (0..<256).map { _ in UInt8.random(in: .min ... .max) }
    }

    /// What the simulator knows this receipt by.
    package var id: ReceiptID {
        ReceiptID(transactionID: transaction.transactionId)
    }

    /// The receipt as a client uploads it and as verifyReceipt takes it.
    package var base64: String {
        Data(text.utf8).base64EncodedString()
    }

    /// The text of the receipt: its envelope, with the purchase in base64 inside.
    package var text: String {
        var fields = [
            ("signature", Data(signature).base64EncodedString()),
            ("purchase-info", Data(Self.propertyList(purchaseFields).utf8).base64EncodedString()),
        ]
        if transaction.environment == .sandbox { fields.append(("environment", "Sandbox")) }
        fields += [("pod", transaction.environment == .sandbox ? "100" : "17"), ("signing-status", "0")]
        return Self.propertyList(fields)
    }

    private var purchaseFields: [(String, String)] {
        var fields = [
            ("original-transaction-id", transaction.originalTransactionId),
            ("transaction-id", transaction.transactionId),
            ("bid", transaction.bundleId),
            ("bvrs", applicationVersion),
            ("product-id", transaction.productId),
            ("quantity", String(transaction.quantity)),
            ("item-id", "521129812"),
            ("unique-identifier", "ba1d0e6b7fd25c7a1bd60e8a03c1ba9a7c8fe2a4"),
            ("unique-vendor-identifier", "2E1B7C0A-54D4-4E57-9B30-5D0C6A7CDB5F"),
        ]
        fields += Self.dateFields("purchase-date", transaction.purchaseDate)
        fields += Self.dateFields("original-purchase-date", transaction.originalPurchaseDate)
        if let expiresDate = transaction.expiresDate {
            fields.append(("expires-date", String(expiresDate.milliseconds)))
            fields.append(("expires-date-formatted", expiresDate.greenwichText))
        }
        if let lineItem = transaction.webOrderLineItemId { fields.append(("web-order-line-item-id", lineItem)) }
        return fields
    }

    private static func dateFields(_ name: String, _ date: Date) -> [(String, String)] {
        [
            (name, date.greenwichText), (name + "-ms", String(date.milliseconds)), (name + "-pst", date.pacificText),
        ]
    }

    private static func propertyList(_ fields: [(String, String)]) -> String {
        "{\n" + fields.map { "\t\"\($0.0)\" = \"\($0.1)\";\n" }.joined() + "}"
    }
}
