// SPDX-License-Identifier: Apache-2.0

package import Postgres
import Schema
package import Verification

/// Claims, reads and rescues jobs.
package struct JobStore: Sendable {
    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Leases available jobs in one statement and one commit.
    ///
    /// Fewer than the limit doesn't mean that there are no more. When another worker claims a job of the same order from
    /// another lane at the same moment, the whole claim is refused by the rule that one runs at a time; it is then empty, and
    /// the next finds the other's.
    package func claim(
        _ plan: ClaimPlanner.Plan, worker: WorkerID, proofBytes: Int, lease: Duration, probing: LaneID? = nil
    ) async throws(PostgresError) -> [ClaimedJob] {
        let leaseEnds = ContinuousClock.now + lease
        do {
            let rows = try await pool.execute(
                SQLFile.claimJobs.statement,
                [
                    .int4Array(plan.lanes.map(\.rawValue)), .int4Array(plan.quotas), .timestampArray(plan.lowWaterMarks),
                    .int4(plan.limit), .int8(Int64(proofBytes)), .int8(worker.rawValue), .double(lease.seconds),
                    .int4(probing?.rawValue),
                ]
            )
            var claimed: [ClaimedJob] = []
            claimed.reserveCapacity(rows.count)
            for row in rows {
                claimed.append(
                    ClaimedJob(
                        job: try Job(row, leaseEnds: leaseEnds), priority: Int(try row.int16(11)), runAt: try row.timestamp(12))
                )
            }
            return claimed
        } catch where error.constraint == "one_job_of_an_order_runs_at_a_time" {
            return []
        }
    }

    /// The job that a lease is held for, with the worker that holds it; nil when the lease is lost.
    ///
    /// - Parameter remaining: how long the lease still lasts, at least.
    package func read(_ lease: Lease, remaining: Duration) async throws(PostgresError) -> (job: Job, holder: WorkerID)? {
        let leaseEnds = ContinuousClock.now + remaining
        let rows = try await pool.execute(
            SQLFile.readLeasedJob.statement, [.int8(lease.jobID.rawValue), .int8(lease.token)]
        )
        guard let row = rows.first else { return nil }
        return (try Job(row, leaseEnds: leaseEnds), WorkerID(rawValue: try row.int64(35)))
    }

    /// Makes jobs available again whose leases ran out.
    ///
    /// - Parameter span: how long ago they did, at most; nil: however long.
    /// - Returns: how many there were; as many as the limit means that there may be more.
    package func rescueExpired(limit: Int, within span: Duration? = nil) async throws(PostgresError) -> Int {
        try await pool.execute(
            SQLFile.rescueExpiredJobs.statement, [.int4(Int32(clamping: limit)), .double(span?.seconds)]
        ).count
    }
}

extension Job {
    /// From a row of `claim_jobs.sql` or `read_leased_job.sql`.
    convenience init(_ row: PostgresRow, leaseEnds: ContinuousClock.Instant) throws(PostgresError) {
        self.init(
            lease: Lease(jobID: JobID(rawValue: try row.int64(0)), token: try row.int64(1)),
            lane: LaneID(rawValue: try row.int32(2)),
            kind: try row.value(13, JobKind.init(rawValue:)),
            attempt: Int(try row.int32(3)),
            uncertainAttempts: Int(try row.int32(14)),
            missingSince: try row.optionalTimestamp(15)?.date,
            lastMissingAt: try row.optionalTimestamp(16)?.date,
            rescues: Int(try row.int16(4)),
            crashes: Int(try row.int16(5)),
            createdAt: try row.timestamp(6).date,
            claimedAt: try row.timestamp(7).date,
            leaseEnds: leaseEnds,
            proof: try row.optionalString(8) ?? "",
            hintedTransactionID: try row.optionalString(9).map(TransactionID.init(rawValue:)),
            hintIsGrantedToOrder: try row.bool(10),
            order: try Order(row, at: 17),
            policy: try AppPolicy(row, at: 28)
        )
    }
}

extension Order {
    /// From the columns of the view `order_facts`, of which `column` is the first.
    init(_ row: PostgresRow, at column: Int) throws(PostgresError) {
        self.init(
            id: OrderID(rawValue: try row.string(column)),
            bundleID: BundleID(rawValue: try row.string(column + 1)),
            productID: ProductID(rawValue: try row.string(column + 2)),
            accountID: AccountID(rawValue: try row.string(column + 3)),
            quantity: Int(try row.int32(column + 4)),
            appAccountToken: try row.optionalUUID(column + 5),
            isRecovery: try row.bool(column + 6),
            createdAt: try row.timestamp(column + 7).date,
            state: try row.value(column + 8, OrderState.init(rawValue:)),
            transactionID: try row.optionalString(column + 9).map(TransactionID.init(rawValue:)),
            productKind: try row.optionalString(column + 10).flatMap(ProductKind.init(rawValue:))
        )
    }
}

extension AppPolicy {
    /// From the columns of the view `order_facts` that follow those of the order, of which `column` is the first.
    init(_ row: PostgresRow, at column: Int) throws(PostgresError) {
        self.init(
            allowsSandbox: try row.bool(column),
            absentToken: try row.value(column + 1, AppPolicy.AbsentToken.init(rawValue:)),
            purchaseTimeTolerance: try row.double(column + 2),
            ledgerStartsAt: try row.optionalTimestamp(column + 3)?.date,
            receiptRoute: try row.value(column + 4, ReceiptRoute.init(rawValue:)),
            confirmation: try row.optionalDouble(column + 5).map(Confirmation.ifOlderThan) ?? .never,
            finishesTransactions: try row.bool(column + 6)
        )
    }
}

extension PostgresRow {
    /// A column whose text is one of a closed list.
    func value<Value>(_ column: Int, _ make: (String) -> Value?) throws(PostgresError) -> Value {
        let text = try string(column)
        guard let value = make(text) else {
            throw PostgresError(.decoding, message: "column \(columnName(column)) holds an unknown value")
        }
        return value
    }
}
