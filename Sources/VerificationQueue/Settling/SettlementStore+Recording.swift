// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import Verification

extension SettlementStore {
    /// Writes all that was decided. A statement that has nothing to write isn't sent.
    func record(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        try await insertKnownIDs(pending.flatMap(\.knownAgain), connection)
        try await insertUnclaimed(pending, connection)
        try await settleOrders(pending, connection)
        try await insertFinishJobs(pending, connection)
        try await settleKeptJobs(pending, connection)
        try await keepProofs(pending, connection)
        try await appendAttempts(pending, connection)
    }

    private func insertKnownIDs(_ candidates: [Candidate], _ connection: PostgresConnection) async throws {
        guard !candidates.isEmpty else { return }
        try await connection.enqueue(
            SQLFile.insertTransactionIDs.statement,
            [
                .textArray(candidates.map(\.transaction.bundleID.rawValue)),
                .textArray(candidates.map(\.transaction.environment.rawValue)),
                .textArray(candidates.map(\.transaction.id.rawValue)),
                .textArray(candidates.map(\.transaction.originalID.rawValue)),
                .textArray(candidates.map(\.transaction.webOrderLineItemID)),
                .textArray(candidates.map(\.kind.rawValue)),
                .timestampArray(candidates.map { PostgresTimestamp($0.transaction.purchaseDate) }),
            ]
        )
    }

    /// Records refunds, and their consequences for orders and other payments.
    func insertRevocations(_ transactions: [Transaction], _ connection: PostgresConnection) async throws {
        guard !transactions.isEmpty else { return }
        let bundles = PostgresParameter.textArray(transactions.map(\.bundleID.rawValue))
        let environments = PostgresParameter.textArray(transactions.map(\.environment.rawValue))
        let ids = PostgresParameter.textArray(transactions.map(\.id.rawValue))
        let originals = PostgresParameter.textArray(transactions.map(\.originalID.rawValue))
        try await connection.enqueue(
            SQLFile.insertRevocations.statement,
            [
                bundles, environments, ids, originals,
                .textArray(transactions.map(\.webOrderLineItemID)),
                .timestampArray(transactions.map { PostgresTimestamp($0.purchaseDate) }),
                .timestampArray(transactions.map { PostgresTimestamp($0.revocation?.date ?? $0.purchaseDate) }),
            ]
        )
        try await connection.enqueue(SQLFile.takeBackPayments.statement, [bundles, environments, ids])
        try await connection.enqueue(SQLFile.releaseRestoredTransactions.statement, [bundles, environments, originals])
        // An earlier refund that comes to light may show that a later one took back more than its own payment.
        try await connection.enqueue(SQLFile.restoreUnclaimedTransactions.statement, [bundles, environments, originals])
    }

    private func insertUnclaimed(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let found = pending.filter(\.leavesPayments).flatMap { one in
            // A payment that the ledger holds becomes unclaimed if a later refund separates the two ids; a refunded one, if its
            // refund is reversed.
            let restored = one.knownAgain.map { UnclaimedTransaction($0.transaction, reason: .noOrder) }
            let takenBack = one.takenBack.map { UnclaimedTransaction($0.transaction, reason: .refundReversed) }
            return (one.unclaimed + restored + takenBack).map { (order: one.job.order.id, payment: $0) }
        }
        guard !found.isEmpty else { return }
        let paid = found.map(\.payment.transaction)
        try await connection.enqueue(
            SQLFile.insertUnclaimedTransactions.statement,
            [
                .textArray(found.map(\.order.rawValue)),
                .textArray(paid.map(\.bundleID.rawValue)),
                .textArray(paid.map(\.environment.rawValue)),
                .textArray(paid.map(\.id.rawValue)),
                .textArray(paid.map(\.originalID.rawValue)),
                .textArray(paid.map(\.webOrderLineItemID)),
                .textArray(paid.map(\.productID.rawValue)),
                .textArray(paid.map { $0.productKind?.rawValue }),
                .int4Array(paid.map { Int32(clamping: $0.quantity) }),
                .timestampArray(paid.map { PostgresTimestamp($0.purchaseDate) }),
                .timestampArray(paid.map { $0.expiresDate.map(PostgresTimestamp.init) }),
                .uuidArray(paid.map(\.appAccountToken)),
                .textArray(found.map(\.payment.reason.rawValue)),
            ]
        )
    }

    /// Moves and counts the orders that were not granted; `insert_grants.sql` does it for the others.
    private func settleOrders(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let others = pending.filter { one in
            if case .fulfilled = one.outcome { return false }
            // A follow-up doesn't concern the order.
            return one.settlement.counts && one.job.kind == .verify
        }
        guard !others.isEmpty else { return }
        try await connection.enqueue(
            SQLFile.settleOrders.statement,
            [
                .textArray(others.map(\.job.order.id.rawValue)),
                .textArray(others.map { $0.outcome?.newState?.rawValue }),
                .textArray(others.map { $0.outcome?.reason?.rawValue }),
                .textArray(others.map { $0.outcome?.transactionID?.rawValue }),
                .textArray(others.map { $0.outcome?.environment?.rawValue }),
            ]
        )
    }

    /// The follow-ups of grants are jobs of their own, so that a crash leaves them in the queue.
    private func insertFinishJobs(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let granted = pending.filter { one in
            guard case .fulfilled = one.outcome else { return false }
            return one.job.policy.finishesTransactions
        }
        guard !granted.isEmpty else { return }
        try await connection.enqueue(
            SQLFile.insertFinishJobs.statement,
            [
                .textArray(granted.map(\.job.order.id.rawValue)),
                .textArray(granted.map { $0.outcome?.environment?.rawValue }),
                .textArray(granted.map { $0.outcome?.transactionID?.rawValue }),
            ]
        )
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
    /// its proof itself.
    private func keepProofs(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let refused = pending.filter { one in
            guard one.settlement.ends else { return false }
            switch one.outcome {
            case .rejected, .review, .refunded: return true
            case .unchanged, .fulfilled, nil: return false
            }
        }
        guard !refused.isEmpty else { return }
        try await connection.enqueue(
            SQLFile.keepProofs.statement,
            [
                .int8Array(refused.map(\.job.id.rawValue)),
                .textArray(refused.map(\.job.order.id.rawValue)),
                .textArray(refused.map { $0.job.hintedTransactionID?.rawValue }),
                .textArray(refused.map(\.job.proof)),
                .textArray(refused.map { $0.outcome?.reason?.rawValue }),
            ]
        )
    }

    private func appendAttempts(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        guard !pending.isEmpty else { return }
        let settlements = pending.map(\.settlement)
        try await connection.enqueue(
            SQLFile.appendAttempts.statement,
            [
                .int8Array(settlements.map(\.job.id.rawValue)),
                .textArray(settlements.map(\.job.order.id.rawValue)),
                .int8Array(settlements.map(\.job.lease.token)),
                .int4Array(settlements.map { Int32(clamping: $0.job.attempt) }),
                .textArray(settlements.map(\.disposition)),
                .textArray(pending.map { ($0.outcome?.reason ?? $0.settlement.reason)?.rawValue }),
                .textArray(settlements.map(\.message)),
                .textArray(settlements.map { $0.proofKind?.rawValue }),
                .textArray(pending.map { ($0.outcome?.environment ?? $0.settlement.environment)?.rawValue }),
                .textArray(pending.map { $0.outcome?.transactionID?.rawValue }),
                .int8(workerID.rawValue),
                .timestampArray(settlements.map { PostgresTimestamp($0.job.createdAt) }),
                .timestampArray(settlements.map { PostgresTimestamp($0.job.claimedAt) }),
            ]
        )
    }
}
