// SPDX-License-Identifier: Apache-2.0

package import Postgres
import Schema
import Verification

/// Ends attempts in batches: one short database transaction, one commit, a fixed few statements.
///
/// The path of a batch: the fence (`lock_settling_jobs`), the grants, what the ledger says to those that were not granted,
/// the payments that came to light, the orders, the jobs that stay, the history. Sending a batch again after an unknown
/// outcome is safe: what was applied has no lease any more, and the fence matches nothing.
package struct SettlementStore: Sendable {
    let pool: PostgresPool
    let workerID: WorkerID

    package init(pool: PostgresPool, workerID: WorkerID) {
        self.pool = pool
        self.workerID = workerID
    }

    /// Settles a batch that holds each order at most once.
    ///
    /// - Returns: how each came out, those first whose lease was lost.
    /// - Throws: ``PostgresError``; then nothing of the batch was written, unless its kind is `outcomeUnknown`.
    package func settle(_ batch: [Settlement]) async throws -> [SettlementResult] {
        try await pool.withTransaction { connection in
            let held = try await lock(batch, connection)
            var entries: [PendingSettlement] = []
            var lost: [SettlementResult] = []
            for settlement in batch {
                if held.contains(settlement.job.order.id) {
                    entries.append(PendingSettlement(settlement))
                } else {
                    lost.append(SettlementResult(settlement: settlement, result: .leaseLost))
                }
            }
            try await lockPayments(entries, connection)
            // First, so that what Apple took back is never granted, here or in another order of this batch.
            try await insertRevocations(entries.flatMap(\.settlement.revoked), connection)
            try await decide(entries, connection)
            try await record(entries, connection)
            return lost + entries.map(\.settled)
        }
    }

    /// The fence. Returns the orders whose jobs' leases are still held.
    private func lock(_ batch: [Settlement], _ connection: PostgresConnection) async throws -> ReturnedOrders {
        let rows = try await connection.execute(
            SQLFile.lockSettlingJobs.statement,
            [
                .int8Array(batch.map(\.job.id.rawValue)), .int8Array(batch.map(\.job.lease.token)),
                .boolArray(batch.map(\.ends)),
            ]
        )
        return try ReturnedOrders(rows, of: batch.count)
    }

    /// Keeps other settlements off every payment that these may grant, take back or leave unclaimed.
    private func lockPayments(_ entries: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let candidates = entries.flatMap(\.settlement.candidates)
        let unclaimed = entries.flatMap(\.settlement.unclaimed)
        let revoked = entries.flatMap(\.settlement.revoked)
        func column(_ value: (Transaction) -> String) -> [String?] {
            candidates.map { value($0.transaction) } + unclaimed.map { value($0.transaction) } + revoked.map(value)
        }
        try await lockPayments(
            bundles: column(\.bundleID.rawValue), environments: column(\.environment.rawValue),
            originals: column(\.originalID.rawValue), connection)
    }

    func lockPayments(_ payments: [Transaction], _ connection: PostgresConnection) async throws {
        try await lockPayments(
            bundles: payments.map(\.bundleID.rawValue), environments: payments.map(\.environment.rawValue),
            originals: payments.map(\.originalID.rawValue), connection)
    }

    private func lockPayments(
        bundles: [String?], environments: [String?], originals: [String?], _ connection: PostgresConnection
    ) async throws {
        guard !originals.isEmpty else { return }
        try await connection.enqueue(
            SQLFile.lockPayments.statement, [.textArray(bundles), .textArray(environments), .textArray(originals)])
    }

    /// Grants what the ledger lets be granted, and finds the outcome of everything else.
    ///
    /// A lone candidate without obstacle goes straight to the unique keys. Whoever doesn't win there, or has a choice, is
    /// decided by what the ledger says in a new snapshot, and tries again with what is left.
    private func decide(_ entries: [PendingSettlement], _ connection: PostgresConnection) async throws {
        var undecided = entries.filter(\.isUndecided)
        for round in 0... {
            guard !undecided.isEmpty else { return }
            // Candidates only run out; a ledger that keeps moving is looked at again in another database transaction.
            guard round < 8 else {
                throw PostgresError(.server, message: "the ledger kept moving", sqlState: .serializationFailure)
            }
            try await resolve(undecided.filter { $0.attempted == nil }, connection)
            let trying = undecided.filter { $0.attempted != nil }
            let granted = try await insertGrants(
                trying.compactMap { entry in
                    let job = entry.settlement.job
                    return entry.attempted.map { (job.order.id, job.id, $0) }
                }, connection)
            for entry in trying {
                if granted.contains(entry.settlement.job.order.id) { entry.win() } else { entry.lose() }
            }
            undecided = undecided.filter(\.isUndecided)
        }
    }

    /// - Parameter isOperatorDecision: an operator knows whose the payments are, and that they count although what they renew was
    ///   taken back.
    /// - Returns: the orders that were granted their candidate.
    func insertGrants(
        _ entries: [(order: OrderID, job: JobID?, candidate: Candidate)], isOperatorDecision: Bool = false,
        _ connection: PostgresConnection
    ) async throws -> ReturnedOrders {
        guard !entries.isEmpty else { return .all }
        let candidates = entries.map(\.candidate)
        let rows = try await connection.execute(
            SQLFile.insertGrants.statement,
            [
                .textArray(entries.map(\.order.rawValue)),
                .int8Array(entries.map { $0.job?.rawValue }),
                .textArray(candidates.map(\.transaction.bundleID.rawValue)),
                .textArray(candidates.map(\.transaction.environment.rawValue)),
                .textArray(candidates.map(\.transaction.id.rawValue)),
                .textArray(candidates.map(\.transaction.originalID.rawValue)),
                .textArray(candidates.map(\.transaction.webOrderLineItemID)),
                .textArray(candidates.map(\.transaction.productID.rawValue)),
                .textArray(candidates.map(\.kind.rawValue)),
                .int4Array(candidates.map { Int32(clamping: $0.transaction.quantity) }),
                .timestampArray(candidates.map { PostgresTimestamp($0.transaction.purchaseDate) }),
                .timestampArray(candidates.map { $0.transaction.expiresDate.map(PostgresTimestamp.init) }),
                .uuidArray(candidates.map(\.transaction.appAccountToken)),
                .textArray(candidates.map(\.key.rawValue)),
                .bool(isOperatorDecision),
            ]
        )
        return try ReturnedOrders(rows, of: entries.count)
    }

    /// Asks the ledger about all candidates of some entries, and takes its word.
    private func resolve(_ entries: [PendingSettlement], _ connection: PostgresConnection) async throws {
        guard !entries.isEmpty else { return }
        var orders: [String?] = []
        var candidates: [Candidate] = []
        for settlement in entries.map(\.settlement) {
            for candidate in settlement.candidates {
                orders.append(settlement.job.order.id.rawValue)
                candidates.append(candidate)
            }
        }
        let rows = try await connection.execute(
            SQLFile.readLedger.statement, LedgerReader.parameters(candidates, orders: orders))
        guard rows.count == candidates.count else {
            throw PostgresError(.protocolViolation, message: "the ledger answered for another number of candidates")
        }
        var next = 0
        for entry in entries {
            let own = entry.settlement.candidates
            let facts = try rows[next..<(next + own.count)].map(LedgerFacts.init)
            next += own.count
            entry.resolve(LedgerResolution.resolve(own, facts: facts, order: entry.settlement.job.order))
        }
    }
}

extension LedgerFacts {
    /// From a row of `read_ledger.sql`.
    init(_ row: PostgresRow) throws(PostgresError) {
        var holder: Holder?
        if let order = try row.optionalString(0) {
            holder = Holder(
                orderID: OrderID(rawValue: order), accountID: AccountID(rawValue: try row.string(1)),
                transactionID: TransactionID(rawValue: try row.string(2))
            )
        }
        self.init(
            holder: holder,
            isRevoked: try row.bool(3),
            originalWasRevokedBefore: try row.bool(4),
            tokenBelongsToAnotherAccount: try row.bool(5),
            wasShownByAnotherAccount: try row.bool(6),
            orderState: try row.value(7, OrderState.init(rawValue:)),
            orderOriginalTransactionID: try row.optionalString(8).map(TransactionID.init(rawValue:))
        )
    }
}
