// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import Postgres
import Schema
package import Verification

/// Reads the ledger's facts about candidates, outside of any settlement: they may have changed when a settlement comes.
package struct LedgerReader: Sendable {
    let pool: PostgresPool

    /// One answer for each candidate, in their order.
    package func facts(of candidates: [Candidate], for job: Job) async throws(PostgresError) -> [LedgerFacts] {
        let rows = try await pool.execute(
            SQLFile.readPayments.statement,
            Self.parameters(candidates, orders: Array(repeating: job.order.id.rawValue, count: candidates.count)),
            timeout: AttemptRunner.databaseTimeout)
        guard rows.count == candidates.count else {
            throw PostgresError(.protocolViolation, message: "the ledger answered for another number of candidates")
        }
        var facts: [LedgerFacts] = []
        for (row, candidate) in zip(rows, candidates) {
            facts.append(try LedgerFacts(row, of: candidate, policy: job.policy))
        }
        return facts
    }

    /// The parameters of `read_payments.sql`: an order for each candidate.
    static func parameters(_ candidates: [Candidate], orders: [String?]) -> [PostgresParameter] {
        let paid = candidates.map(\.transaction)
        return [
            .textArray(orders),
            .textArray(paid.map(\.bundleID.rawValue)),
            .textArray(paid.map(\.environment.rawValue)),
            .textArray(paid.map(\.id.rawValue)),
            .textArray(paid.map(\.originalID.rawValue)),
            .textArray(paid.map(\.paidLineItemID)),
            .timestampArray(paid.map { PostgresTimestamp($0.purchaseDate) }),
            .uuidArray(paid.map(\.appAccountToken)),
            .textArray(candidates.map(\.kind.rawValue)),
            .textArray(candidates.map(\.key.shared)),
            .textArray(paid.map(\.productID.rawValue)),
            .int4Array(paid.map { Int32(clamping: $0.quantity) }),
            .timestampArray(candidates.map { PostgresTimestamp($0.transaction.paymentDate(as: $0.kind)) }),
            .textArray(paid.map(\.purchaseReason?.rawValue)),
            .boolArray(candidates.map(\.mayBeAnotherOrders)),
        ]
    }
}

extension LedgerFacts {
    /// The columns of `read_payments.sql`.
    enum Column: Int, RowColumn {
        case isSeen, holderOrderID, holderAccountID, holderTransactionID, refundedAsOf, refundRecordedAt, isPartlyRefunded,
            isAddition, isBoughtAgain, isAnothers, token, purchaseReason, paidAt, isAdvancedCommerce, firstOrderedAt, listedKind,
            renewedAccountID

        case orderAccountID, orderState, ownOrderID

        case ledgerStartsAt, allowsSandbox
    }

    /// From a row of `read_payments.sql`, for the order that shows the candidate.
    ///
    /// - Parameter policy: of the order's app.
    init(_ row: PostgresRow, of candidate: Candidate, policy: AppPolicy) throws(PostgresError) {
        let paidAt = candidate.transaction.paymentDate(as: candidate.kind)
        try self.init(
            row, shownInTimeUntil: candidate.mayBeAnotherOrders ? paidAt.addingTimeInterval(policy.purchaseTimeTolerance) : nil)
    }

    /// - Parameter latest: the latest time of an order that showed the candidate in time; nil where its age doesn't matter.
    init(_ row: PostgresRow, shownInTimeUntil latest: Date?) throws(PostgresError) {
        let columns = row.named(by: Column.self)
        var holder: Holder?
        if let order = try columns.optionalString(.holderOrderID) {
            holder = Holder(
                orderID: OrderID(rawValue: order), accountID: AccountID(rawValue: try columns.string(.holderAccountID)),
                transactionID: TransactionID(rawValue: try columns.string(.holderTransactionID)))
        }
        var refund: Refund?
        if let asOf = try columns.optionalTimestamp(.refundedAsOf) {
            refund = Refund(asOf: asOf.date, recordedAt: try columns.timestamp(.refundRecordedAt).date)
        }
        let account = try columns.string(.orderAccountID)
        var wasShownInTime = false
        if let latest, let first = try columns.optionalTimestamp(.firstOrderedAt) { wasShownInTime = first.date <= latest }
        self.init(
            holder: holder,
            refund: refund,
            isPartlyRefunded: try columns.bool(.isPartlyRefunded),
            isAddition: try columns.bool(.isAddition),
            originalWasRevokedBefore: try columns.bool(.isBoughtAgain),
            isAnotherAccounts: try columns.bool(.isAnothers),
            ownOrder: try columns.optionalString(.ownOrderID).map(OrderID.init(rawValue:)),
            isRenewal: try columns.optionalString(.renewedAccountID) == account,
            purchaseReason: try columns.optionalString(.purchaseReason).flatMap(Transaction.PurchaseReason.init(rawValue:)),
            wasShownInTime: wasShownInTime,
            orderState: try columns.value(.orderState, OrderState.init(rawValue:)))
    }
}
