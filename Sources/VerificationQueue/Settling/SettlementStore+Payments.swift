// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import Verification

/// The payments of a settlement: their locks, and how they are kept.
extension SettlementStore {
    /// A payment with the order whose proof shows it; nil where only a refund does.
    typealias ShownBy = (order: OrderID?, payment: KeptPayment)

    /// Locks the payments that have been seen before, and the originals of those that may have several names.
    func lockPayments(_ payments: [PaymentName], _ connection: PostgresConnection) async throws {
        try await connection.enqueue(.lockOriginals, about: payments.filter(\.mayHaveOthers), Self.originals)
        try await connection.enqueue(.lockPayments, about: payments, Self.lockedPayments)
    }

    /// The ledger's facts about payments, and the rows that bear them, in the payments' order.
    func readFacts(
        _ asked: [AskedPayment], _ connection: PostgresConnection
    ) async throws -> (facts: [LedgerFacts], rows: PostgresResult) {
        let rows = try await connection.execute(SQLFile.readPayments.statement, LedgerReader.parameters(asked))
        return (try LedgerFacts.all(rows, of: asked.count), rows)
    }

    /// Keeps the payments that aren't granted, and further names of those that are.
    func keepPayments(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        try await insertPayments(pending.flatMap { one in one.kept.map { (one.showingOrder, $0) } }, connection)
        let moving = pending.flatMap { one in one.kept.filter(one.mayMoveOrders) }
        try await settlePayments(moving.map { PaymentName($0.transaction) }, connection)
    }

    func insertPayments(_ payments: [ShownBy], _ connection: PostgresConnection) async throws {
        try await connection.enqueue(.insertPayments, about: payments, Self.keptPayments)
    }

    /// The parameters of `lock_originals.sql`, `requeue_renewals.sql` and `requeue_denied_notifications.sql`.
    static func originals(_ columns: inout Columns<PaymentName>) {
        columns.text("original_transaction_id", \.originalID.rawValue)
        columns.text("bundle_id", \.bundleID.rawValue)
        columns.text("environment", \.environment.rawValue)
    }

    /// The parameters of `lock_payments.sql`.
    static func lockedPayments(_ columns: inout Columns<PaymentName>) {
        columns.text("transaction_id", \.id.rawValue)
        columns.text("bundle_id", \.bundleID.rawValue)
        columns.text("environment", \.environment.rawValue)
    }

    /// The parameters of `insert_payments.sql`.
    static func keptPayments(_ columns: inout Columns<ShownBy>) {
        columns.text("order_id") { $0.order?.rawValue }
        columns.transaction(\.payment.transaction, kind: \.payment.transaction.productKind)
        columns.timestamp("expires_at", \.payment.transaction.expiresDate)
        columns.uuid("app_account_token", \.payment.transaction.appAccountToken)
        columns.text("reason", \.payment.role.reason)
        columns.text("additional_reason") { $0.payment.transaction.additionalReason?.rawValue }
        columns.signedFacts(\.payment.transaction)
        columns.int4("fits_under") { $0.payment.fitsUnder.map(Int32.init(clamping:)) }
        columns.timestamp("paid_at", \.payment.transaction.earlierPaymentDate)
        columns.bool("is_advanced_commerce") { $0.payment.transaction.isAdvancedCommerce ? true : nil }
        columns.text("terms", \.payment.transaction.terms?.json)
    }
}

extension Transaction {
    /// When it was paid, where that isn't its purchase date. What isn't known to be a period counts as bought for good: its restore
    /// is dated at the restore.
    fileprivate var earlierPaymentDate: Date? {
        let isPeriod = webOrderLineItemID != nil || expiresDate != nil
        let paidAt = paymentDate(as: productKind ?? (isPeriod ? .autoRenewable : .nonConsumable))
        return paidAt < purchaseDate ? paidAt : nil
    }
}

extension KeptPayment.Role {
    /// As the ledger keeps it: a ``Reason``, or the one that no order has.
    fileprivate var reason: String {
        switch self {
        case .unclaimed(let reason): reason.rawValue
        case .restored: "restored"
        case .refunded: Reason.refunded.rawValue
        }
    }
}
