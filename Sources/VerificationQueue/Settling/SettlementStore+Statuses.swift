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
                (one.outcome != .odd || one.payment != nil || one.shared != nil) && !(one.payment.map { denied.contains(PaymentName($0.transaction)) } ?? false)
            }
            let settled = taken.compactMap { one in one.payment.map { SettledPayment($0, .beside) } }
            try await write(settled.flatMap(\.words), connection)
            try await keep(settled.map(\.shown), connection)
            try await recordPeriodEnds(settled.map(\.shown), connection)
            try await recordSubscriptions(taken, connection)
            try await connection.enqueue(
                .recordAccesses, about: taken.compactMap { one in one.shared.map { ($0, nil) } }, Self.accesses)
            try await connection.enqueue(
                .requeueDeniedNotifications, about: Self.ofSandbox(settled.map(\.transaction)), Self.originals)
            try await tellSubscriptions(Self.periods(among: settled.map(\.transaction)), connection)
            return taken.count { $0.transaction != nil }
        }
    }

    /// Keeps payments that no client showed, by the ledger's facts.
    private func keep(_ payments: [ShownPayment], _ connection: PostgresConnection) async throws {
        guard !payments.isEmpty else { return }
        let (facts, rows) = try await readFacts(payments.map(AskedPayment.init(told:)), connection)
        let kept = try zip(payments, zip(facts, rows)).compactMap { shown, known in
            try Choice.keep(PaymentFacts(shown, ledger: known.0), under: AppPolicy(ofUnorderedPayment: known.1))
        }
        try await insertPayments(kept.map { (nil, $0) }, connection)
        let moving = kept.filter { $0.role == .restored || $0.role == .unclaimed(.refunded) }
        try await settlePayments(moving.map { PaymentName($0.transaction) }, connection)
    }
}
