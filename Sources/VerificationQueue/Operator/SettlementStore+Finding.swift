// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import Verification

/// The orders and payments that an operator's decision is about.
extension SettlementStore {
    /// A payment that an order's proofs showed, or that was granted to the order.
    struct Payment {
        let transaction: Transaction
        let isGranted: Bool
        /// For the order's own product, and no renewal.
        let isOwn: Bool
        /// When it was paid at the latest. Apple has dated purchases an hour ahead: such a one was seen before its own date.
        let paidBy: Date
    }

    /// The last column of `lock_order.sql`, after those of ``OrderFactsColumn``.
    enum LockTimeColumn: Int, RowColumn { case now }

    /// The columns of `find_grant.sql`.
    enum GrantColumn: Int, RowColumn { case orderID, grantedAt }

    /// The columns of `find_unclaimed_transaction.sql`.
    enum UnclaimedColumn: Int, RowColumn {
        case environment, transactionID, originalTransactionID, webOrderLineItemID, productID, productKind, quantity, purchasedAt,
            expiresAt, appAccountToken, reason
    }

    /// The columns of `find_payments.sql`.
    enum PaymentColumn: Int, RowColumn {
        case bundleID, environment, transactionID, originalTransactionID, webOrderLineItemID, productID, purchasedAt, isGranted, isOwn,
            seenAt
    }

    /// The columns of `find_revocations_in_force.sql`.
    enum RevocationColumn: Int, RowColumn {
        case bundleID, environment, transactionID, originalTransactionID, otherOrderID
    }

    /// The order with its app's policy and the database's time, locked until the end of the database transaction.
    func lock(
        _ id: OrderID, _ connection: PostgresConnection
    ) async throws -> (order: Order, policy: AppPolicy, now: Date) {
        // Twice: only the second answer shows the change that the lock waited for.
        _ = try await connection.execute(SQLFile.lockOrder.statement, [.text(id.rawValue)])
        let rows = try await connection.execute(SQLFile.lockOrder.statement, [.text(id.rawValue)])
        guard let row = rows.first else { throw OperatorError.noSuchOrder }
        let facts = row.named(by: OrderFactsColumn.self)
        let time = row.named(by: LockTimeColumn.self, from: OrderFactsColumn.allCases.count)
        return (try Order(facts), try AppPolicy(facts), try time.timestamp(.now).date)
    }

    /// The verified payment that is meant; and why the ledger keeps it ungranted, where its facts are the ledger's.
    ///
    /// - Parameters:
    ///   - fetched: what Apple answered just now.
    ///   - faults: the facts of that which can't be read.
    func find(
        _ id: TransactionID, in environment: AppStoreEnvironment?, fetched: Transaction?, faults: [String], for order: Order,
        _ connection: PostgresConnection
    ) async throws -> (shown: ShownPayment, kept: Reason?) {
        let key: [PostgresParameter] = [
            .text(order.bundleID.rawValue), .text(id.rawValue), .text(environment?.rawValue),
        ]
        let holders = try await connection.execute(SQLFile.findGrant.statement, key)
        if let holder = holders.first?.named(by: GrantColumn.self), holders.count == 1 || environment != nil {
            throw OperatorError.granted(OrderID(rawValue: try holder.string(.orderID)))
        }
        if let fetched {
            let shown = ShownPayment(
                fetched, listedKind: order.listedKind(of: fetched.productID), isConfirmed: true, faults: faults)
            return (shown, nil)
        }
        let rows = try await connection.execute(SQLFile.findUnclaimedTransaction.statement, key)
        guard let row = rows.first?.named(by: UnclaimedColumn.self) else { throw OperatorError.notVerified }
        guard rows.count == 1 else { throw OperatorError.inBothEnvironments }
        let transaction = Transaction(
            bundleID: order.bundleID, environment: try row.value(.environment, AppStoreEnvironment.init(rawValue:)),
            id: TransactionID(rawValue: try row.string(.transactionID)),
            originalID: TransactionID(rawValue: try row.string(.originalTransactionID)),
            webOrderLineItemID: try row.optionalString(.webOrderLineItemID),
            productID: ProductID(rawValue: try row.string(.productID)),
            productKind: try row.optionalString(.productKind).flatMap(ProductKind.init(rawValue:)),
            quantity: Int(try row.int32(.quantity)), purchaseDate: try row.timestamp(.purchasedAt).date,
            expiresDate: try row.optionalTimestamp(.expiresAt)?.date, appAccountToken: try row.optionalUUID(.appAccountToken))
        return (
            ShownPayment(transaction, listedKind: order.listedKind(of: transaction.productID)),
            try row.optionalString(.reason).flatMap(Reason.init(rawValue:))
        )
    }

    /// What the ledger knows of a payment, with the order and the payment locked.
    func facts(
        of shown: ShownPayment, for order: Order, _ connection: PostgresConnection
    ) async throws -> PaymentFacts {
        let asked = AskedPayment(PaymentFacts(shown), orderID: order.id)
        return PaymentFacts(shown, ledger: try await readFacts([asked], connection).facts[0])
    }

    /// The one payment that is meant; without an id the only one for the order's own product.
    func payment(
        _ id: TransactionID?, of order: Order, takenBackAt now: Date, _ connection: PostgresConnection
    ) async throws -> Payment {
        let shown = try await payments(of: order, takenBackAt: now, connection)
        let payments = shown.filter { id == nil ? $0.isOwn : $0.transaction.id == id }
        guard let payment = payments.first else {
            throw id != nil || shown.isEmpty ? OperatorError.nothingPaid : .otherPayments(shown.map(\.transaction.id))
        }
        guard payments.count == 1 else { throw OperatorError.severalPayments(payments.map(\.transaction.id)) }
        return payment
    }

    /// Whether the payment is taken back, now that its refund is recorded. A later word of Apple's may outweigh that refund.
    func isTakenBack(
        _ payment: Payment, of order: Order, takenBackAt now: Date, _ connection: PostgresConnection
    ) async throws -> Bool {
        if payment.isGranted { return try await lock(order.id, connection).order.state != .fulfilled }
        return try await !payments(of: order, takenBackAt: now, connection).contains { $0.transaction.id == payment.transaction.id }
    }

    /// - Returns: also payments that aren't the order's own, which its proofs showed: of other products, and renewals.
    func payments(
        of order: Order, takenBackAt now: Date, _ connection: PostgresConnection
    ) async throws -> [Payment] {
        let rows = try await connection.execute(SQLFile.findPayments.statement, [.text(order.id.rawValue)])
        return try rows.map { row in
            let columns = row.named(by: PaymentColumn.self)
            let purchaseDate = try columns.timestamp(.purchasedAt).date
            return Payment(
                transaction: Transaction(
                    bundleID: BundleID(rawValue: try columns.string(.bundleID)),
                    environment: try columns.value(.environment, AppStoreEnvironment.init(rawValue:)),
                    id: TransactionID(rawValue: try columns.string(.transactionID)),
                    originalID: TransactionID(rawValue: try columns.string(.originalTransactionID)),
                    webOrderLineItemID: try columns.optionalString(.webOrderLineItemID),
                    productID: ProductID(rawValue: try columns.string(.productID)),
                    // No payment was refunded before it was made.
                    purchaseDate: purchaseDate, revocation: .whole(max(now, purchaseDate), by: .operator, asOf: now)),
                isGranted: try columns.bool(.isGranted), isOwn: try columns.bool(.isOwn),
                paidBy: min(purchaseDate, try columns.timestamp(.seenAt).date))
        }
    }

    /// The revocations of the order's payment, or of the one of that id, each with another order whose grant it took back.
    func revocationsInForce(
        _ id: TransactionID?, of order: Order, _ connection: PostgresConnection
    ) async throws -> [(payment: PaymentName, otherOrder: OrderID?)] {
        let rows = try await connection.execute(
            SQLFile.findRevocationsInForce.statement, [.text(order.id.rawValue), .text(id?.rawValue)])
        return try rows.map { row in
            let columns = row.named(by: RevocationColumn.self)
            return (
                PaymentName(
                    bundleID: BundleID(rawValue: try columns.string(.bundleID)),
                    environment: try columns.value(.environment, AppStoreEnvironment.init(rawValue:)),
                    id: TransactionID(rawValue: try columns.string(.transactionID)),
                    originalID: TransactionID(rawValue: try columns.string(.originalTransactionID)), mayHaveOthers: true),
                try columns.optionalString(.otherOrderID).map(OrderID.init(rawValue:))
            )
        }
    }
}
