// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import Verification

/// What notifications tell, beside the payments and refunds that they share with proofs.
extension SettlementStore {
    private struct Told {
        let id: NotificationID
        let effects: NotificationEffects

        init?(_ pending: PendingSettlement) {
            guard case .record(let told) = pending.job.work, let effects = pending.settlement.notification else { return nil }
            id = told.notification
            self.effects = effects
        }
    }

    /// Records refunds that Apple reversed, and their consequences for orders and other payments.
    func insertNotifiedReversals(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let reversed = pending.compactMap { one -> (payment: Transaction, at: Date)? in
            guard let effects = one.settlement.notification, let at = effects.reversedAt else { return nil }
            return effects.transaction.map { ($0, at) }
        }
        guard !reversed.isEmpty else { return }
        let payments = reversed.map(\.payment)
        try await connection.enqueue(
            SQLFile.insertNotifiedReversals.statement,
            [
                .textArray(payments.map(\.bundleID.rawValue)), .textArray(payments.map(\.environment.rawValue)),
                .textArray(payments.map(\.id.rawValue)), .textArray(payments.map(\.originalID.rawValue)),
                .timestampArray(reversed.map { PostgresTimestamp($0.at) }),
            ])
        try await settlePayments(payments, connection)
    }

    /// Writes what became of notifications.
    func recordNotifications(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let told = pending.compactMap(Told.init)
        guard !told.isEmpty else { return }
        try await settleNotifications(told, connection)
        try await settleSubscriptions(told.filter { $0.effects.renewal != nil }, connection)
        try await settleConsumptionRequests(
            told.filter { $0.effects.asksForConsumption || $0.effects.closesConsumptionRequest }, connection)
    }

    private func settleNotifications(_ told: [Told], _ connection: PostgresConnection) async throws {
        try await connection.enqueue(
            SQLFile.settleNotifications.statement,
            [
                .int8Array(told.map(\.id.rawValue)), .textArray(told.map { $0.effects.outcome?.rawValue }),
                .textArray(told.map { $0.effects.refusal?.rawValue }), .textArray(told.map(\.effects.message)),
                .textArray(told.map { $0.effects.transaction?.id.rawValue }),
                .textArray(told.map { $0.effects.transaction?.originalID.rawValue }),
            ])
    }

    /// Queues notifications about a subscription again, once the account of the subscription is known.
    func requeueRenewals(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let granted = pending.compactMap { $0.outcome?.granted }.filter { $0.kind == .autoRenewable }.map(\.transaction)
        guard !granted.isEmpty else { return }
        try await connection.enqueue(
            SQLFile.requeueRenewals.statement,
            [
                .textArray(granted.map(\.originalID.rawValue)), .textArray(granted.map(\.bundleID.rawValue)),
                .textArray(granted.map(\.environment.rawValue)),
            ])
    }

    /// Brings orders the payments that were made for them, and that no client showed.
    func uploadFoundPayments(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let found = pending.filter(\.mayBeAnOrders).compactMap(Told.init).compactMap {
            told -> (notification: NotificationID, payment: Transaction, proof: String)? in
            guard let payment = told.effects.payment, let proof = told.effects.proof else { return nil }
            return (told.id, payment.transaction, proof)
        }
        guard !found.isEmpty else { return }
        let payments = found.map(\.payment)
        try await connection.enqueue(
            SQLFile.uploadFoundPayments.statement,
            [
                .int8Array(found.map(\.notification.rawValue)), .textArray(payments.map(\.bundleID.rawValue)),
                .textArray(payments.map(\.environment.rawValue)), .textArray(payments.map(\.id.rawValue)),
                .textArray(found.map(\.proof)),
            ])
    }

    private func settleSubscriptions(_ told: [Told], _ connection: PostgresConnection) async throws {
        // Of which app and environment it is, only the transaction beside it says.
        let renewals = told.compactMap { one in
            one.effects.transaction.flatMap { payment in one.effects.renewal.map { (payment, $0) } }
        }
        guard !renewals.isEmpty else { return }
        try await connection.enqueue(
            SQLFile.settleSubscriptions.statement,
            [
                .textArray(renewals.map(\.0.bundleID.rawValue)), .textArray(renewals.map(\.0.environment.rawValue)),
                .textArray(renewals.map(\.1.originalID.rawValue)), .textArray(renewals.map { $0.1.productID?.rawValue }),
                .boolArray(renewals.map(\.1.willRenew)), .boolArray(renewals.map(\.1.isInBillingRetry)),
                .timestampArray(renewals.map { $0.1.graceEndsAt.map(PostgresTimestamp.init) }),
                .timestampArray(renewals.map { $0.1.renewsAt.map(PostgresTimestamp.init) }),
                .int4Array(renewals.map { $0.1.expirationIntent.map(Int32.init(clamping:)) }),
                .timestampArray(renewals.map { PostgresTimestamp($0.1.signedAt) }),
            ])
    }

    private func settleConsumptionRequests(_ told: [Told], _ connection: PostgresConnection) async throws {
        guard !told.isEmpty else { return }
        try await connection.enqueue(
            SQLFile.settleConsumptionRequests.statement,
            [
                .int8Array(told.map(\.id.rawValue)), .boolArray(told.map(\.effects.asksForConsumption)),
                .textArray(told.map(\.effects.consumptionRequestReason)),
            ])
    }
}
