// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import Verification

/// What Apple and operators say of payments: refunds and their reversals; and what follows for orders and other payments.
extension SettlementStore {
    /// Records refunds, and their consequences.
    func insertRevocations(_ transactions: [Transaction], _ connection: PostgresConnection) async throws {
        guard !transactions.isEmpty else { return }
        // A payment that only a refund showed: if that is reversed, it is unclaimed.
        try await insertPayments(transactions.map { (nil, KeptPayment($0, as: .refunded)) }, connection)
        try await connection.enqueue(.insertRevocations, about: transactions.map(Refund.init), Self.refunds)
        try await settlePayments(transactions, connection)
    }

    /// Records refunds that Apple reversed, as notifications tell it, and their consequences.
    func insertNotifiedReversals(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let reversed = pending.compactMap { one -> ToldReversal? in
            guard let effects = one.settlement.notification, let at = effects.reversedAt else { return nil }
            return effects.transaction.map { (payment: $0, at: at) }
        }
        guard !reversed.isEmpty else { return }
        try await connection.enqueue(.insertNotifiedReversals, about: reversed, Self.toldReversals)
        try await settlePayments(reversed.map(\.payment), connection)
    }

    /// Records refunds as reversed, and the consequences.
    func insertReversals(of transactions: [Transaction], at moment: Date, _ connection: PostgresConnection) async throws {
        try await connection.enqueue(.insertReversals, about: transactions) { Self.reversals(&$0, at: moment) }
        try await settlePayments(transactions, connection)
    }

    /// Moves the orders of payments whose state a refund or its reversal changed.
    func settlePayments(_ transactions: [Transaction], _ connection: PostgresConnection) async throws {
        try await connection.enqueue(.settlePayments, about: transactions, Self.payments)
    }

    /// The parameters of `insert_revocations.sql`.
    static func refunds(_ columns: inout Columns<Refund>) {
        columns.name(\.transaction)
        columns.text("web_order_line_item_id", \.transaction.paidLineItemID)
        columns.timestamp("purchased_at", \.transaction.purchaseDate)
        columns.timestamp("occurred_at", \.date)
        columns.timestamp("as_of") { $0.revocation.asOf ?? $0.date }
        columns.int4("share", \.revocation.share.thousandthsOfAPercent)
        columns.int4("seats") { Int32(clamping: $0.revocation.seats) }
        columns.text("revocation_type", \.revocation.type)
        columns.int4("revocation_reason") { $0.revocation.reason.map(Int32.init(clamping:)) }
        columns.bool("knows_no_share") { $0.revocation.source != .signedTransaction }
    }

    /// The parameters of `insert_notified_reversals.sql`.
    static func toldReversals(_ columns: inout Columns<ToldReversal>) {
        columns.name(\.payment)
        columns.timestamp("as_of", \.at)
    }

    /// The parameters of `insert_reversals.sql`.
    static func reversals(_ columns: inout Columns<Transaction>, at moment: Date) {
        columns.name(\.self)
        columns.scalar(.timestamp(PostgresTimestamp(moment)))
    }

    /// The parameters of `settle_payments.sql`.
    static func payments(_ columns: inout Columns<Transaction>) {
        columns.text("original_transaction_id", \.originalID.rawValue)
        columns.text("bundle_id", \.bundleID.rawValue)
        columns.text("environment", \.environment.rawValue)
        columns.text("transaction_id", \.id.rawValue)
    }

    /// A reversal, and the time for which Apple told it.
    typealias ToldReversal = (payment: Transaction, at: Date)

    /// A refund as it is written.
    struct Refund {
        let transaction: Transaction
        let revocation: Revocation

        /// A word without a date bears the time for which it was said.
        let date: Date

        init(_ transaction: Transaction) {
            self.transaction = transaction
            revocation = transaction.revocation ?? .whole(transaction.purchaseDate, by: .operator)
            date = revocation.date ?? revocation.asOf ?? transaction.purchaseDate
        }
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
