// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import Postgres
import Schema
import Verification

/// Ends attempts in batches: one short database transaction, in one round trip by the short path (``SettlementPath``), mostly in
/// three by the careful one.
package struct SettlementStore: Sendable {
    /// The column of `lock_own_orders.sql`.
    enum OwnOrderColumn: Int, RowColumn { case orderID }

    let pool: PostgresPool
    let workerID: WorkerID
    let keptProofs: KeptProofLimits

    package init(pool: PostgresPool, workerID: WorkerID, keptProofs: KeptProofLimits = KeptProofLimits()) {
        self.pool = pool
        self.workerID = workerID
        self.keptProofs = keptProofs
    }

    /// How long a settlement waits for a payment that somebody else has locked, at most. The careful path waits for no job and, but
    /// for a lone grant, for no order; the short path waits so long for these too.
    package static let longestLockWait = "50ms"

    /// How long after the end of the paid period an order waits for the renewal that is to pay for it, in seconds.
    package static let renewalPatience: Double = Transaction.renewalWindow

    /// Settles a batch that holds each order at most once, in one database transaction, by the careful path.
    ///
    /// A batch of lone grants takes three round trips. The connection pipelines: a statement whose rows nobody needs is sent
    /// together with the next one.
    ///
    /// ```
    /// round trip  statements                         purpose
    /// 1           begin, set_lock_timeout
    ///             lock_settling_jobs                 the fence: removes or locks the jobs whose lease is held
    /// 2           lock_originals, lock_payments      keeps other settlements off the same payments
    ///             insert_payments, insert_words,
    ///             settle_payments                    refunds come first: a refunded payment is never granted
    ///             insert_grants                      for lone candidates: the unique keys decide; returns the granted orders
    /// 2a, 2b …    read_payments, insert_grants       for candidates with a choice or an objection, for those not granted, and for
    ///                                                payments that are kept
    ///             lock_own_orders                    between these two, for payments that were made for other orders
    /// 3           insert_payments, record_period_ends, settle_orders, await_renewals, insert_finish_jobs, requeue_renewals,
    ///             end_jobs, settle_staying_jobs, keep_proofs, append_attempts, record_notifications, and what else was told;
    ///             call_tell_subscriptions            the feed, by all that was written
    ///             commit
    /// ```
    ///
    /// The order of locks: jobs, orders that must be locked before they are read, originals, payments and grants by key. An
    /// order that is only granted a lone candidate is locked by its grant.
    ///
    /// If the process dies
    /// - after round trip 1 or 2, the server rolls everything back: the jobs keep their leases, and are rescued when those expire;
    /// - after the commit was sent, the batch is written whole or not at all. Settling it again is safe: a settled job
    ///   has no lease any more, and the fence matches nothing.
    ///
    /// - Parameter locksOrders: whether all orders are locked before anything else: for what couldn't be settled without.
    /// - Returns: the results, lost leases first; and the settlements whose jobs or orders somebody else has locked: nothing was
    ///   written for them.
    /// - Throws: ``PostgresError``; then nothing of the batch was written, unless its kind is `outcomeUnknown`. ``OrdersMoved``: an
    ///   order was moved by somebody else before it was locked, and nothing was written.
    package func settle(
        _ batch: [Settlement], locksOrders: Bool = false
    ) async throws -> (results: [SettlementResult], locked: [Settlement]) {
        try await pool.withTransaction { connection in
            try await connection.enqueue(SQLFile.setLockTimeout.statement, [.text(Self.longestLockWait)])
            let jobs = try await lock(batch, locksOrders: locksOrders, connection)
            var pending: [PendingSettlement] = []
            var locked: [Settlement] = []
            var lost: [SettlementResult] = []
            for settlement in batch {
                switch jobs[settlement.job.id] {
                case .leased: pending.append(PendingSettlement(settlement, locksOrder: locksOrders || settlement.locksOrder))
                case .locked: locked.append(settlement)
                case .lost: lost.append(SettlementResult(settlement: settlement, result: .leaseLost))
                }
            }
            try await lockPayments(of: pending, connection)
            try await denySandbox(pending, connection)
            try await write(pending.flatMap { $0.settlement.payments.flatMap(\.words) }, connection)
            try await decide(pending, connection)
            try await record(pending, connection)
            return (lost + pending.map(\.result), locked)
        }
    }

    /// The fence.
    private func lock(
        _ batch: [Settlement], locksOrders: Bool, _ connection: PostgresConnection
    ) async throws -> FencedJobs {
        let batch = batch.sorted { $0.job.id.rawValue < $1.job.id.rawValue }
        let rows = try await connection.execute(
            SQLFile.lockSettlingJobs.statement, Columns(batch) { Self.fence(&$0, locksOrders: locksOrders) }.parameters)
        return try FencedJobs(rows, of: batch.count)
    }

    /// The parameters of `lock_settling_jobs.sql`.
    static func fence(_ columns: inout Columns<Settlement>, locksOrders: Bool) {
        columns.int8("job_id", \.job.id.rawValue)
        columns.int8("lease_token", \.job.lease.token)
        columns.bool("ends") { $0.ends && !$0.mayWait }
        columns.bool("locks_order") { $0.locksOrder || locksOrders && $0.job.orderID != nil }
    }

    /// Locks each payment that these settlements may grant, take back or keep, and the originals of those that may have several
    /// names.
    private func lockPayments(of pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        try await lockPayments(
            pending.flatMap { $0.settlement.payments.map { PaymentName($0.transaction) } }, connection)
    }

    /// Decides each settlement that asks for a grant, and how payments are kept.
    ///
    /// A lone candidate without objection goes straight to the unique keys. The others, and those that aren't granted there, are
    /// decided by the ledger's facts in a new snapshot, and try again with the candidates that are left. One whose refund Apple
    /// reversed is decided again after that was recorded.
    private func decide(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        var undecided = pending.filter { $0.isUndecided || $0.wantsFacts }
        for round in 0... {
            guard !undecided.isEmpty else { return }
            // Candidates only become fewer, and are reversed once. A ledger that keeps moving is read again in another database
            // transaction.
            guard round < 8 else {
                throw PostgresError(.server, message: "the ledger kept moving", sqlState: .serializationFailure)
            }
            try await resolve(undecided.filter(\.wantsFacts), connection)
            var trying = undecided.filter { $0.attempted != nil }
            if trying.contains(where: { $0.otherPayee != nil }) { trying = try await lockPayees(of: trying, connection) }
            let granted = try await insertGrants(trying.compactMap(Grant.init), connection)
            for one in trying {
                if let payee = one.payee, granted.contains(payee.id) { one.win() } else { one.lose() }
            }
            undecided = undecided.filter { $0.isUndecided || $0.wantsFacts }
        }
    }

    /// Locks the orders other than their jobs' that payments are to pay for. A settlement waits a turn if somebody else holds its
    /// payee, or if another settlement of the batch tries to pay that order.
    ///
    /// - Returns: the settlements to try now, each with a payee of its own.
    private func lockPayees(
        of trying: [PendingSettlement], _ connection: PostgresConnection
    ) async throws -> [PendingSettlement] {
        let payees = Set(trying.compactMap(\.otherPayee))
        let rows = try await connection.execute(
            SQLFile.lockOwnOrders.statement, [.textArray(payees.map(\.rawValue))])
        let locked = try Set(rows.map { OrderID(rawValue: try $0.named(by: OwnOrderColumn.self).string(.orderID)) })
        var taken = Set(trying.filter { $0.otherPayee == nil }.compactMap(\.payee?.id))
        return trying.filter { one in
            guard let payee = one.otherPayee else { return true }
            if locked.contains(payee) && taken.insert(payee).inserted { return true }
            one.wait(for: payee)
            return false
        }
    }

    /// Locks the orders that were to be locked by their grants, which the ledger refused.
    private func lockOrders(of pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        guard !pending.isEmpty else { return }
        try await connection.enqueue(
            SQLFile.lockOrders.statement, [.textArray(pending.map(\.job.orderID?.rawValue))])
        for one in pending { one.locksOrder = true }
    }

    /// Reads the ledger's facts about all payments of these settlements, and decides each by them.
    private func resolve(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        guard !pending.isEmpty else { return }
        try await lockOrders(of: pending.filter { $0.isUndecided && !$0.locksOrder }, connection)
        let asked = pending.map(\.asked)
        let (facts, rows) = try await readFacts(asked.flatMap(\.self), connection)
        var next = 0
        for (one, asked) in zip(pending, asked) {
            let first = next
            next += asked.count
            let payments = zip(asked, facts[first..<next]).map { PaymentFacts($0.payment.shown, ledger: $1) }
            if try (first..<next).contains(where: { try rows[$0].recordsRefundOfPart }) { one.recordsRefundOfPart = true }
            let reversed = one.reversals(by: payments)
            if reversed.isEmpty {
                let isUnordered = one.showingOrder == nil && !one.isUndecided
                one.decide(payments, unordered: isUnordered ? try AppPolicy(ofUnorderedPayment: rows[first]) : nil)
            } else {
                try await write(
                    reversed.map { PaymentWord(reversalOf: PaymentName($0), at: one.job.claimedAt, comesLast: true) }, connection)
            }
        }
    }

    /// What Apple tells of a sandbox purchase that the app doesn't take is kept as denied, and nothing else.
    private func denySandbox(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let denied = try await denied(pending.compactMap { $0.settlement.notification?.payment }, connection)
        guard !denied.isEmpty else { return }
        for one in pending {
            guard let payment = one.settlement.notification?.payment else { continue }
            if denied.contains(PaymentName(payment.transaction)) { one.deny() }
        }
    }

    /// Writes all that was decided. A statement that has nothing to write isn't sent.
    private func record(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        try await keepPayments(pending, connection)
        try await recordPeriodEnds(pending, connection)
        try await recordAccesses(pending, connection)
        try await settleOrders(pending, connection)
        try await awaitRenewals(pending, connection)
        try await insertFinishJobs(pending, connection)
        try await requeueRenewals(pending, connection)
        try await endJobs(pending, connection)
        try await settleStayingJobs(pending, connection)
        try await keepProofs(pending, connection)
        try await appendAttempts(pending, connection)
        try await recordNotifications(pending, connection)
        try await requeueDenied(pending, connection)
        try await uploadFoundPayments(pending, connection)
        try await tellKeptPayments(pending, connection)
        try await tellBroughtPayments(pending, connection)
        try await tellSubscriptions(
            Self.periods(among: pending.flatMap { $0.settlement.payments.map(\.transaction) }), connection)
    }
}
