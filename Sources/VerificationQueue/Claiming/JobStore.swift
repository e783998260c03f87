// SPDX-License-Identifier: Apache-2.0

package import Postgres
import Schema
package import Verification

/// Claims, reads and rescues jobs.
package struct JobStore: Sendable {
    /// The last column of `read_leased_job.sql`.
    enum HolderColumn: Int, RowColumn { case workerID }

    private let pool: PostgresPool

    package init(pool: PostgresPool) {
        self.pool = pool
    }

    /// Leases available jobs in one statement and one commit.
    ///
    /// A claim may return fewer jobs than its limit although more wait. If another worker claims a job of the same order at the
    /// same moment, or a job was taken to be its order's only one and isn't, a unique index refuses the whole claim. Then it is
    /// sent again, and looks at the other jobs of each order. If it is refused again, it returns no job, and the next one sees the
    /// other job running.
    ///
    /// - Parameter unreadable: gets the error of a job whose row this worker can't read: one of a kind that a newer worker brought.
    ///   The job stays leased. When the lease ends it is rescued, for whichever worker claims it then. The others are returned.
    package func claim(
        _ plan: ClaimPlanner.Plan, worker: WorkerID, proofBytes: Int, lease: Duration, probing: LaneID? = nil,
        unreadable: (PostgresError) -> Void = { _ in }
    ) async throws(PostgresError) -> [ClaimedJob] {
        let leaseEnds = ContinuousClock.now + lease
        for looksAtOthers in [false, true] {
            do {
                let rows = try await pool.execute(
                    SQLFile.claimJobs.statement,
                    [
                        .int4Array(plan.lanes.map(\.rawValue)), .int4Array(plan.quotas), .timestampArray(plan.lowWaterMarks),
                        .int4(plan.limit), .int8(Int64(proofBytes)), .int8(worker.rawValue), .double(lease.seconds),
                        .int4(probing?.rawValue), .bool(looksAtOthers),
                    ]
                )
                return Self.read(rows, leaseEnds: leaseEnds, unreadable: unreadable)
            } catch where error.constraint == "one_job_of_an_order_runs_at_a_time" {
                if !looksAtOthers { _ = try await pool.execute(SQLFile.markJobsBesideOthers.statement) }
            }
        }
        return []
    }

    private static func read(
        _ rows: PostgresResult, leaseEnds: ContinuousClock.Instant, unreadable: (PostgresError) -> Void
    ) -> [ClaimedJob] {
        var claimed: [ClaimedJob] = []
        claimed.reserveCapacity(rows.count)
        for row in rows {
            do {
                claimed.append(try ClaimedJob(row, leaseEnds: leaseEnds))
            } catch {
                unreadable(error)
            }
        }
        return claimed
    }

    /// Makes the jobs available again that are leased to this worker and aren't among `known`: those of a claim whose answer was
    /// lost. Their attempts aren't counted.
    ///
    /// - Returns: how many there were.
    package func handBackLostClaims(
        of worker: WorkerID, known: [Lease], timeout: Duration
    ) async throws(PostgresError) -> Int {
        try await pool.execute(
            SQLFile.handBackLostClaims.statement,
            [.int8(worker.rawValue), .int8Array(known.map(\.jobID.rawValue)), .int8Array(known.map(\.token))], timeout: timeout
        ).count
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
        let holder = row.named(by: HolderColumn.self, from: Job.Column.allCases.count + OrderFactsColumn.allCases.count)
        return (try Job(row, leaseEnds: leaseEnds), WorkerID(rawValue: try holder.int64(.workerID)))
    }

    /// Makes all jobs available again whose leases ran out, batch by batch.
    ///
    /// If the database refuses a batch, the jobs follow one by one: one of them may be at fault. A scan leaves as
    /// many as a batch holds; with more, more than a job is at fault.
    ///
    /// - Returns: how many were rescued, and why the database refused others.
    package func rescueAllExpired(
        within span: Duration? = nil, batch: Int = 100
    ) async throws(PostgresError) -> (rescued: Int, refusal: PostgresError?) {
        var rescued = 0
        var limit = batch
        var refused = 0
        var refusal: PostgresError?
        while refused < batch {
            do {
                let count = try await rescueExpired(limit: limit, within: span, leaving: refused)
                rescued += count
                if count < limit { break }
            } catch where error.kind == .server && !error.isConnectionLoss {
                if limit == 1 {
                    refused += 1
                    refusal = error
                }
                limit = 1
            }
        }
        return (rescued, refusal)
    }

    /// Makes jobs available again whose leases ran out.
    ///
    /// - Parameters:
    ///   - span: how long ago they did, at most; nil: however long.
    ///   - refused: how many of the oldest to leave.
    /// - Returns: how many there were; as many as the limit means that there may be more.
    package func rescueExpired(
        limit: Int, within span: Duration? = nil, leaving refused: Int = 0
    ) async throws(PostgresError) -> Int {
        try await pool.execute(
            SQLFile.rescueExpiredJobs.statement,
            [.int4(Int32(clamping: limit)), .double(span?.seconds), .int4(Int32(clamping: refused))]
        ).count
    }
}

/// A job as a claim returned it, with its place in the queue.
package struct ClaimedJob: Sendable {
    package let job: Job
    package let priority: Int
    package let runAt: PostgresTimestamp

    init(_ row: PostgresRow, leaseEnds: ContinuousClock.Instant) throws(PostgresError) {
        let columns = row.named(by: Job.Column.self)
        job = try Job(row, leaseEnds: leaseEnds)
        priority = Int(try columns.int16(.priority))
        runAt = try columns.timestamp(.runAt)
    }
}

extension Job {
    /// The columns of `claim_jobs.sql` and `read_leased_job.sql` before those of ``OrderFactsColumn``.
    enum Column: Int, RowColumn {
        case id, leaseToken, lane, attempt, rescues, crashes, createdAt, claimedAt, proof, transactionID, hintIsGranted, priority,
            runAt, kind, uncertainAttempts, missingSince, lastMissingAt, notificationID, isFound
    }

    /// From a row of `claim_jobs.sql` or `read_leased_job.sql`.
    convenience init(_ row: PostgresRow, leaseEnds: ContinuousClock.Instant) throws(PostgresError) {
        let columns = row.named(by: Column.self)
        self.init(
            lease: Lease(jobID: JobID(rawValue: try columns.int64(.id)), token: try columns.int64(.leaseToken)),
            lane: LaneID(rawValue: try columns.int32(.lane)),
            attempt: Int(try columns.int32(.attempt)),
            uncertainAttempts: Int(try columns.int32(.uncertainAttempts)),
            missingSince: try columns.optionalTimestamp(.missingSince)?.date,
            lastMissingAt: try columns.optionalTimestamp(.lastMissingAt)?.date,
            rescues: Int(try columns.int16(.rescues)),
            crashes: Int(try columns.int16(.crashes)),
            createdAt: try columns.timestamp(.createdAt).date,
            claimedAt: try columns.timestamp(.claimedAt).date,
            leaseEnds: leaseEnds,
            work: try Work(columns, row.named(by: OrderFactsColumn.self, from: Column.allCases.count))
        )
    }
}

extension Work {
    /// What a job's kind needs is there by `rule_broken_by_job.sql`, so that no job is claimed and rescued for ever:
    /// `proofs_are_of_jobs_that_verify`, `follow_ups_name_a_transaction` and `jobs_have_an_order_or_a_notification`.
    init(_ columns: NamedRow<Job.Column>, _ facts: NamedRow<OrderFactsColumn>) throws(PostgresError) {
        switch try columns.value(.kind, JobKind.init(rawValue:)) {
        case .verify:
            self = .verify(
                Upload(
                    try Ordered(facts), proof: try columns.string(.proof),
                    hint: try columns.optionalString(.transactionID).flatMap { TransactionID(hint: $0) },
                    hintIsGranted: try columns.bool(.hintIsGranted), source: try columns.bool(.isFound) ? .found : .client))
        case .finish:
            self = .finish(
                Granted(try Ordered(facts), transaction: TransactionID(rawValue: try columns.string(.transactionID))))
        case .notification:
            self = .record(
                Told(
                    NotificationID(rawValue: try columns.int64(.notificationID)), text: try columns.optionalString(.proof) ?? ""))
        }
    }
}

extension Ordered {
    convenience init(_ facts: NamedRow<OrderFactsColumn>) throws(PostgresError) {
        self.init(try Order(facts), try AppPolicy(facts), number: OrderNumber(rawValue: try facts.int64(.orderNumber)))
    }
}

/// The columns of the view `order_facts`: those of the order, then those of its app's policy.
enum OrderFactsColumn: Int, RowColumn {
    case orderID, bundleID, productID, accountID, quantity, appAccountToken, recovery, orderedAt, orderState, orderTransactionID,
        lastAttemptAt, productKind, orderNumber

    case allowsSandbox, absentTokenPolicy, purchaseTimeTolerance, ledgerStartsAt, receiptRoute, confirmAfter, finishTransactions,
        policyNumber
}

extension Order {
    init(_ facts: NamedRow<OrderFactsColumn>) throws(PostgresError) {
        self.init(
            id: OrderID(rawValue: try facts.string(.orderID)),
            bundleID: BundleID(rawValue: try facts.string(.bundleID)),
            productID: ProductID(rawValue: try facts.string(.productID)),
            accountID: AccountID(rawValue: try facts.string(.accountID)),
            quantity: Int(try facts.int32(.quantity)),
            appAccountToken: try facts.optionalUUID(.appAccountToken),
            isRecovery: try facts.bool(.recovery),
            createdAt: try facts.timestamp(.orderedAt).date,
            state: try facts.value(.orderState, OrderState.init(rawValue:)),
            transactionID: try facts.optionalString(.orderTransactionID).map(TransactionID.init(rawValue:)),
            lastAttemptAt: try facts.optionalTimestamp(.lastAttemptAt)?.date,
            productKind: try facts.optionalString(.productKind).flatMap(ProductKind.init(rawValue:))
        )
    }
}

extension AppPolicy {
    init(_ facts: NamedRow<OrderFactsColumn>) throws(PostgresError) {
        self.init(
            allowsSandbox: try facts.bool(.allowsSandbox),
            absentToken: try facts.value(.absentTokenPolicy, AppPolicy.AbsentToken.init(rawValue:)),
            purchaseTimeTolerance: try facts.double(.purchaseTimeTolerance),
            ledgerStartsAt: try facts.optionalTimestamp(.ledgerStartsAt)?.date,
            receiptRoute: try facts.value(.receiptRoute, ReceiptRoute.init(rawValue:)),
            confirmation: try facts.optionalDouble(.confirmAfter).map(Confirmation.ifOlderThan) ?? .never,
            finishesTransactions: try facts.bool(.finishTransactions),
            number: Int(try facts.int32(.policyNumber))
        )
    }
}
