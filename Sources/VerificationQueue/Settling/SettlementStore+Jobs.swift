// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import Verification

/// What becomes of jobs, and the jobs that follow.
extension SettlementStore {
    /// A granted transaction that Apple is to be told of.
    typealias FinishJob = (order: OrderID, environment: AppStoreEnvironment, transactionID: TransactionID)

    /// The follow-ups of grants are jobs of their own, so that a crash leaves them in the queue.
    func insertFinishJobs(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let follow = pending.compactMap { Self.finishJob(of: $0, for: $0.outcome?.granted) }
        try await connection.enqueue(.insertFinishJobs, about: follow, Self.finishJobs)
    }

    /// - Returns: nil where nothing is granted, or the app's clients finish their transactions.
    static func finishJob(of one: PendingSettlement, for granted: PaymentFacts?) -> FinishJob? {
        guard one.job.work.ordered?.policy.finishesTransactions == true, let order = one.payee?.id,
            let paid = granted?.transaction
        else { return nil }
        return (order, paid.environment, paid.id)
    }

    /// The fence left these jobs for the case that they have to wait.
    func endJobs(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let ended = pending.map(\.settlement).filter { $0.ends && $0.mayWait }
        try await connection.enqueue(.endJobs, about: ended, Self.endedJobs)
    }

    func settleStayingJobs(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let staying = pending.map(\.settlement).filter { !$0.ends }
        try await connection.enqueue(.settleStayingJobs, about: staying, Self.stayingJobs)
    }

    /// The parameters of `insert_finish_jobs.sql`.
    static func finishJobs(_ columns: inout Columns<FinishJob>) {
        columns.text("order_id", \.order.rawValue)
        columns.text("environment", \.environment.rawValue)
        columns.text("transaction_id", \.transactionID.rawValue)
    }

    /// The parameters of `end_jobs.sql`.
    static func endedJobs(_ columns: inout Columns<Settlement>) {
        columns.int8("job_id", \.job.id.rawValue)
        columns.int8("lease_token", \.job.lease.token)
    }

    /// The parameters of `settle_staying_jobs.sql`.
    static func stayingJobs(_ columns: inout Columns<Settlement>) {
        columns.int8("job_id", \.job.id.rawValue)
        columns.int8("lease_token", \.job.lease.token)
        columns.bool("discards", \.isDiscarded)
        columns.double("delay", \.delay.seconds)
        columns.bool("counts", \.counts)
        columns.int4("lane") { $0.lane?.rawValue }
        columns.text("reason") { $0.reason?.rawValue }
        columns.bool("crashed", \.crashed)
        columns.bool("uncertain", \.uncertain)
        columns.bool("is_missing", \.missing)
    }
}
