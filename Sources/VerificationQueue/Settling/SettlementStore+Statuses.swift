// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
package import Verification

/// What Apple answered about subscriptions, beside what it told by notifications.
extension SettlementStore {
    /// Records Apple's answer as its notifications would have told it: refunds, payments that no client showed, ends of periods,
    /// what renews, and who has access. A payment that no client showed goes to the order that its token names. One that Apple
    /// shows unrefunded reverses no refund.
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
                let isReadable = one.outcome != .odd || one.payment != nil || one.shared != nil
                return isReadable && !(one.payment.map { denied.contains(PaymentName($0.transaction)) } ?? false)
            }
            let settled = taken.compactMap { one in one.payment.map { SettledPayment($0, .beside) } }
            try await write(settled.flatMap(\.words), connection)
            let mayBeOrders = try await keep(settled.map(\.shown), connection)
            try await recordPeriodEnds(settled.map(\.shown), connection)
            try await recordSubscriptions(taken, connection)
            try await connection.enqueue(
                .recordAccesses, about: taken.compactMap { one in one.shared.map { ($0, nil) } }, Self.accesses)
            try await connection.enqueue(
                .requeueDeniedNotifications, about: Self.ofSandbox(settled.map(\.transaction)), Self.originals)
            let found = taken.compactMap { one -> FoundPayment? in
                guard let payment = one.payment?.transaction, mayBeOrders.contains(PaymentName(payment)), let proof = one.proof
                else { return nil }
                return (nil, payment, proof)
            }
            try await connection.enqueue(.uploadFoundPayments, about: found, Self.foundPayments)
            try await tellSubscriptions(Self.periods(among: settled.map(\.transaction)), connection)
            return taken.count { $0.transaction != nil }
        }
    }

    /// Keeps payments that no client showed, by the ledger's facts.
    ///
    /// - Returns: those whose order is looked for.
    private func keep(_ payments: [ShownPayment], _ connection: PostgresConnection) async throws -> Set<PaymentName> {
        guard !payments.isEmpty else { return [] }
        let (facts, rows) = try await readFacts(payments.map(AskedPayment.init(told:)), connection)
        var kept: [KeptPayment] = []
        var mayBeOrders: Set<PaymentName> = []
        for (shown, known) in zip(payments, zip(facts, rows)) {
            let (payment, policy) = (PaymentFacts(shown, ledger: known.0), try AppPolicy(ofUnorderedPayment: known.1))
            if let one = Choice.keep(payment, under: policy) { kept.append(one) }
            if Fit.mayBeAnOrders(Fit.objections(to: payment, under: policy)) { mayBeOrders.insert(PaymentName(shown.transaction)) }
        }
        try await insertPayments(kept.map { (nil, $0) }, connection)
        let moving = kept.filter { $0.role == .restored || $0.role == .unclaimed(.refunded) }
        try await settlePayments(moving.map { PaymentName($0.transaction) }, connection)
        return mayBeOrders
    }
}
