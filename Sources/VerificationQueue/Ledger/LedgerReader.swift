// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import Postgres
import Schema
package import Verification

/// Reads the ledger's facts about payments, outside of any settlement: they may have changed when a settlement comes.
package struct LedgerReader: Sendable {
    let pool: PostgresPool

    /// One answer for each payment, in their order.
    package func facts(of payments: [ShownPayment], for ordered: Ordered) async throws(PostgresError) -> [LedgerFacts] {
        let rows = try await pool.execute(
            SQLFile.readPayments.statement, Self.parameters(payments.map { AskedPayment($0, for: ordered) }),
            timeout: WorkerConfiguration.databaseTimeout)
        return try LedgerFacts.all(rows, of: payments.count)
    }

    static func parameters(_ asked: [AskedPayment]) -> [PostgresParameter] { Columns(asked, payments).parameters }

    /// The parameters of `read_payments.sql`.
    static func payments(_ columns: inout Columns<AskedPayment>) {
        columns.text("order_id") { $0.orderID?.rawValue }
        columns.transaction(\.payment.transaction, kind: \.payment.kind)
        columns.uuid("app_account_token", \.payment.transaction.appAccountToken)
        columns.text("payment_key", \.payment.key.shared)
        columns.timestamp("paid_at", \.payment.paidAt)
        columns.text("purchase_reason") { $0.payment.transaction.purchaseReason?.rawValue }
        columns.bool("wants_own_order", \.wantsOwnOrder)
        columns.timestamp("expires_at", \.payment.transaction.expiresDate)
    }
}

/// A payment that the ledger is asked about.
struct AskedPayment {
    let payment: PaymentFacts

    /// The order that shows it; nil where no client did.
    let orderID: OrderID?

    /// Whether it may pay for an older order of the account (``Fit/mayPayAnOlderOrder(_:than:_:)``).
    let wantsOwnOrder: Bool

    init(_ payment: PaymentFacts, orderID: OrderID?, wantsOwnOrder: Bool = false) {
        self.payment = payment
        self.orderID = orderID
        self.wantsOwnOrder = wantsOwnOrder
    }

    /// A payment that only Apple told.
    init(told shown: ShownPayment) {
        self.init(PaymentFacts(shown), orderID: nil)
    }

    /// A payment that may pay for an order that shows it, or for an older one.
    init(_ shown: ShownPayment, for ordered: Ordered) {
        let payment = PaymentFacts(shown)
        self.init(
            payment, orderID: ordered.order.id,
            wantsOwnOrder: Fit.mayPayAnOlderOrder(
                payment, than: ordered.order, Fit.objections(to: payment, for: ordered.order, under: ordered.policy)))
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

        case recordsRefundOfPart
    }

    /// The rows of `read_payments.sql`, in the order of the payments.
    static func all(_ rows: PostgresResult, of count: Int) throws(PostgresError) -> [LedgerFacts] {
        guard rows.count == count else {
            throw PostgresError(.protocolViolation, message: "the ledger answered for another number of payments")
        }
        var facts: [LedgerFacts] = []
        facts.reserveCapacity(count)
        for row in rows { facts.append(try LedgerFacts(row)) }
        return facts
    }

    /// From a row of `read_payments.sql`.
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
            isBoughtAgain: try columns.bool(.isBoughtAgain),
            isAnotherAccounts: try columns.bool(.isAnothers),
            ownOrder: try columns.optionalString(.ownOrderID).map(OrderID.init(rawValue:)),
            purchaseReason: try columns.optionalString(.purchaseReason).flatMap(Transaction.PurchaseReason.init(rawValue:)),
            orderState: try columns.optionalString(.orderState).flatMap(OrderState.init(rawValue:)),
            firstOrderedAt: try columns.optionalTimestamp(.firstOrderedAt)?.date,
            token: try columns.optionalUUID(.token),
            listedKind: try columns.optionalString(.listedKind).flatMap(ProductKind.init(rawValue:)),
            isAdvancedCommerce: try columns.bool(.isAdvancedCommerce),
            paidAt: try columns.optionalTimestamp(.paidAt)?.date,
            renewedAccount: try columns.optionalString(.renewedAccountID).map(AccountID.init(rawValue:)))
    }
}

extension PostgresRow {
    /// Whether this settlement recorded the refund of a part of the granted payment. The row is one of `read_payments.sql`.
    var recordsRefundOfPart: Bool {
        get throws(PostgresError) { try named(by: LedgerFacts.Column.self).bool(.recordsRefundOfPart) }
    }
}

extension AppPolicy {
    /// From a row of `read_payments.sql` about a payment that no order shows: of its app, as far as it judges such a payment.
    init(ofUnorderedPayment row: PostgresRow) throws(PostgresError) {
        let columns = row.named(by: LedgerFacts.Column.self)
        self.init(
            allowsSandbox: try columns.optionalBool(.allowsSandbox) ?? false,
            ledgerStartsAt: try columns.optionalTimestamp(.ledgerStartsAt)?.date)
    }
}
