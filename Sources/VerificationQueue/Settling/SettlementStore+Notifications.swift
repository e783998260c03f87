// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import Verification

/// What notifications tell, beside the payments and refunds that they share with proofs.
extension SettlementStore {
    /// A notification, and what it means to the ledger.
    struct RecordedNotification {
        let id: NotificationID
        let effects: NotificationEffects

        init?(_ pending: PendingSettlement) {
            guard case .record(let told) = pending.job.work, let effects = pending.settlement.notification else { return nil }
            id = told.notification
            self.effects = effects
        }
    }

    /// A payment that no client showed, with its proof; and what told of it, nil where Apple was asked.
    typealias FoundPayment = (notification: NotificationID?, payment: Transaction, proof: String)
    /// A payment that a job brought to an order in vain.
    typealias BroughtPayment = (order: OrderNumber, id: TransactionID)

    /// What Apple signed of a subscription, and a transaction of it. Of which app and environment it is, only that says.
    typealias ToldRenewal = (payment: Transaction, renewal: Renewal)

    /// Writes what became of notifications.
    func recordNotifications(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let told = pending.compactMap(RecordedNotification.init)
        guard !told.isEmpty else { return }
        try await connection.enqueue(.recordNotifications, about: told, Self.notifications)
        try await recordSubscriptions(told.map(\.effects), connection)
        let requests = told.filter { $0.effects.asksForConsumption || $0.effects.closesConsumptionRequest }
        try await connection.enqueue(.recordConsumptionRequests, about: requests, Self.consumptionRequests)
    }

    /// Keeps what Apple signed of subscriptions.
    func recordSubscriptions(_ told: [NotificationEffects], _ connection: PostgresConnection) async throws {
        let renewals = told.compactMap { one -> ToldRenewal? in
            one.transaction.flatMap { payment in one.renewal.map { (payment, $0) } }
        }
        try await connection.enqueue(.recordSubscriptions, about: renewals, Self.subscriptions)
    }

    /// The sandbox payments that the app doesn't take, of those that only Apple told. It takes them from an account that the ledger
    /// can name.
    func denied(_ payments: [ShownPayment], _ connection: PostgresConnection) async throws -> Set<PaymentName> {
        let tests = payments.filter { $0.transaction.environment == .sandbox }
        guard !tests.isEmpty else { return [] }
        let rows = try await readFacts(tests.map(AskedPayment.init(told:)), connection).rows
        return try Set(
            zip(tests, rows).filter { try !AppPolicy(ofUnorderedPayment: $1).allowsSandbox }.map { PaymentName($0.0.transaction) })
    }

    /// Keeps when periods end, by the proofs and notifications that show them. The payments are in the ledger by now.
    func recordPeriodEnds(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        try await recordPeriodEnds(pending.flatMap { $0.settlement.payments.map(\.shown) }, connection)
    }

    func recordPeriodEnds(_ payments: [ShownPayment], _ connection: PostgresConnection) async throws {
        try await connection.enqueue(.recordPeriodEnds, about: payments.compactMap(PeriodEnd.init), Self.periodEnds)
    }

    /// The parameters of `record_period_ends.sql`.
    static func periodEnds(_ columns: inout Columns<PeriodEnd>) {
        columns.text("bundle_id", \.payment.bundleID.rawValue)
        columns.text("environment", \.payment.environment.rawValue)
        columns.text("transaction_id", \.payment.id.rawValue)
        columns.timestamp("purchased_at", \.payment.purchaseDate)
        columns.timestamp("ends_at", \.endsAt)
        columns.timestamp("as_of", \.asOf)
    }

    /// What somebody else paid for, and the account that shows it; nil where only Apple tells.
    typealias ShownAccess = (shown: ShownPayment, account: AccountID?)

    /// Keeps until when family members, and holders of seats, have access.
    func recordAccesses(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let shared = pending.flatMap { one -> [ShownAccess] in
            let account = one.showingOrder == nil ? nil : one.job.work.ordered?.order.accountID
            return one.settlement.shared.map { ($0, account) }
        }
        try await connection.enqueue(.recordAccesses, about: shared, Self.accesses)
    }

    /// The parameters of `record_accesses.sql`.
    static func accesses(_ columns: inout Columns<ShownAccess>) {
        columns.text("bundle_id", \.shown.transaction.bundleID.rawValue)
        columns.text("environment", \.shown.transaction.environment.rawValue)
        columns.text("transaction_id", \.shown.transaction.id.rawValue)
        columns.text("original_transaction_id", \.shown.transaction.originalID.rawValue)
        columns.text("product_id", \.shown.transaction.productID.rawValue)
        columns.text("product_kind") { $0.shown.transaction.productKind?.rawValue }
        columns.text("ownership", \.shown.transaction.ownership.rawValue)
        columns.timestamp("purchased_at", \.shown.transaction.purchaseDate)
        columns.timestamp("ends_at", \.shown.transaction.expiresDate)
        columns.timestamp("ended_at") { one in
            one.shown.transaction.revocation.map { $0.date ?? $0.asOf ?? one.shown.transaction.purchaseDate }
        }
        columns.timestamp("as_of") { one in
            one.shown.signedAt ?? one.shown.transaction.endAsOf ?? one.shown.transaction.purchaseDate
        }
        columns.text("account_id", \.account?.rawValue)
    }

    /// Queues notifications about a subscription again, once the account of the subscription is known.
    func requeueRenewals(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let granted = pending.compactMap { $0.outcome?.granted }.filter { $0.kind == .autoRenewable }
            .map { PaymentName($0.transaction) }
        try await connection.enqueue(.requeueRenewals, about: granted, Self.originals)
    }

    /// Queues notifications of sandbox purchases again that the app didn't take, once a payment of the same original is in the
    /// ledger.
    func requeueDenied(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let known = pending.flatMap { one in
            (one.outcome?.granted.map { [$0.transaction] } ?? []) + one.kept.map(\.transaction)
                + (one.settlement.notification?.payment.map { [$0.transaction] } ?? [])
        }
        try await connection.enqueue(.requeueDeniedNotifications, about: Self.ofSandbox(known), Self.originals)
    }

    /// - Returns: each original once.
    static func ofSandbox(_ payments: [Transaction]) -> [PaymentName] {
        var seen: Set<TransactionID> = []
        return payments.filter { $0.environment == .sandbox && seen.insert($0.originalID).inserted }.map { PaymentName($0) }
    }

    /// Brings orders the payments that were made for them, and that no client showed.
    func uploadFoundPayments(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let found = pending.filter(\.mayBeAnOrders).compactMap(RecordedNotification.init).compactMap { told -> FoundPayment? in
            guard let payment = told.effects.payment, let proof = told.effects.proof else { return nil }
            return (told.id, payment.transaction, proof)
        }
        try await connection.enqueue(.uploadFoundPayments, about: found, Self.foundPayments)
    }

    /// Tells of payments that Apple told, and that their jobs brought to an order in vain.
    func tellBroughtPayments(_ pending: [PendingSettlement], _ connection: PostgresConnection) async throws {
        let brought = pending.compactMap { one -> BroughtPayment? in
            guard one.settlement.ends || one.settlement.isDiscarded, let upload = one.settlement.job.work.upload,
                case .found = upload.source, let id = upload.hint, let number = one.settlement.job.orderNumber
            else { return nil }
            return (number, id)
        }
        try await connection.enqueue(.tellBroughtPayments, about: brought, Self.broughtPayments)
    }

    /// The parameters of `tell_brought_payments.sql`.
    static func broughtPayments(_ columns: inout Columns<BroughtPayment>) {
        columns.int8("order_number", \.order.rawValue)
        columns.text("transaction_id", \.id.rawValue)
    }

    /// The parameters of `record_notifications.sql`.
    static func notifications(_ columns: inout Columns<RecordedNotification>) {
        columns.int8("notification_id", \.id.rawValue)
        columns.text("outcome") { $0.effects.outcome?.rawValue }
        columns.text("reason") { $0.effects.refusal?.rawValue }
        columns.text("message", \.effects.message)
        columns.text("transaction_id") { $0.effects.transaction?.id.rawValue }
        columns.text("original_transaction_id") { $0.effects.transaction?.originalID.rawValue }
    }

    /// The parameters of `record_subscriptions.sql`.
    static func subscriptions(_ columns: inout Columns<ToldRenewal>) {
        columns.text("bundle_id", \.payment.bundleID.rawValue)
        columns.text("environment", \.payment.environment.rawValue)
        columns.text("original_transaction_id", \.renewal.originalID.rawValue)
        columns.text("renews_as") { $0.renewal.productID?.rawValue }
        columns.bool("will_renew", \.renewal.willRenew)
        columns.bool("is_in_billing_retry", \.renewal.isInBillingRetry)
        columns.timestamp("grace_ends_at", \.renewal.graceEndsAt)
        columns.timestamp("renews_at", \.renewal.renewsAt)
        columns.int4("expiration_intent") { $0.renewal.expirationIntent.map(Int32.init(clamping:)) }
        columns.timestamp("as_of", \.renewal.signedAt)
    }

    /// The parameters of `record_consumption_requests.sql`.
    static func consumptionRequests(_ columns: inout Columns<RecordedNotification>) {
        columns.int8("notification_id", \.id.rawValue)
        columns.bool("asks", \.effects.asksForConsumption)
        columns.text("reason", \.effects.consumptionRequestReason)
    }

    /// The parameters of `upload_found_payments.sql`.
    static func foundPayments(_ columns: inout Columns<FoundPayment>) {
        columns.int8("notification_id", \.notification?.rawValue)
        columns.text("bundle_id", \.payment.bundleID.rawValue)
        columns.text("environment", \.payment.environment.rawValue)
        columns.text("transaction_id", \.payment.id.rawValue)
        columns.text("proof", \.proof)
    }
}
