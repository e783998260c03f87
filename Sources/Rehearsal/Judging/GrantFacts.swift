// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import Postgres
import Verification

/// What the ledger publishes of a grant, beside whose it is and of how much: a shop's own tables may be built on it.
package struct GrantFacts: Hashable, Sendable {
    package var grantKey: String
    package var productKind: String
    package var originalTransactionID: String
    package var webOrderLineItemID: String?
    /// Nil is what is expected of something that nobody paid.
    package var purchasedAt: PostgresTimestamp?
    package var expiresAt: PostgresTimestamp?

    /// A line each, which begins with the name of its column.
    package var lines: [String] {
        [
            "grant_key \(grantKey)", "product_kind \(productKind)", "original_transaction_id \(originalTransactionID)",
            "web_order_line_item_id \(webOrderLineItemID ?? "null")",
            "purchased_at \(purchasedAt?.description ?? "null")", "expires_at \(expiresAt?.description ?? "null")",
        ]
    }
}

extension GrantFacts {
    /// From a row of `read_grants.sql`.
    package init(_ row: PostgresRow) throws(PostgresError) {
        self.init(
            grantKey: try row.string(5), productKind: try row.string(6), originalTransactionID: try row.string(7),
            webOrderLineItemID: try row.optionalString(8), purchasedAt: try row.timestamp(9),
            expiresAt: try row.optionalTimestamp(10))
    }

    /// What is planned. The key is made here once more, so that a mistake in the worker's own isn't repeated.
    ///
    /// Every kind of proof says all of this but the kind of product, which for a receipt the list of products says.
    ///
    /// - Parameters:
    ///   - payment: as the App Store has it; nil when nobody paid.
    ///   - toTheSecond: whether the proof dates it to the whole second.
    package init(of transaction: PlannedTransaction, paid payment: PlayRecord.Payment?, toTheSecond: Bool) {
        func moment(_ date: Date) -> PostgresTimestamp {
            let seconds = date.timeIntervalSince1970
            // As Apple writes them: the second that has begun, or the nearest millisecond.
            let microseconds = toTheSecond ? seconds.rounded(.down) * 1_000_000 : (seconds * 1000).rounded() * 1000
            return PostgresTimestamp(microsecondsSince1970: Int64(microseconds))
        }
        let key =
            switch (transaction.product.kind, transaction.webOrderLineItemID) {
            case ("auto_renewable", let event?): "web_order:" + event
            case ("auto_renewable", nil), ("consumable", _): "transaction:" + transaction.id
            default: "original:" + transaction.originalID
            }
        self.init(
            grantKey: key, productKind: transaction.product.kind, originalTransactionID: transaction.originalID,
            webOrderLineItemID: transaction.webOrderLineItemID, purchasedAt: payment.map { moment($0.purchaseDate) },
            expiresAt: payment.flatMap(\.expiresDate).map(moment))
    }
}

extension Purchase {
    /// The first proof for an order that shows a payment, which a text doesn't: where the order is granted, that or the like of it
    /// pays for it.
    package func firstProof(forOrder number: Int) -> PlannedProof? {
        let proofs = [firstUpload(forOrder: number)].compactMap(\.self) + orders[number].furtherProofs
        return proofs.first { if case .text = $0 { false } else { true } }
    }

    private func firstUpload(forOrder number: Int) -> PlannedProof? {
        for step in steps {
            switch step {
            case .upload(let uploads):
                if let upload = uploads.first(where: { $0.order == number }) { return upload.proof }
            case .cancelWhileRunning(let upload):
                if upload.order == number { return upload.proof }
            case .place, .backdate, .begin, .introduce, .befall, .pay, .keep, .follow, .find, .refund, .reverse, .upgrade, .see,
                .reverseByOperator, .tell, .holdUp, .letThrough, .awaitTold, .await, .insertRefused:
                continue
            }
        }
        return nil
    }
}

extension PlannedProof {
    /// Whether it dates payments to the whole second, as receipts do.
    ///
    /// Of an app whose receipts are confirmed, the transactions that the App Store Server API signed take their place.
    package func datesToTheSecond(of app: ShopApp) -> Bool {
        switch self {
        case .receipt: app.receiptRoute != .localThenAPI
        case .damaged(let whole, _), .copy(let whole, _): whole.datesToTheSecond(of: app)
        case .signed, .transactionID, .text: false
        }
    }
}
