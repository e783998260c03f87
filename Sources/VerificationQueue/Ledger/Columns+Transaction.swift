// SPDX-License-Identifier: Apache-2.0

import Verification

extension Columns {
    mutating func name(_ payment: (Row) -> PaymentName) {
        text("bundle_id") { payment($0).bundleID.rawValue }
        text("environment") { payment($0).environment.rawValue }
        text("transaction_id") { payment($0).id.rawValue }
        text("original_transaction_id") { payment($0).originalID.rawValue }
    }

    /// The payment with what was bought, which statements have in common.
    mutating func transaction(_ payment: (Row) -> Transaction, kind: (Row) -> ProductKind?) {
        name { PaymentName(payment($0)) }
        text("web_order_line_item_id") { payment($0).paidLineItemID }
        text("product_id") { payment($0).productID.rawValue }
        text("product_kind") { kind($0)?.rawValue }
        int4("quantity") { Int32(clamping: payment($0).quantity) }
        timestamp("purchased_at") { payment($0).purchaseDate }
    }

    /// What only signed transactions and Apple's answers say of a payment.
    mutating func signedFacts(_ payment: (Row) -> Transaction) {
        int8("price_milliunits") { payment($0).price?.milliunits }
        text("currency") { payment($0).price?.currency }
        text("customer_id") { payment($0).customerID?.rawValue }
        text("purchase_reason") { payment($0).purchaseReason?.rawValue }
    }
}
