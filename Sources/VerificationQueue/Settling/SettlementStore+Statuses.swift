// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
package import Verification

/// What Apple answered about subscriptions, beside what it told by notifications.
extension SettlementStore {
    /// Records Apple's answer as its notifications would have told it: refunds, payments that no client showed, ends of periods,
    /// what renews, and who has access. A payment that it shows unrefunded reverses no refund.
    ///
    /// One database transaction, or nothing. Doing it again changes nothing.
    ///
    /// - Returns: how many of the texts count: those that can be read, and that the app takes.
    package func record(_ words: [SubscriptionWord]) async throws -> Int {
        let effects = words.map { NotificationEffects(of: $0.told) }
        let payments = effects.compactMap(\.payment)
        return try await pool.withTransaction { connection in
            try await lockPayments(payments.map { PaymentName($0.transaction) }, connection)
            let denied = try await denied(payments, connection)
            let taken = effects.filter { one in
                one.outcome != .odd && !(one.payment.map { denied.contains($0.transaction.id) } ?? false)
            }
            let settled = taken.compactMap { one in one.payment.map { SettledPayment($0, .beside) } }
            try await write(settled.flatMap(\.words), connection)
            try await keep(settled.map(\.shown), connection)
            try await recordPeriodEnds(settled.map(\.shown), connection)
            try await connection.enqueue(
                .recordSubscriptions,
                about: taken.compactMap { one -> ToldRenewal? in
                    one.transaction.flatMap { payment in one.renewal.map { (payment, $0) } }
                }, Self.subscriptions)
            try await connection.enqueue(
                .recordAccesses, about: taken.compactMap { one in one.shared.map { ($0, nil) } }, Self.accesses)
            try await connection.enqueue(
                .requeueDeniedNotifications, about: Self.ofSandbox(settled.map(\.transaction)), Self.originals)
            return taken.count { $0.transaction != nil }
        }
    }

    /// Those of the sandbox that the app doesn't take.
    private func denied(_ payments: [ShownPayment], _ connection: PostgresConnection) async throws -> Set<TransactionID> {
        let tests = payments.filter { $0.transaction.environment == .sandbox }
        guard !tests.isEmpty else { return [] }
        let rows = try await connection.execute(SQLFile.readPayments.statement, Self.look(at: tests))
        _ = try LedgerFacts.all(rows, of: tests.count)
        return try Set(
            zip(tests, rows).filter { try !AppPolicy(ofUnorderedPayment: $1).allowsSandbox }.map(\.0.transaction.id))
    }

    /// Keeps payments that no client showed, by the ledger's facts.
    private func keep(_ payments: [ShownPayment], _ connection: PostgresConnection) async throws {
        guard !payments.isEmpty else { return }
        let rows = try await connection.execute(SQLFile.readPayments.statement, Self.look(at: payments))
        let facts = try LedgerFacts.all(rows, of: payments.count)
        let kept = try zip(payments, zip(facts, rows)).compactMap { shown, known in
            try Choice.keep(PaymentFacts(shown, ledger: known.0), under: AppPolicy(ofUnorderedPayment: known.1))
        }
        try await insertPayments(kept.map { (nil, $0) }, connection)
        let moving = kept.filter { $0.role == .restored || $0.role == .unclaimed(.refunded) }
        try await settlePayments(moving.map { PaymentName($0.transaction) }, connection)
    }

    private static func look(at payments: [ShownPayment]) -> [PostgresParameter] {
        LedgerReader.parameters(payments.map { AskedPayment(PaymentFacts($0), orderID: nil) })
    }
}
