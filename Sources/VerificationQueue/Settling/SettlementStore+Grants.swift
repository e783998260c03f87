// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import Verification

extension SettlementStore {
    /// The column of `grant_first_payments.sql`.
    enum FirstGrantColumn: Int, RowColumn { case jobID }

    /// Grants each payment to its order.
    ///
    /// - Parameter isOperatorDecision: an operator knows whose the payments are, and that they count although what they renew was
    ///   refunded.
    /// - Returns: the orders that were granted their payment.
    /// - Throws: ``OrdersMoved`` if one of the granted orders can't be paid any more.
    func insertGrants(
        _ grants: [Grant], isOperatorDecision: Bool = false, _ connection: PostgresConnection
    ) async throws -> GrantedOrders {
        guard !grants.isEmpty else { return .all }
        let columns = Columns(grants) { Self.grants(&$0, isOperatorDecision: isOperatorDecision) }
        let rows = try await connection.execute(SQLFile.insertGrants.statement, columns.parameters)
        if let row = rows.first, try row.named(by: GrantedOrders.Column.self).int64(.paid) != rows.count { throw OrdersMoved() }
        return try GrantedOrders(rows, of: grants.count)
    }

    /// The parameters of `insert_grants.sql`.
    static func grants(_ columns: inout Columns<Grant>, isOperatorDecision: Bool) {
        columns.text("order_id", \.payee.id.rawValue)
        grant(&columns, { $0 }) { key(of: $0.payment, isOperatorDecision: isOperatorDecision).shared }
        columns.text("terms", \.payment.transaction.terms?.json)
        columns.scalar(.bool(isOperatorDecision))
    }

    /// Settles a batch by the short path (``SettlementPath``), in one round trip: grants what the ledger has no word of.
    ///
    /// ```
    /// begin, set_lock_timeout
    /// lock_originals                          keeps other settlements off the same payments under other names
    /// grant_first_payments                    ends jobs, grants, pays orders; returns the jobs that ended
    /// record_period_ends                      of periods that are in the ledger by now
    /// requeue_denied_notifications            of the sandbox
    /// insert_finish_jobs
    /// call_tell_subscriptions
    /// commit
    /// ```
    ///
    /// No renewal is judged again, as the careful path has it (`requeue_renewals.sql`): of a subscription that is granted here the
    /// ledger knows no later period.
    ///
    /// Sent again after an unknown outcome, it finds its jobs gone, and leaves them out or fails: the careful path then finds their
    /// leases lost.
    ///
    /// - Parameter batch: each of the path ``SettlementPath/short``, and each order at most once.
    /// - Returns: the results; and the settlements that were left out, of which nothing was written.
    /// - Throws: ``PostgresError``; then nothing of the batch was written, unless its kind is `outcomeUnknown`.
    package func grantFirst(
        _ batch: [Settlement]
    ) async throws -> (results: [SettlementResult], left: [Settlement]) {
        // The order in which the fence locks jobs.
        let batch = batch.sorted { $0.job.id.rawValue < $1.job.id.rawValue }
        let pending = batch.map { PendingSettlement($0, locksOrder: false) }
        let grants = pending.compactMap(FirstGrant.init)
        var statements: [(statement: PostgresStatement, parameters: [PostgresParameter])] = [
            (SQLFile.setLockTimeout.statement, [.text(Self.longestLockWait)])
        ]
        func add<Row>(_ file: SQLFile, about rows: [Row], _ fill: (inout Columns<Row>) -> Void) {
            guard !rows.isEmpty else { return }
            statements.append((file.statement, Columns(rows, fill).parameters))
        }
        let payments = grants.map(\.grant.payment)
        add(.lockOriginals, about: payments.map { PaymentName($0.transaction) }.filter(\.mayHaveOthers), Self.originals)
        let place = statements.count
        add(.grantFirstPayments, about: grants) { Self.firstGrants(&$0, workerID: workerID) }
        add(.recordPeriodEnds, about: payments.compactMap { PeriodEnd($0.shown) }, Self.periodEnds)
        add(.requeueDeniedNotifications, about: Self.ofSandbox(payments.map(\.transaction)), Self.originals)
        add(.insertFinishJobs, about: pending.compactMap { Self.finishJob(of: $0, for: $0.attempted) }, Self.finishJobs)
        add(.callTellSubscriptions, about: Self.periods(among: payments.map(\.transaction)), Self.toldPayments)
        let rows = try await pool.executeTransaction(statements, answeredBy: place)
        // Most often all: that saves a set.
        let ended: Set<JobID>? =
            try rows.count == grants.count
            ? nil : Set(rows.map { JobID(rawValue: try $0.named(by: FirstGrantColumn.self).int64(.jobID)) })
        var (results, left): ([SettlementResult], [Settlement]) = ([], [])
        for one in pending {
            if one.attempted != nil, one.payee != nil, ended?.contains(one.job.id) ?? true {
                one.win()
                results.append(one.result)
            } else {
                left.append(one.settlement)
            }
        }
        return (results, left)
    }

    /// The parameters of `grant_first_payments.sql`.
    static func firstGrants(_ columns: inout Columns<FirstGrant>, workerID: WorkerID) {
        columns.int8("order_number") { $0.job.orderNumber?.rawValue }
        grant(&columns, \.grant) { $0.payment.key.shared }
        columns.int8("lease_token", \.job.lease.token)
        columns.int4("attempt") { Int32(clamping: $0.job.attempt) }
        columns.text("proof_kind") { $0.proofKind?.rawValue }
        columns.timestamp("submitted_at", \.job.createdAt)
        columns.timestamp("claimed_at", \.job.claimedAt)
        columns.text("terms", \.grant.payment.transaction.terms?.json)
        columns.scalar(.int8(workerID.rawValue))
    }

    /// The parameters that both statements of the settlement have which grant, but for the order.
    private static func grant<Row>(
        _ columns: inout Columns<Row>, _ grant: (Row) -> Grant, key: (Grant) -> String?
    ) {
        columns.int8("job_id") { grant($0).jobID?.rawValue }
        columns.transaction({ grant($0).payment.transaction }) { grant($0).payment.kind ?? .consumable }
        columns.timestamp("expires_at") { grant($0).payment.transaction.expiresDate }
        columns.uuid("app_account_token") { grant($0).payment.transaction.appAccountToken }
        columns.text("payment_key") { key(grant($0)) }
        columns.text("account_id") { grant($0).payee.account.rawValue }
        columns.uuid("order_token") { grant($0).payee.appAccountToken }
        columns.signedFacts { grant($0).payment.transaction }
    }

    private static func key(of payment: PaymentFacts, isOperatorDecision: Bool) -> GrantKey {
        let isBoughtAgain = isOperatorDecision && payment.ledger?.isBoughtAgain == true && payment.kind?.isKeyedByOriginal == true
        return isBoughtAgain ? GrantKey(boughtAgain: payment.transaction) : payment.key
    }
}
