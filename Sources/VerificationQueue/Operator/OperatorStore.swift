// SPDX-License-Identifier: Apache-2.0

package import Postgres
import Schema
import Verification

/// What operators do to many jobs at once: in batches that each commit by themselves, every one with who and why.
///
/// Locks come in the settlement's order: jobs by id, then orders. What others have locked is passed over; running jobs are
/// left alone. Stopping half-way leaves whole batches, and doing it again goes on.
package struct OperatorStore: Sendable {
    private let pool: PostgresPool
    private let batch: Int32

    /// - Parameter batch: the most jobs of one database transaction.
    package init(pool: PostgresPool, batch: Int32 = 500) {
        self.pool = pool
        self.batch = batch
    }

    /// What a filter matches now, by state and reason: rows of `count_jobs.sql`.
    package func countJobs(_ filter: JobFilter) async throws(PostgresError) -> PostgresResult {
        try await pool.execute(SQLFile.countJobs.statement, filter.parameters)
    }

    /// The kept proofs that would be judged again: rows of `count_proofs.sql`.
    package func countProofs(_ filter: JobFilter) async throws(PostgresError) -> PostgresResult {
        try await pool.execute(
            SQLFile.countProofs.statement,
            [
                .text(filter.reason?.rawValue), .text(filter.order?.rawValue), .text(filter.bundle?.rawValue),
                .timestamp(filter.since),
            ])
    }

    /// Makes waiting and discarded jobs available now, with all their attempts before them.
    ///
    /// - Returns: how many there were.
    package func retryJobs(_ filter: JobFilter, by act: OperatorAct) async throws -> Int {
        try await inBatches { last, connection in
            try await connection.execute(
                SQLFile.retryJobs.statement,
                filter.parameters + [.int8(last), .int4(batch), .text(act.who), .text(act.why)]
            ).map { try $0.int64(0) }
        }
    }

    /// Gives waiting jobs up. They stay as dead letters, their orders are left to a person.
    ///
    /// - Returns: how many there were.
    package func discardJobs(_ filter: JobFilter, by act: OperatorAct) async throws -> Int {
        try await inBatches { last, connection in
            let rows = try await connection.execute(
                SQLFile.discardJobs.statement,
                filter.parameters + [.int8(last), .int4(batch), .text(act.who), .text(act.why)])
            var orders: Set<String> = []
            for row in rows where try row.bool(2) {
                orders.insert(try row.string(1))
            }
            if !orders.isEmpty {
                let reason = Reason.discardedByOperator.rawValue
                _ = try await connection.execute(SQLFile.lockOrders.statement, [.textArray(orders.sorted())])
                _ = try await connection.execute(
                    SQLFile.settleOrders.statement,
                    [
                        .textArray(orders.sorted()), .textArray(orders.map { _ in OrderState.review.rawValue }),
                        .textArray(orders.map { _ in reason }), .textArray(orders.map { _ in nil }),
                        .textArray(orders.map { _ in nil }),
                    ])
            }
            return try rows.map { try $0.int64(0) }
        }
    }

    /// Puts the kept proofs of rejected and reviewed orders back into the queue, of open ones whose job was cancelled by hand, and
    /// of refunded ones once that was reversed; the filter names their reason.
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
            ).map { try $0.int64(0) }
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
