// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import Verification

/// What becomes of orders, and their history.
extension SettlementStore {
    /// What becomes of an order that isn't granted a payment; as it is where there is no state.
    struct MovedOrder {
        let id: OrderID
        let state: OrderState?
        let reason: Reason?
        var transactionID: TransactionID?
        var environment: AppStoreEnvironment?
    }

    /// An order that a renewal is to pay for, and the end of the period that is paid.
    typealias AwaitedRenewal = (order: OrderID, periodEnd: Date)

    /// Moves and counts the orders that were not granted; `insert_grants.sql` does it for the others.
    func settleOrders(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let moved = pending.compactMap { one -> MovedOrder? in
            if case .fulfilled = one.outcome { return nil }
            // A follow-up doesn't concern the order. A proof that no client uploaded is no attempt of a client, unless it moves it.
            let outcome = one.outcome
            guard one.settlement.counts && (one.job.work.isFromClient || outcome?.newState != nil), let order = one.job.orderID
            else { return nil }
            return MovedOrder(
                id: order, state: outcome?.newState, reason: outcome?.reason, transactionID: outcome?.transactionID,
                environment: outcome?.environment)
        }
        try await connection.enqueue(.settleOrders, about: moved, Self.orders)
    }

    /// After a downgrade the renewal of the new product pays for the order.
    func awaitRenewals(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let awaited = pending.compactMap { one -> AwaitedRenewal? in
            guard case .anotherPayment(let paid) = one.outcome, let end = paid.expiresDate else { return nil }
            return one.job.orderID.map { ($0, end) }
        }
        try await connection.enqueue(.awaitRenewals, about: awaited, Self.awaited)
    }

    /// Keeps the proofs of jobs that end without a grant, also of refunded orders: a refund may be reversed. A job that stays has
    /// its proof itself. If a proof can't be kept, nothing of its settlement is written: see ``SettlementBatch``.
    func keepProofs(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let refused = pending.filter { one in
            guard one.settlement.ends else { return false }
            switch one.outcome {
            case .rejected, .review, .refunded: return true
            case .unchanged, .fulfilled, .paidAnother, .anotherPayment, nil: return false
            }
        }
        try await connection.enqueue(.keepProofs, about: refused) { Self.proofs(&$0, limits: keptProofs) }
    }

    /// The history is that of orders.
    func appendAttempts(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let ofOrders = pending.filter { $0.job.orderID != nil }
        try await connection.enqueue(.appendAttempts, about: ofOrders) { Self.attempts(&$0, workerID: workerID) }
    }

    /// The parameters of `settle_orders.sql`.
    static func orders(_ columns: inout Columns<MovedOrder>) {
        columns.text("order_id", \.id.rawValue)
        columns.text("state") { $0.state?.rawValue }
        columns.text("reason") { $0.reason?.rawValue }
        columns.text("transaction_id") { $0.transactionID?.rawValue }
        columns.text("environment") { $0.environment?.rawValue }
    }

    /// The parameters of `await_renewals.sql`.
    static func awaited(_ columns: inout Columns<AwaitedRenewal>) {
        columns.text("order_id", \.order.rawValue)
        columns.timestamp("ends_at", \.periodEnd)
        columns.scalar(.double(renewalPatience))
    }

    /// The parameters of `keep_proofs.sql`.
    static func proofs(_ columns: inout Columns<PendingSettlement>, limits: KeptProofLimits) {
        columns.int8("job_id", \.job.id.rawValue)
        columns.text("order_id", \.job.orderID?.rawValue)
        columns.text("transaction_id") { $0.job.work.upload?.hint?.rawValue }
        columns.text("proof", \.job.work.upload?.proof)
        columns.text("reason") { $0.outcome?.reason?.rawValue }
        columns.scalar(.int4(Int32(clamping: limits.latest)))
        columns.scalar(.int8(Int64(limits.accountDayBytes)))
    }

    /// The parameters of `append_attempts.sql`.
    static func attempts(_ columns: inout Columns<PendingSettlement>, workerID: WorkerID) {
        columns.int8("job_id", \.job.id.rawValue)
        columns.int8("order_number") { $0.job.orderNumber?.rawValue }
        columns.int8("lease_token", \.job.lease.token)
        columns.int4("attempt") { Int32(clamping: $0.job.attempt) }
        columns.text("disposition", \.settlement.disposition)
        columns.text("reason") { ($0.outcome?.reason ?? $0.settlement.reason)?.rawValue }
        columns.text("message", \.message)
        columns.text("proof_kind") { $0.settlement.proofKind?.rawValue }
        columns.text("environment") { ($0.outcome?.environment ?? $0.settlement.environment)?.rawValue }
        columns.text("transaction_id") { $0.outcome?.transactionID?.rawValue }
        columns.timestamp("submitted_at", \.job.createdAt)
        columns.timestamp("claimed_at", \.job.claimedAt)
        columns.text("shown_transaction_ids") { $0.settlement.shownTransactionIDs(besides: $0.outcome?.transactionID) }
        columns.text("app_version") { $0.settlement.appVersion?.rawValue }
        columns.scalar(.int8(workerID.rawValue))
    }
}
