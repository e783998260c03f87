// SPDX-License-Identifier: Apache-2.0

package import Postgres
import Schema
package import Verification

/// Reads the ledger's facts about candidates, outside of any settlement: they may have changed when a settlement comes.
package struct LedgerReader: Sendable {
    let pool: PostgresPool

    /// One answer for each candidate, in their order.
    package func facts(of candidates: [Candidate], for order: OrderID) async throws(PostgresError) -> [LedgerFacts] {
        let rows = try await pool.execute(
            SQLFile.readLedger.statement,
            Self.parameters(candidates, orders: Array(repeating: order.rawValue, count: candidates.count)),
            timeout: AttemptRunner.databaseTimeout)
        guard rows.count == candidates.count else {
            throw PostgresError(.protocolViolation, message: "the ledger answered for another number of candidates")
        }
        var facts: [LedgerFacts] = []
        for row in rows {
            facts.append(try LedgerFacts(row))
        }
        return facts
    }

    /// The parameters of `read_ledger.sql`: an order for each candidate.
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
            .timestampArray(
                candidates.map { $0.mayBeAnotherOrders ? PostgresTimestamp($0.transaction.paymentDate(as: $0.kind)) : nil }),
            .textArray(paid.map(\.purchaseReason?.rawValue)),
        ]
    }
}

extension LedgerFacts {
    /// The columns of `read_ledger.sql`.
    enum Column: Int, RowColumn {
        case holderOrderID, holderAccountID, holderTransactionID, refundedAsOf, refundRecordedAt, isPartlyRefunded,
            isAddition, originalWasRevokedBefore, isAnotherAccounts, orderState, ownOrderID, isRenewal, purchaseReason,
            wasShownInTime
    }

    /// From a row of `read_ledger.sql`.
    init(_ row: PostgresRow) throws(PostgresError) {
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
        self.init(
            holder: holder,
            refund: refund,
            isPartlyRefunded: try columns.bool(.isPartlyRefunded),
            isAddition: try columns.bool(.isAddition),
            originalWasRevokedBefore: try columns.bool(.originalWasRevokedBefore),
            isAnotherAccounts: try columns.bool(.isAnotherAccounts),
            ownOrder: try columns.optionalString(.ownOrderID).map(OrderID.init(rawValue:)),
            isRenewal: try columns.bool(.isRenewal),
            purchaseReason: try columns.optionalString(.purchaseReason).flatMap(Transaction.PurchaseReason.init(rawValue:)),
            wasShownInTime: try columns.bool(.wasShownInTime),
            orderState: try columns.value(.orderState, OrderState.init(rawValue:)))
    }
}
