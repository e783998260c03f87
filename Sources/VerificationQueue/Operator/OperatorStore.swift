// SPDX-License-Identifier: Apache-2.0

package import Postgres
import Schema
package import Verification

/// An operator's acts on many jobs at once, in batches. Each batch commits by itself, with who acted and why.
///
/// Locks are taken in the settlement's order: jobs by id, then orders. Locked jobs are skipped, and running jobs are left alone. An
/// act that stops half-way leaves whole batches; repeating it goes on from there.
package struct OperatorStore: Sendable {
    /// The columns of `retry_jobs.sql`.
    enum RetriedColumn: Int, RowColumn { case id, orderID }

    /// The columns of `discard_jobs.sql`.
    enum DiscardedColumn: Int, RowColumn { case id, orderID, verifies }

    /// The columns of `requeue_proofs.sql`.
    enum RequeuedColumn: Int, RowColumn { case jobID, orderID }

    private let pool: PostgresPool
    private let batch: Int32

    /// - Parameter batch: the most jobs of one database transaction.
    package init(pool: PostgresPool, batch: Int32 = 500) {
        self.pool = pool
        self.batch = batch
    }

    /// The number of jobs that a filter matches now, by state and reason: rows of `count_jobs.sql`.
    package func countJobs(_ filter: JobFilter) async throws(PostgresError) -> PostgresResult {
        try await pool.execute(SQLFile.countJobs.statement, filter.parameters + [filter.set])
    }

    /// The jobs that a filter matches now, in order.
    ///
    /// - Parameter most: of them.
    package func jobs(_ filter: JobFilter, most: Int) async throws(PostgresError) -> [JobID] {
        try await pool.execute(SQLFile.listJobIDs.statement, filter.parameters + [.int4(Int32(clamping: most))])
            .map { row throws(PostgresError) in JobID(rawValue: try row.int64(0)) }
    }

    /// The number of kept proofs that ``requeueProofs(_:by:)`` would take: rows of `count_proofs.sql`.
    package func countProofs(_ filter: JobFilter) async throws(PostgresError) -> PostgresResult {
        try await pool.execute(
            SQLFile.countProofs.statement,
            [
                .text(filter.reason?.rawValue), .text(filter.order?.rawValue), .text(filter.bundle?.rawValue),
                .timestamp(filter.since),
            ])
    }

    /// Makes waiting and discarded jobs available now, and counts their attempts from zero.
    ///
    /// - Returns: how many there were.
    package func retryJobs(_ filter: JobFilter, by act: OperatorAct) async throws -> Int {
        try await inBatches { last, connection in
            try await connection.execute(
                SQLFile.retryJobs.statement,
                filter.parameters + [.int8(last), .int4(batch), .text(act.who), .text(act.why), filter.set]
            ).map { try $0.named(by: RetriedColumn.self).int64(.id) }
        }
    }

    /// Discards waiting jobs. They stay as dead letters, and their orders go to review.
    ///
    /// - Returns: how many there were.
    package func discardJobs(_ filter: JobFilter, by act: OperatorAct) async throws -> Int {
        try await inBatches { last, connection in
            let discarded = try await connection.execute(
                SQLFile.discardJobs.statement,
                filter.parameters + [.int8(last), .int4(batch), .text(act.who), .text(act.why), filter.set]
            ).map { $0.named(by: DiscardedColumn.self) }
            var orders: Set<String> = []
            for job in discarded where try job.bool(.verifies) {
                orders.insert(try job.string(.orderID))
            }
            if !orders.isEmpty {
                _ = try await connection.execute(SQLFile.lockOrders.statement, [.textArray(orders.sorted())])
                let moved = orders.sorted().map {
                    SettlementStore.MovedOrder(id: OrderID(rawValue: $0), state: .review, reason: .discardedByOperator)
                }
                try await connection.enqueue(.settleOrders, about: moved, SettlementStore.orders)
            }
            return try discarded.map { try $0.int64(.id) }
        }
    }

    /// Puts kept proofs back into the queue: of rejected and reviewed orders, of open orders whose job an operator cancelled, and
    /// of refunded orders whose refund was reversed. The filter names their reason. They stay kept meanwhile, and those that are in
    /// the queue already are left out.
    ///
    /// - Returns: how many there were.
    package func requeueProofs(_ filter: JobFilter, by act: OperatorAct) async throws -> Int {
        try await inBatches { last, connection in
            try await connection.execute(
                SQLFile.requeueProofs.statement,
                [
                    .text(filter.reason?.rawValue), .text(filter.order?.rawValue), .text(filter.bundle?.rawValue),
                    .timestamp(filter.since), .int8(last), .int4(batch), .text(act.who), .text(act.why),
                ]
            ).map { try $0.named(by: RequeuedColumn.self).int64(.jobID) }
        }
    }

    /// - Parameter work: acts on ids above the one given, and returns those that it acted on, in order.
    private func inBatches(
        _ work: @escaping @Sendable (_ last: Int64, PostgresConnection) async throws -> [Int64]
    ) async throws -> Int {
        var last = Int64.min
        var count = 0
        while true {
            let ids = try await pool.withTransaction { [last] connection in try await work(last, connection) }
            count += ids.count
            guard ids.count == batch, let greatest = ids.last else { return count }
            last = greatest
        }
    }
}
