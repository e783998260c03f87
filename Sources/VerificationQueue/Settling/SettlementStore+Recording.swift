// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import Verification

extension SettlementStore {
    /// Writes down everything that was decided; each statement only when it has something to write.
    func record(_ entries: [PendingSettlement], _ connection: PostgresConnection) async throws {
        try await insertKnownIDs(entries.flatMap(\.knownAgain), connection)
        try await insertUnclaimed(entries, connection)
        try await settleOrders(entries, connection)
        try await insertFinishJobs(entries, connection)
        try await settleKeptJobs(entries, connection)
        try await keepProofs(entries, connection)
        try await appendAttempts(entries, connection)
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

    /// Records what Apple took back, and what follows for orders and other payments.
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
                .timestampArray(transactions.map { PostgresTimestamp($0.revocationDate ?? $0.purchaseDate) }),
            ]
        )
        try await connection.enqueue(SQLFile.takeBackPayments.statement, [bundles, environments, ids])
        try await connection.enqueue(SQLFile.releaseRestoredTransactions.statement, [bundles, environments, originals])
        // An earlier refund that comes to light may tell that a later one took more than its own payment.
        try await connection.enqueue(SQLFile.restoreUnclaimedTransactions.statement, [bundles, environments, originals])
    }

    private func insertUnclaimed(_ entries: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let found = entries.filter(\.leavesPayments).flatMap { entry in
            // What the ledger holds is unclaimed only if a refund tells so later, and what was taken back if that is reversed.
            let restored = entry.knownAgain.map { UnclaimedTransaction($0.transaction, reason: .noOrder) }
            let takenBack = entry.takenBack.map { UnclaimedTransaction($0.transaction, reason: .refundReversed) }
            return (entry.unclaimed + restored + takenBack).map { (order: entry.settlement.job.order.id, payment: $0) }
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

    /// Orders that were granted have been moved and counted by their grant.
    private func settleOrders(_ entries: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let others = entries.filter { entry in
            if case .fulfilled = entry.outcome { return false }
            // A follow-up is no attempt at the order.
            return entry.settlement.counts && entry.settlement.job.kind == .verify
        }
        guard !others.isEmpty else { return }
        try await connection.enqueue(
            SQLFile.settleOrders.statement,
            [
                .textArray(others.map(\.settlement.job.order.id.rawValue)),
                .textArray(others.map { $0.outcome?.newState?.rawValue }),
                .textArray(others.map { $0.outcome?.reason?.rawValue }),
                .textArray(others.map { $0.outcome?.transactionID?.rawValue }),
                .textArray(others.map { $0.outcome?.environment?.rawValue }),
            ]
        )
    }

    /// The follow-ups of what was granted: jobs of their own, so that a crash leaves them in the queue.
    private func insertFinishJobs(_ entries: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let granted = entries.filter { entry in
            guard case .fulfilled = entry.outcome else { return false }
            return entry.settlement.job.policy.finishesTransactions
        }
        guard !granted.isEmpty else { return }
        try await connection.enqueue(
            SQLFile.insertFinishJobs.statement,
            [
                .textArray(granted.map(\.settlement.job.order.id.rawValue)),
                .textArray(granted.map { $0.outcome?.environment?.rawValue }),
                .textArray(granted.map { $0.outcome?.transactionID?.rawValue }),
            ]
        )
    }

    private func settleKeptJobs(_ entries: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let kept = entries.map(\.settlement).filter { !$0.ends }
        guard !kept.isEmpty else { return }
        try await connection.enqueue(
            SQLFile.settleKeptJobs.statement,
            [
                .int8Array(kept.map(\.job.id.rawValue)),
                .int8Array(kept.map(\.job.lease.token)),
                .boolArray(kept.map { $0.disposition == .discard }),
                .doubleArray(kept.map(\.disposition.delay.seconds)),
                .boolArray(kept.map(\.counts)),
                .int4Array(kept.map { if case .keep(_, _, let lane) = $0.action { lane?.rawValue } else { nil } }),
                .textArray(kept.map { $0.reason?.rawValue }),
                .boolArray(kept.map(\.crashed)),
                .boolArray(kept.map(\.uncertain)),
            ]
        )
    }

    /// The proofs of jobs that end without a grant; a job that stays keeps its own. A refund may be reversed.
    private func keepProofs(_ entries: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let refused = entries.filter { entry in
            guard entry.settlement.ends else { return false }
            switch entry.outcome {
            case .rejected, .review, .refunded: return true
            case .unchanged, .fulfilled, nil: return false
            }
        }
        guard !refused.isEmpty else { return }
        try await connection.enqueue(
            SQLFile.keepProofs.statement,
            [
                .int8Array(refused.map(\.settlement.job.id.rawValue)),
                .textArray(refused.map(\.settlement.job.order.id.rawValue)),
                .textArray(refused.map { $0.settlement.job.hintedTransactionID?.rawValue }),
                .textArray(refused.map(\.settlement.job.proof)),
                .textArray(refused.map { $0.outcome?.reason?.rawValue }),
            ]
        )
    }

    private func appendAttempts(_ entries: [PendingSettlement], _ connection: PostgresConnection) async throws {
        guard !entries.isEmpty else { return }
        let settlements = entries.map(\.settlement)
        try await connection.enqueue(
            SQLFile.appendAttempts.statement,
            [
                .int8Array(settlements.map(\.job.id.rawValue)),
                .textArray(settlements.map(\.job.order.id.rawValue)),
                .int8Array(settlements.map(\.job.lease.token)),
                .int4Array(settlements.map { Int32(clamping: $0.job.attempt) }),
                .textArray(settlements.map(\.disposition.name)),
                .textArray(entries.map { ($0.outcome?.reason ?? $0.settlement.reason)?.rawValue }),
                .textArray(settlements.map(\.message)),
                .textArray(settlements.map { $0.proofKind?.rawValue }),
                .textArray(entries.map { ($0.outcome?.environment ?? $0.settlement.environment)?.rawValue }),
                .textArray(entries.map { $0.outcome?.transactionID?.rawValue }),
                .int8(workerID.rawValue),
                .timestampArray(settlements.map { PostgresTimestamp($0.job.createdAt) }),
                .timestampArray(settlements.map { PostgresTimestamp($0.job.claimedAt) }),
            ]
        )
    }
}
