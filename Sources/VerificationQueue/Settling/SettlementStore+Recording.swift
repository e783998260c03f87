// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import Verification

extension SettlementStore {
    /// Writes all that was decided. A statement that has nothing to write isn't sent.
    func record(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        try await keepPayments(pending, connection)
        try await settleOrders(pending, connection)
        try await awaitRenewals(pending, connection)
        try await insertFinishJobs(pending, connection)
        try await requeueRenewals(pending, connection)
        try await endJobs(pending, connection)
        try await settleKeptJobs(pending, connection)
        try await keepProofs(pending, connection)
        try await appendAttempts(pending, connection)
        try await recordNotifications(pending, connection)
        try await uploadFoundPayments(pending, connection)
    }

    /// Records refunds, and their consequences for orders and other payments.
    func insertRevocations(_ transactions: [Transaction], _ connection: PostgresConnection) async throws {
        guard !transactions.isEmpty else { return }
        // A payment that only a refund showed: if that is reversed, it is unclaimed.
        try await insertPayments(transactions.map { (nil, KeptPayment($0, as: .refunded)) }, connection)
        let revocations = transactions.map { $0.revocation ?? .whole($0.purchaseDate, by: .operator) }
        // A word without a date bears the time for which it was said.
        let dates = zip(transactions, revocations).map { $1.date ?? $1.asOf ?? $0.purchaseDate }
        try await connection.enqueue(
            SQLFile.insertRevocations.statement,
            [
                .textArray(transactions.map(\.bundleID.rawValue)),
                .textArray(transactions.map(\.environment.rawValue)),
                .textArray(transactions.map(\.id.rawValue)),
                .textArray(transactions.map(\.originalID.rawValue)),
                .textArray(transactions.map(\.paidLineItemID)),
                .timestampArray(transactions.map { PostgresTimestamp($0.purchaseDate) }),
                .timestampArray(dates.map(PostgresTimestamp.init)),
                .timestampArray(zip(revocations, dates).map { PostgresTimestamp($0.asOf ?? $1) }),
                .int4Array(revocations.map(\.share.thousandthsOfAPercent)),
                .int4Array(revocations.map { Int32(clamping: $0.seats) }),
                .textArray(revocations.map(\.type)),
                .int4Array(revocations.map { $0.reason.map(Int32.init(clamping:)) }),
                .boolArray(revocations.map { $0.source != .signedTransaction }),
            ]
        )
        try await settlePayments(transactions, connection)
    }

    /// Moves the orders of payments whose state a refund or its reversal changed.
    func settlePayments(_ transactions: [Transaction], _ connection: PostgresConnection) async throws {
        try await connection.enqueue(
            SQLFile.settlePayments.statement,
            [
                .textArray(transactions.map(\.originalID.rawValue)), .textArray(transactions.map(\.bundleID.rawValue)),
                .textArray(transactions.map(\.environment.rawValue)), .textArray(transactions.map(\.id.rawValue)),
            ])
    }

    /// Keeps the payments that aren't granted, and further names of those that are.
    private func keepPayments(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let kept = pending.flatMap { one in one.kept.map { (order: one.showingOrder, payment: $0) } }
        try await insertPayments(kept, connection)
        let moving = pending.flatMap { one in one.kept.filter(one.mayMoveOrders) }.map(\.transaction)
        if !moving.isEmpty { try await settlePayments(moving, connection) }
    }

    /// - Parameter payments: each with the order whose proof shows it; nil where only a refund does.
    func insertPayments(
        _ payments: [(order: OrderID?, payment: KeptPayment)], _ connection: PostgresConnection
    ) async throws {
        guard !payments.isEmpty else { return }
        let paid = payments.map(\.payment.transaction)
        try await connection.enqueue(
            SQLFile.insertPayments.statement,
            [
                .textArray(payments.map { $0.order?.rawValue }),
                .textArray(paid.map(\.bundleID.rawValue)),
                .textArray(paid.map(\.environment.rawValue)),
                .textArray(paid.map(\.id.rawValue)),
                .textArray(paid.map(\.originalID.rawValue)),
                .textArray(paid.map(\.paidLineItemID)),
                .textArray(paid.map(\.productID.rawValue)),
                .textArray(paid.map { $0.productKind?.rawValue }),
                .int4Array(paid.map { Int32(clamping: $0.quantity) }),
                .timestampArray(paid.map { PostgresTimestamp($0.purchaseDate) }),
                .timestampArray(paid.map { $0.expiresDate.map(PostgresTimestamp.init) }),
                .uuidArray(paid.map(\.appAccountToken)),
                .textArray(payments.map(\.payment.role.reason)),
                .textArray(paid.map { $0.additionalReason?.rawValue }),
                .int8Array(paid.map(\.price?.milliunits)),
                .textArray(paid.map(\.price?.currency)),
                .textArray(paid.map(\.customerID?.rawValue)),
                .textArray(paid.map(\.purchaseReason?.rawValue)),
                .int4Array(payments.map { $0.payment.fitsUnder.map(Int32.init(clamping:)) }),
                .timestampArray(paid.map { $0.earlierPaymentDate.map(PostgresTimestamp.init) }),
                .boolArray(paid.map { $0.isAdvancedCommerce ? true : nil }),
            ]
        )
    }

    /// Moves and counts the orders that were not granted; `insert_grants.sql` does it for the others.
    private func settleOrders(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let others = pending.filter { one in
            if case .fulfilled = one.outcome { return false }
            // A follow-up doesn't concern the order. A proof that no client uploaded is no attempt of a client.
            return one.settlement.counts && one.job.work.isFromClient
        }
        guard !others.isEmpty else { return }
        try await connection.enqueue(
            SQLFile.settleOrders.statement,
            [
                .textArray(others.map(\.job.orderID?.rawValue)),
                .textArray(others.map { $0.outcome?.newState?.rawValue }),
                .textArray(others.map { $0.outcome?.reason?.rawValue }),
                .textArray(others.map { $0.outcome?.transactionID?.rawValue }),
                .textArray(others.map { $0.outcome?.environment?.rawValue }),
            ]
        )
    }

    /// After a downgrade the renewal of the new product pays for the order.
    private func awaitRenewals(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let waiting = pending.compactMap { one -> (order: OrderID, periodEnd: Date)? in
            guard case .anotherPayment(let paid) = one.outcome, let end = paid.expiresDate else { return nil }
            return one.job.orderID.map { ($0, end) }
        }
        guard !waiting.isEmpty else { return }
        try await connection.enqueue(
            SQLFile.awaitRenewals.statement,
            [
                .textArray(waiting.map(\.order.rawValue)), .timestampArray(waiting.map { PostgresTimestamp($0.periodEnd) }),
                .double(Self.renewalPatience),
            ])
    }

    /// The follow-ups of grants are jobs of their own, so that a crash leaves them in the queue.
    private func insertFinishJobs(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let granted = pending.filter { $0.outcome?.granted != nil && $0.job.work.ordered?.policy.finishesTransactions == true }
        guard !granted.isEmpty else { return }
        try await connection.enqueue(
            SQLFile.insertFinishJobs.statement,
            [
                .textArray(granted.map(\.payee?.id.rawValue)),
                .textArray(granted.map { $0.outcome?.environment?.rawValue }),
                .textArray(granted.map { $0.outcome?.transactionID?.rawValue }),
            ]
        )
    }

    /// The fence left these jobs for the case that they have to wait.
    private func endJobs(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let ended = pending.map(\.settlement).filter { $0.ends && $0.mayWait }
        guard !ended.isEmpty else { return }
        try await connection.enqueue(
            SQLFile.endJobs.statement,
            [.int8Array(ended.map(\.job.id.rawValue)), .int8Array(ended.map(\.job.lease.token))])
    }

    private func settleKeptJobs(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let kept = pending.map(\.settlement).filter { !$0.ends }
        guard !kept.isEmpty else { return }
        try await connection.enqueue(
            SQLFile.settleKeptJobs.statement,
            [
                .int8Array(kept.map(\.job.id.rawValue)),
                .int8Array(kept.map(\.job.lease.token)),
                .boolArray(kept.map(\.isDiscarded)),
                .doubleArray(kept.map(\.delay.seconds)),
                .boolArray(kept.map(\.counts)),
                .int4Array(kept.map { $0.lane?.rawValue }),
                .textArray(kept.map { $0.reason?.rawValue }),
                .boolArray(kept.map(\.crashed)),
                .boolArray(kept.map(\.uncertain)),
                .boolArray(kept.map(\.missing)),
            ]
        )
    }

    /// Keeps the proofs of jobs that end without a grant, also of refunded orders: a refund may be reversed. A job that stays has
    /// its proof itself. If a proof can't be kept, nothing of its settlement is written: see ``SettlementBatch``.
    private func keepProofs(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let refused = pending.filter { one in
            guard one.settlement.ends else { return false }
            switch one.outcome {
            case .rejected, .review, .refunded: return true
            case .unchanged, .fulfilled, .paidAnother, .anotherPayment, nil: return false
            }
        }
        guard !refused.isEmpty else { return }
        try await connection.enqueue(
            SQLFile.keepProofs.statement,
            [
                .int8Array(refused.map(\.job.id.rawValue)),
                .textArray(refused.map(\.job.orderID?.rawValue)),
                .textArray(refused.map { $0.job.work.upload?.hint?.rawValue }),
                .textArray(refused.map(\.job.work.upload?.proof)),
                .textArray(refused.map { $0.outcome?.reason?.rawValue }),
                .int4(Int32(clamping: keptProofs.latest)),
                .int8(Int64(keptProofs.accountDayBytes)),
            ]
        )
    }

    private func appendAttempts(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        // The history is that of orders.
        let pending = pending.filter { $0.job.orderID != nil }
        guard !pending.isEmpty else { return }
        let settlements = pending.map(\.settlement)
        try await connection.enqueue(
            SQLFile.appendAttempts.statement,
            [
                .int8Array(settlements.map(\.job.id.rawValue)),
                .textArray(settlements.map(\.job.orderID?.rawValue)),
                .int8Array(settlements.map(\.job.lease.token)),
                .int4Array(settlements.map { Int32(clamping: $0.job.attempt) }),
                .textArray(settlements.map(\.disposition)),
                .textArray(pending.map { ($0.outcome?.reason ?? $0.settlement.reason)?.rawValue }),
                .textArray(pending.map(\.message)),
                .textArray(settlements.map { $0.proofKind?.rawValue }),
                .textArray(pending.map { ($0.outcome?.environment ?? $0.settlement.environment)?.rawValue }),
                .textArray(pending.map { $0.outcome?.transactionID?.rawValue }),
                .int8(workerID.rawValue),
                .timestampArray(settlements.map { PostgresTimestamp($0.job.createdAt) }),
                .timestampArray(settlements.map { PostgresTimestamp($0.job.claimedAt) }),
                .textArray(pending.map { $0.settlement.shownTransactionIDs(besides: $0.outcome?.transactionID) }),
            ]
        )
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
