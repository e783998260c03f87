// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
import Postgres
import Schema
package import Verification

/// An operator's decisions about an order. They use the settlement's own statements and its order of locks: the order, then the
/// payment. The unique keys of the ledger decide here as well.
extension SettlementStore {
    /// Grants a verified payment to an order, against whatever an operator may overrule.
    ///
    /// One database transaction, or nothing. Doing it again fails, since the payment is granted then.
    ///
    /// - Parameters:
    ///   - fetched: the transaction as Apple returned it just now; nil: the unclaimed payment of that id.
    ///   - faults: the facts of the fetched transaction that can't be read.
    ///   - overrides: whether objections that take an override are overruled: ``Objection/Overruling/operatorByOverride``.
    /// - Returns: the objections that the override overruled.
    /// - Throws: ``OperatorError``; ``PostgresError``.
    package func assign(
        _ id: TransactionID, in environment: AppStoreEnvironment?, fetched: Transaction? = nil, faults: [String] = [],
        to orderID: OrderID, overrides: Bool, by act: OperatorAct
    ) async throws -> [Objection] {
        try await pool.withTransaction { connection in
            let (order, policy, _) = try await lock(orderID, connection)
            let known = try await find(id, in: environment, fetched: fetched, faults: faults, for: order, connection)
            try await lockPayments([PaymentName(known.shown.transaction)], connection)
            // Again, with the payment locked: it may have been granted or refunded meanwhile.
            let (shown, kept) = try await find(id, in: environment, fetched: fetched, faults: faults, for: order, connection)
            try await recordRefund(of: shown, for: order, connection)

            let payment = try await facts(of: shown, for: order, connection)
            let objections = Self.objections(to: payment, keptAs: kept, for: order, under: policy)
            let weighty = objections.filter { $0.overruling != .operatorPlainly }
            let most: Objection.Overruling = overrides ? .operatorByOverride : .operatorPlainly
            guard Objection.overruling(weighty) <= most else { throw OperatorError.objections(weighty) }

            let granted = try await insertGrants(
                [Grant(payment: payment, payee: Payee(order), jobID: nil)],
                isOperatorDecision: objections.contains(where: \.isRefusedByTheLedger), connection)
            guard granted.contains(order.id) else { throw OperatorError.ledgerMoved }
            try await recordPeriodEnds([shown], connection)
            let transaction = shown.transaction
            if policy.finishesTransactions {
                try await connection.enqueue(
                    .insertFinishJobs, about: [(orderID, transaction.environment, transaction.id)], Self.finishJobs)
            }
            let overruled = weighty.isEmpty ? "" : ", although " + OperatorError.objections(weighty).description
            try await act.record(
                .assigned, "transaction \(transaction.id.rawValue) of \(transaction.environment.rawValue)\(overruled)",
                on: orderID, connection)
            try await tellSubscriptions([PaymentName(transaction)], connection)
            return weighty
        }
    }

    /// Records the refund that Apple's answer of the moment shows: once the ledger is asked, its word about refunds counts alone.
    private func recordRefund(of shown: ShownPayment, for order: Order, _ connection: PostgresConnection) async throws {
        let transaction = shown.transaction
        guard shown.isConfirmed, transaction.revocation != nil, transaction.bundleID == order.bundleID else { return }
        switch transaction.ownership {
        // The end of family sharing refunds nothing.
        case .familyShared, .assigned: return
        case .purchased, .unknown: try await write([PaymentWord(refundOf: transaction)], connection)
        }
    }

    /// - Parameter kept: why the ledger keeps the payment ungranted.
    private static func objections(
        to payment: PaymentFacts, keptAs kept: Reason?, for order: Order, under policy: AppPolicy
    ) -> [Objection] {
        let objections = Fit.objections(to: payment, for: order, under: policy)
        // A row may lack the time of payment by which it was judged. Then its reason stands for that time.
        let isOld = kept == .beforeLedger && payment.ledger?.paidAt == nil && policy.ledgerStartsAt != nil
        return isOld && !objections.contains(.beforeLedger) ? objections + [.beforeLedger] : objections
    }

    /// Records that an order's payment was refunded, as if Apple had reported it.
    ///
    /// A fulfilled order becomes refunded, and so does an order whose only payment is unclaimed. An order stays as it is if another
    /// payment of its product has fulfilled it or still may, or if the refunded payment is one of another product.
    ///
    /// - Parameters:
    ///   - id: which of several payments; nil: the only one for the order's own product.
    ///   - moment: when Apple refunded it; nil: now. A later purchase under the same original id is a payment of its own.
    /// - Returns: the refunded transaction, and the order's state after that.
    /// - Throws: ``OperatorError``; ``PostgresError``.
    package func refund(
        _ orderID: OrderID, transaction id: TransactionID?, at moment: Date? = nil, by act: OperatorAct
    ) async throws -> (transaction: TransactionID, state: OrderState) {
        try await pool.withTransaction { connection in
            let (order, _, now) = try await lock(orderID, connection)
            let date = moment ?? now
            guard date <= now else { throw OperatorError.isToCome }
            // A payment that such an order didn't need is refunded when it is named.
            let isOver = order.state == .refunded || order.state == .cancelled
            guard !isOver || id != nil else { throw OperatorError.objections([.orderIsOver(order.state)]) }
            let shown = try await payment(id, of: order, takenBackAt: date, connection)
            try await lockPayments([PaymentName(shown.transaction)], connection)
            // Again, with the payment locked: it may have been granted to another order or refunded meanwhile.
            let payment = try await payment(id, of: order, takenBackAt: date, connection)
            guard payment.transaction.id == shown.transaction.id else { throw OperatorError.ledgerMoved }
            guard !isOver || !payment.isGranted else { throw OperatorError.objections([.orderIsOver(order.state)]) }
            guard moment == nil || payment.paidBy <= date else { throw OperatorError.notPaidYet }

            try await write([PaymentWord(refundOf: payment.transaction)], connection)
            guard try await isTakenBack(payment, of: order, takenBackAt: date, connection) else { throw OperatorError.outweighed }
            if !payment.isGranted && payment.isOwn && order.state.canBeFulfilled {
                let moved = MovedOrder(
                    id: orderID, state: .refunded, reason: .refunded, transactionID: payment.transaction.id,
                    environment: payment.transaction.environment)
                try await connection.enqueue(.settleOrders, about: [moved], Self.orders)
            }
            try await act.record(
                .refunded,
                "transaction \(payment.transaction.id.rawValue) of \(payment.transaction.environment.rawValue)",
                on: orderID, connection)
            try await tellSubscriptions([PaymentName(payment.transaction)], connection)
            return (payment.transaction.id, try await lock(orderID, connection).order.state)
        }
    }

    /// Records that a refund was reversed, by Apple or because it never was one.
    ///
    /// An order that the payment was granted to is fulfilled again; one that it was never granted to goes to review. A payment that
    /// was unclaimed before is unclaimed again. An order that stayed refunded although its payment stands is moved, and nothing
    /// recorded about the payment.
    ///
    /// - Parameters:
    ///   - id: a transaction of the order's app; nil: the order's own payment.
    ///   - moment: when Apple reversed it; nil: now. A purchase after that under the same original id is no payment of its own; one
    ///     that was made while the refund stood is.
    /// - Returns: the transactions whose refunds were reversed, and the order's state after that.
    /// - Throws: ``OperatorError``; ``PostgresError``.
    package func reverseRefund(
        _ orderID: OrderID, transaction id: TransactionID?, at moment: Date? = nil, by act: OperatorAct
    ) async throws -> (transactions: [TransactionID], state: OrderState) {
        try await pool.withTransaction { connection in
            let (order, _, now) = try await lock(orderID, connection)
            let date = moment ?? now
            guard date <= now else { throw OperatorError.isToCome }
            let locked = try await revocationsInForce(id, of: order, connection).map(\.payment)
            try await lockPayments(locked, connection)
            // Again, with the payments locked.
            let inForce = try await revocationsInForce(id, of: order, connection)
            let taken = inForce.map(\.payment)
            let lockedOriginals = Set(locked.map(\.originalID))
            guard taken.allSatisfy({ lockedOriginals.contains($0.originalID) }) else { throw OperatorError.ledgerMoved }
            guard !taken.isEmpty else {
                return try await restore(order, transaction: id, takenBackAt: now, by: act, connection)
            }
            // That order would stay refunded, and nothing be left to reverse.
            if let other = inForce.compactMap(\.otherOrder).first { throw OperatorError.granted(other) }

            try await write(taken.map { PaymentWord(reversalOf: $0, at: date, comesLast: true) }, connection)
            if try await revocationsInForce(nil, of: order, connection).isEmpty {
                _ = try await connection.execute(SQLFile.restoreOrder.statement, [.text(orderID.rawValue)])
            }
            let ids = taken.map(\.id)
            try await act.record(
                .refundReversed, "transaction " + ids.map(\.rawValue).joined(separator: ", "), on: orderID, connection)
            try await tellSubscriptions(taken, connection)
            return (ids, try await lock(orderID, connection).order.state)
        }
    }

    /// Moves an order that is refunded although its payment stands.
    ///
    /// - Returns: the transactions that stand, and the order's state after that.
    private func restore(
        _ order: Order, transaction id: TransactionID?, takenBackAt now: Date, by act: OperatorAct, _ connection: PostgresConnection
    ) async throws -> (transactions: [TransactionID], state: OrderState) {
        let notRefunded = try await payments(of: order, takenBackAt: now, connection).map(\.transaction)
            .filter { id == nil || $0.id == id }
        guard order.state == .refunded, !notRefunded.isEmpty else { throw OperatorError.nothingTakenBack }
        let names = notRefunded.map { PaymentName($0) }
        try await lockPayments(names, connection)
        try await settlePayments(names, connection)
        try await tellSubscriptions(names, connection)
        let state = try await lock(order.id, connection).order.state
        guard state != .refunded else { throw OperatorError.nothingTakenBack }
        let ids = notRefunded.map(\.id)
        try await act.record(
            .refundReversed, "transaction " + ids.map(\.rawValue).joined(separator: ", ") + " stands", on: order.id, connection)
        return (ids, state)
    }
}
