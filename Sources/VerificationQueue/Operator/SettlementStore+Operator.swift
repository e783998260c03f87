// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import Postgres
import Schema
package import Verification

/// What a person decides in place of a settlement, by the settlement's own statements and in its order of locks: the order,
/// then the payment. The unique keys of the ledger decide here as well.
extension SettlementStore {
    private typealias Payment = (transaction: Transaction, isGranted: Bool, isOwn: Bool)

    /// Grants a verified payment to an order.
    ///
    /// One database transaction, or nothing. Doing it again fails, since the payment is granted then.
    ///
    /// - Parameters:
    ///   - fetched: the transaction as Apple told it just now; nil: the unclaimed payment of that id.
    ///   - overrides: goes over what an operator may know better: product, quantity, owner, the ledger's start, and a refund before
    ///     it.
    /// - Returns: what was gone over.
    /// - Throws: ``OperatorError``; ``PostgresError``.
    package func assign(
        _ id: TransactionID, in environment: AppStoreEnvironment?, fetched: Transaction? = nil, to orderID: OrderID,
        overrides: Bool, by act: OperatorAct
    ) async throws -> [AssignmentObstacle] {
        try await pool.withTransaction { connection in
            let (order, policy, _) = try await lock(orderID, connection)
            let known = try await find(id, in: environment, fetched: fetched, for: order, connection)
            try await lockPayments([known.transaction], connection)
            // Again, now that nobody moves it: it may have been granted or taken back meanwhile.
            let (transaction, kind) = try await find(id, in: environment, fetched: fetched, for: order, connection)

            var candidate = Candidate(transaction, kind: kind ?? .consumable)
            let rows = try await connection.execute(
                SQLFile.readLedger.statement, LedgerReader.parameters([candidate], orders: [orderID.rawValue]))
            let facts = try LedgerFacts(rows[0])
            let obstacles = AssignmentObstacle.all(
                for: transaction, kind: kind, facts: facts, order: order, policy: policy)
            guard obstacles.allSatisfy({ overrides && $0.canBeOverridden }) else { throw OperatorError.obstacles(obstacles) }

            if facts.originalWasRevokedBefore {
                candidate = Candidate(transaction, kind: candidate.kind, isBoughtAgain: true)
            }
            let granted = try await insertGrants(
                [(order.id, nil, candidate)], isOperatorDecision: obstacles.contains(where: \.isForTheLedgerToDecide), connection)
            guard granted.contains(order.id) else { throw OperatorError.ledgerMoved }
            if policy.finishesTransactions {
                _ = try await connection.execute(
                    SQLFile.insertFinishJobs.statement,
                    [
                        .textArray([orderID.rawValue]), .textArray([transaction.environment.rawValue]),
                        .textArray([transaction.id.rawValue]),
                    ])
            }
            let overridden = obstacles.isEmpty ? "" : ", although " + OperatorError.obstacles(obstacles).description
            try await act.record(
                .assigned, "transaction \(transaction.id.rawValue) of \(transaction.environment.rawValue)\(overridden)",
                on: orderID, connection)
            return obstacles
        }
    }

    /// Records that an order's payment was given back, as if Apple had said so: a fulfilled order becomes refunded, and one
    /// whose only payment is unclaimed as well. One that another payment of its product has fulfilled, or may still fulfil, stays
    /// as it is, and so does one of whose proofs a payment of another product is taken back.
    ///
    /// - Parameters:
    ///   - id: which of several payments; nil: the only one for the order's own product.
    ///   - moment: when Apple gave it back; nil: now. What is bought after it under the same original id is a payment of its own.
    /// - Returns: the transaction that was taken back, and the order's state after that.
    /// - Throws: ``OperatorError``; ``PostgresError``.
    package func refund(
        _ orderID: OrderID, transaction id: TransactionID?, at moment: Date? = nil, by act: OperatorAct
    ) async throws -> (transaction: TransactionID, state: OrderState) {
        try await pool.withTransaction { connection in
            let (order, _, now) = try await lock(orderID, connection)
            let date = moment ?? now
            guard date <= now else { throw OperatorError.isToCome }
            // A payment that such an order didn't need is taken back when it is named.
            let isOver = order.state == .refunded || order.state == .cancelled
            guard !isOver || id != nil else { throw OperatorError.obstacles([.orderIs(order.state)]) }
            let shown = try await payment(id, of: order, takenBackAt: date, connection)
            try await lockPayments([shown.transaction], connection)
            // Again, now that nobody moves it: it may have been granted to another order or taken back meanwhile.
            let payment = try await payment(id, of: order, takenBackAt: date, connection)
            guard payment.transaction.id == shown.transaction.id else { throw OperatorError.ledgerMoved }
            guard !isOver || !payment.isGranted else { throw OperatorError.obstacles([.orderIs(order.state)]) }
            guard moment == nil || payment.transaction.purchaseDate <= date else { throw OperatorError.notPaidYet }

            try await insertRevocations([payment.transaction], connection)
            if !payment.isGranted && payment.isOwn && order.state.canBeFulfilled {
                _ = try await connection.execute(
                    SQLFile.settleOrders.statement,
                    [
                        .textArray([orderID.rawValue]), .textArray([OrderState.refunded.rawValue]),
                        .textArray([Reason.refunded.rawValue]), .textArray([payment.transaction.id.rawValue]),
                        .textArray([payment.transaction.environment.rawValue]),
                    ])
            }
            try await act.record(
                .refunded,
                "transaction \(payment.transaction.id.rawValue) of \(payment.transaction.environment.rawValue)",
                on: orderID, connection)
            return (payment.transaction.id, try await lock(orderID, connection).order.state)
        }
    }

    /// Records that a refund was reversed, by Apple or because it never was one: an order that the payment was granted to is
    /// fulfilled again, and one that it was never granted to is left to a person. What was unclaimed before is unclaimed again.
    ///
    /// - Parameters:
    ///   - id: a transaction of the order's app; nil: the order's own payment.
    ///   - moment: when Apple reversed it; nil: now. What was bought after it under the same original id is no payment of its own;
    ///     what was bought while the refund stood is.
    /// - Returns: what nothing stands against any more, and the order's state after that.
    /// - Throws: ``OperatorError``; ``PostgresError``.
    package func reverseRefund(
        _ orderID: OrderID, transaction id: TransactionID?, at moment: Date? = nil, by act: OperatorAct
    ) async throws -> (transactions: [TransactionID], state: OrderState) {
        try await pool.withTransaction { connection in
            let (order, _, now) = try await lock(orderID, connection)
            let date = moment ?? now
            guard date <= now else { throw OperatorError.isToCome }
            let granted = try await payments(of: order, takenBackAt: now, connection).filter(\.isGranted).map(\.transaction)
            let locked = try await granted + standingRevocations(id, of: order, now, connection).map(\.transaction)
            try await lockPayments(locked, connection)
            // Again, now that nobody moves them.
            let standing = try await standingRevocations(id, of: order, now, connection)
            let taken = standing.map(\.transaction)
            let lockedOriginals = Set(locked.map(\.originalID))
            guard taken.allSatisfy({ lockedOriginals.contains($0.originalID) }) else { throw OperatorError.ledgerMoved }
            // It may have been refunded for what turned out to be another payment's refund: then it is only moved back.
            let isForNothing = id == nil && order.state == .refunded && !granted.isEmpty
            guard !taken.isEmpty || isForNothing else { throw OperatorError.nothingTakenBack }
            // That order would stay refunded, and nothing be left to reverse.
            if let other = standing.compactMap(\.otherOrder).first { throw OperatorError.obstacles([.granted(other)]) }

            _ = try await connection.execute(
                SQLFile.insertReversals.statement,
                [
                    .textArray(taken.map(\.bundleID.rawValue)), .textArray(taken.map(\.environment.rawValue)),
                    .textArray(taken.map(\.id.rawValue)), .textArray(taken.map(\.originalID.rawValue)),
                    .timestamp(PostgresTimestamp(date)),
                ])
            _ = try await connection.execute(
                SQLFile.restoreUnclaimedTransactions.statement,
                [
                    .textArray(taken.map(\.bundleID.rawValue)), .textArray(taken.map(\.environment.rawValue)),
                    .textArray(taken.map(\.originalID.rawValue)),
                ])
            if try await standingRevocations(nil, of: order, now, connection).isEmpty {
                _ = try await connection.execute(SQLFile.restoreOrder.statement, [.text(orderID.rawValue)])
            }
            let ids = taken.map(\.id)
            try await act.record(
                .refundReversed,
                ids.isEmpty ? "nothing stands against it" : "transaction " + ids.map(\.rawValue).joined(separator: ", "),
                on: orderID, connection)
            return (ids, try await lock(orderID, connection).order.state)
        }
    }

    /// The order with its app's policy and the database's time, locked until the end of the database transaction.
    private func lock(
        _ id: OrderID, _ connection: PostgresConnection
    ) async throws -> (order: Order, policy: AppPolicy, now: Date) {
        // Twice: what it waited for shows in the second answer only.
        _ = try await connection.execute(SQLFile.lockOrder.statement, [.text(id.rawValue)])
        let rows = try await connection.execute(SQLFile.lockOrder.statement, [.text(id.rawValue)])
        guard let row = rows.first else { throw OperatorError.noSuchOrder }
        return (try Order(row, at: 0), try AppPolicy(row, at: 11), try row.timestamp(18).date)
    }

    /// The verified payment that is meant, with its kind where that is known.
    private func find(
        _ id: TransactionID, in environment: AppStoreEnvironment?, fetched: Transaction?, for order: Order,
        _ connection: PostgresConnection
    ) async throws -> (transaction: Transaction, kind: ProductKind?) {
        let key: [PostgresParameter] = [
            .text(order.bundleID.rawValue), .text(id.rawValue), .text(environment?.rawValue),
        ]
        let holders = try await connection.execute(SQLFile.findGrant.statement, key)
        if let holder = holders.first, holders.count == 1 || environment != nil {
            throw OperatorError.obstacles([.granted(OrderID(rawValue: try holder.string(0)))])
        }
        if let fetched {
            return (fetched, fetched.productKind ?? (fetched.productID == order.productID ? order.productKind : nil))
        }
        let rows = try await connection.execute(SQLFile.findUnclaimedTransaction.statement, key)
        guard let row = rows.first else { throw OperatorError.notVerified }
        guard rows.count == 1 else { throw OperatorError.inBothEnvironments }
        let kind = try row.optionalString(5).flatMap(ProductKind.init(rawValue:))
        let transaction = Transaction(
            bundleID: order.bundleID, environment: try row.value(0, AppStoreEnvironment.init(rawValue:)),
            id: TransactionID(rawValue: try row.string(1)), originalID: TransactionID(rawValue: try row.string(2)),
            webOrderLineItemID: try row.optionalString(3), productID: ProductID(rawValue: try row.string(4)),
            productKind: kind, quantity: Int(try row.int32(6)), purchaseDate: try row.timestamp(7).date,
            expiresDate: try row.optionalTimestamp(8)?.date, appAccountToken: try row.optionalUUID(9))
        return (transaction, kind)
    }

    /// The one payment that is meant; without an id the only one for the order's own product.
    private func payment(
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

    /// - Returns: among them what isn't the order's own: payments of other products, and renewals, that its proofs showed.
    private func payments(
        of order: Order, takenBackAt now: Date, _ connection: PostgresConnection
    ) async throws -> [Payment] {
        let rows = try await connection.execute(SQLFile.findPayments.statement, [.text(order.id.rawValue)])
        return try rows.map { row in
            (
                Transaction(
                    bundleID: BundleID(rawValue: try row.string(0)),
                    environment: try row.value(1, AppStoreEnvironment.init(rawValue:)),
                    id: TransactionID(rawValue: try row.string(2)),
                    originalID: TransactionID(rawValue: try row.string(3)),
                    webOrderLineItemID: try row.optionalString(4), productID: ProductID(rawValue: try row.string(5)),
                    purchaseDate: try row.timestamp(6).date, revocationDate: now),
                try row.bool(7), try row.bool(8)
            )
        }
    }

    /// What stands against the order's payment, or against the one of that id, each with another order whose grant it took back.
    private func standingRevocations(
        _ id: TransactionID?, of order: Order, _ now: Date, _ connection: PostgresConnection
    ) async throws -> [(transaction: Transaction, otherOrder: OrderID?)] {
        let rows = try await connection.execute(
            SQLFile.findStandingRevocations.statement, [.text(order.id.rawValue), .text(id?.rawValue)])
        return try rows.map { row in
            (
                Transaction(
                    bundleID: BundleID(rawValue: try row.string(0)),
                    environment: try row.value(1, AppStoreEnvironment.init(rawValue:)),
                    id: TransactionID(rawValue: try row.string(2)),
                    originalID: TransactionID(rawValue: try row.string(3)), productID: ProductID(rawValue: ""),
                    purchaseDate: now),
                try row.optionalString(4).map(OrderID.init(rawValue:))
            )
        }
    }
}
