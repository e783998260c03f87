// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import Verification

/// What Apple and operators say of payments: refunds and their reversals; and what follows for orders and other payments.
extension SettlementStore {
    /// Writes words about payments, and their consequences.
    func write(_ words: [PaymentWord], _ connection: PostgresConnection) async throws {
        // A payment that only a refund showed: if that is reversed, it is unclaimed.
        try await insertPayments(words.compactMap(\.refund?.of).map { (nil, KeptPayment($0, as: .refunded)) }, connection)
        try await connection.enqueue(.insertWords, about: words, Self.words)
        try await settlePayments(words.map(\.payment), connection)
    }

    /// Moves the orders of payments whose state a word changed.
    func settlePayments(_ payments: [PaymentName], _ connection: PostgresConnection) async throws {
        try await connection.enqueue(.settlePayments, about: payments, Self.settledPayments)
    }

    /// Tells the feed of payments that these settlements brought to light.
    func tellKeptPayments(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        try await connection.enqueue(
            .tellKeptPayments, about: pending.flatMap(\.kept).map { PaymentName($0.transaction) }, Self.unclaimedPayments)
    }

    /// The parameters of `tell_kept_payments.sql`.
    static func unclaimedPayments(_ columns: inout Columns<PaymentName>) {
        columns.text("bundle_id", \.bundleID.rawValue)
        columns.text("environment", \.environment.rawValue)
        columns.text("transaction_id", \.id.rawValue)
    }

    /// Tells the feed what became of subscriptions. Comes last: it reads all that was written.
    func tellSubscriptions(_ payments: [PaymentName], _ connection: PostgresConnection) async throws {
        try await connection.enqueue(.callTellSubscriptions, about: payments, Self.toldPayments)
    }

    /// Payments that may be periods of subscriptions. A receipt doesn't say what they are.
    static func periods(among payments: [Transaction]) -> [PaymentName] {
        payments.filter { $0.productKind == .autoRenewable || $0.productKind == nil && $0.expiresDate != nil }
            .map { PaymentName($0) }
    }

    /// The parameters of `call_tell_subscriptions.sql`.
    static func toldPayments(_ columns: inout Columns<PaymentName>) {
        columns.text("original_transaction_id", \.originalID.rawValue)
        columns.text("bundle_id", \.bundleID.rawValue)
        columns.text("environment", \.environment.rawValue)
        columns.text("transaction_id", \.id.rawValue)
    }

    /// The parameters of `insert_words.sql`.
    static func words(_ columns: inout Columns<PaymentWord>) {
        columns.name(\.payment)
        columns.text("kind", \.kind.rawValue)
        columns.timestamp("occurred_at", \.date)
        columns.timestamp("as_of", \.asOf)
        columns.bool("comes_last", \.comesLast)
        columns.text("web_order_line_item_id") { $0.refund?.of.paidLineItemID }
        columns.timestamp("purchased_at") { $0.refund?.of.purchaseDate }
        columns.int4("share") { $0.refund?.revocation.share.thousandthsOfAPercent }
        columns.int4("seats") { Int32(clamping: $0.refund?.revocation.seats ?? 0) }
        columns.text("revocation_type") { $0.refund?.revocation.type }
        columns.int4("revocation_reason") { $0.refund?.revocation.reason.map(Int32.init(clamping:)) }
        columns.bool("knows_no_share") { word in word.refund.map { $0.revocation.source != .signedTransaction } ?? false }
    }

    /// The parameters of `settle_payments.sql`.
    static func settledPayments(_ columns: inout Columns<PaymentName>) {
        columns.text("original_transaction_id", \.originalID.rawValue)
        columns.text("bundle_id", \.bundleID.rawValue)
        columns.text("environment", \.environment.rawValue)
        columns.text("transaction_id", \.id.rawValue)
    }
}

extension Revocation.Share {
    /// As the ledger keeps it; nil where it isn't known.
    fileprivate var thousandthsOfAPercent: Int32? {
        switch self {
        case .whole: 100_000
        case .part(let part): Int32(clamping: part)
        case .unknown: nil
        }
    }
}
