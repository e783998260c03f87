// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Verification

@testable import VerificationQueue

/// A verified payment, as a settlement passes it to the database.
struct Payment: Sendable {
    var id: String
    var original: String?
    var webOrderLineItem: String?
    var product = "coins"
    var kind = "consumable"
    var environment = "production"
    var quantity: Int32 = 1
    /// Seconds from the start of this minute's test; negative is earlier.
    var purchasedAt: Int64 = 0
    var token: UUID?
    /// A person gives it to an order though it was bought again after a refund.
    var isBoughtAgain = false
    /// Apple said that its period has several payments; its line item is then not passed.
    var isAddition = false
    /// In thousandths of a dollar.
    var price: Int64?
    /// Who made the purchase: `purchase` or `renewal`.
    var reason: String?
    /// As ``purchasedAt``.
    var expiresAt: Int64?
    /// As ``purchasedAt``, where it was paid at another time.
    var paidAt: Int64?
    /// The number of the policy under which it would pay for a new order.
    var fitsUnder: Int32?
    var isAdvancedCommerce: Bool?

    /// What its names share; nil where the transaction alone is the payment.
    var key: String? {
        switch kind {
        case _ where isBoughtAgain || isAddition: nil
        case "consumable": nil
        case "auto_renewable": webOrderLineItem.map { "web_order:" + $0 }
        default: "original:" + (original ?? id)
        }
    }

    /// The line item as it is passed.
    var item: String? { isAddition ? nil : webOrderLineItem }

    var timestamp: PostgresTimestamp { Self.timestamp(purchasedAt) }

    var expiry: PostgresTimestamp? { expiresAt.map(Self.timestamp) }

    var paid: PostgresTimestamp? { paidAt.map(Self.timestamp) }

    private static func timestamp(_ seconds: Int64) -> PostgresTimestamp {
        PostgresTimestamp(microsecondsSince1970: 1_700_000_000_000_000 + seconds * 1_000_000)
    }
}

extension AccountID {
    static let ann = AccountID(rawValue: "ann")
}

extension LedgerFacts.Holder {
    /// A grant to an order of Ann's.
    static func grant(of transaction: String, to order: String) -> Self {
        Self(
            orderID: OrderID(rawValue: order), accountID: .ann,
            transactionID: TransactionID(rawValue: transaction))
    }
}

extension LedgerFacts {
    /// Nothing stands against the payment, and its order is open.
    static let nothing = Self(orderState: .open)

    /// A grant to an order of Ann's holds the payment that an open order shows.
    static func granted(_ transaction: String, to order: String) -> Self {
        Self(holder: .grant(of: transaction, to: order), orderState: .open)
    }

    /// The order that shows it was paid by another transaction.
    static let orderPaid = Self(orderState: .fulfilled)
}

/// A job that was claimed: what settling it takes.
struct Leased: Sendable, Hashable {
    let id: Int64
    let token: Int64
    let lane: Int32
    let order: String
    let isHintGranted: Bool
}

extension Shop {
    /// Claims as a worker does.
    ///
    /// - Parameters:
    ///   - lanes: with the most jobs of each; nil: every lane, without a limit of its own.
    ///   - marks: four a lane, in seconds from now, nil for infinity; nil: none.
    func claim(
        _ limit: Int32 = 100, lanes: [(lane: Int32, quota: Int32)]? = nil, marks: [Int64?]? = nil,
        bytes: Int64 = 1 << 30, leaseSeconds: Double = 60, probing: Int32? = nil, looksAtOthers: Bool = false
    ) async throws -> [Leased] {
        var chosen = lanes ?? []
        if lanes == nil {
            for row in try await admin.execute("select lane from counterfoil.gates order by lane") {
                chosen.append((try row.int32(0), 1000))
            }
        }
        let now = try await admin.execute("select extract(epoch from now())::bigint")[0].int64(0)
        let times = (marks ?? Array(repeating: -1_000_000_000, count: chosen.count * 4)).map {
            $0.map { PostgresTimestamp(microsecondsSince1970: (now + $0) * 1_000_000) } ?? .distantFuture
        }
        let rows = try await worker.execute(
            SQLFile.claimJobs.statement,
            [
                .int4Array(chosen.map(\.lane)), .int4Array(chosen.map(\.quota)), .timestampArray(times), .int4(limit),
                .int8(bytes), .int8(7), .double(leaseSeconds), .int4(probing), .bool(looksAtOthers),
            ]
        )
        return try rows.map { row in
            Leased(
                id: try row.int64(0), token: try row.int64(1), lane: try row.int32(2), order: try row.string(19),
                isHintGranted: try row.bool(10)
            )
        }
    }

    /// The fence: the orders whose leases are held, without those that somebody else has locked.
    func fence(_ jobs: [Leased], ends: Bool = true, locksOrders: Bool = true) async throws -> [String] {
        let jobs = jobs.sorted { $0.id < $1.id }
        let held = try await worker.execute(
            SQLFile.lockSettlingJobs.statement,
            [
                .int8Array(jobs.map(\.id)), .int8Array(jobs.map(\.token)), .boolArray(jobs.map { _ in ends }),
                .boolArray(jobs.map { _ in locksOrders }),
            ]
        ).filter { try !$0.bool(1) }.map { try $0.int64(0) }
        return jobs.filter { held.contains($0.id) }.map(\.order)
    }

    /// Returns the orders that were granted. One that can't be paid any more isn't tried, as a settlement with locked orders does.
    func insertGrants(
        _ entries: [(order: String, payment: Payment)], isOperatorDecision: Bool = false
    ) async throws -> [String] {
        var orders: [PostgresRow] = []
        var payable: [(order: String, payment: Payment)] = []
        for entry in entries {
            let rows = try await worker.execute(
                """
                select account_id, app_account_token from counterfoil.orders
                where order_id = $1 and state in ('open', 'rejected', 'review')
                """, [.text(entry.order)])
            guard let order = rows.first else { continue }
            orders.append(order)
            payable.append(entry)
        }
        let entries = payable
        let paid = entries.map(\.payment)
        return try await worker.execute(
            SQLFile.insertGrants.statement,
            [
                .textArray(entries.map(\.order)), .int8Array(entries.map { _ in 1 }),
                .textArray(paid.map { _ in Self.bundle }), .textArray(paid.map(\.environment)), .textArray(paid.map(\.id)),
                .textArray(paid.map { $0.original ?? $0.id }), .textArray(paid.map(\.item)),
                .textArray(paid.map(\.product)), .textArray(paid.map(\.kind)), .int4Array(paid.map(\.quantity)),
                .timestampArray(paid.map(\.timestamp)), .timestampArray(paid.map(\.expiry)),
                .uuidArray(paid.map(\.token)), .textArray(paid.map(\.key)),
                .textArray(try orders.map { try $0.string(0) }), .uuidArray(try orders.map { try $0.optionalUUID(1) }),
                .int8Array(paid.map(\.price)), .textArray(paid.map { $0.price == nil ? nil : "USD" }),
                .textArray(paid.map { _ in nil }), .textArray(paid.map(\.reason)), .textArray(paid.map { _ in nil }),
                .bool(isOperatorDecision),
            ]
        ).map { try $0.string(0) }.sorted()
    }

    func insertGrant(_ order: String, _ payment: Payment) async throws -> Bool {
        try await insertGrants([(order, payment)]) == [order]
    }

    /// What the ledger says about one payment: of a refund without its times, of a renewal whether it is the order's account's.
    ///
    /// - Parameter isElsewhere: whether it may pay for another order.
    func readLedger(_ order: String, _ payment: Payment, isElsewhere: Bool = false) async throws -> LedgerFacts {
        let row = try await worker.execute(
            SQLFile.readPayments.statement,
            [
                .textArray([order]), .textArray([Self.bundle]), .textArray([payment.environment]), .textArray([payment.id]),
                .textArray([payment.original ?? payment.id]), .textArray([payment.item]),
                .textArray([payment.product]), .textArray([payment.kind]), .int4Array([payment.quantity]),
                .timestampArray([payment.timestamp]), .uuidArray([payment.token]), .textArray([payment.key]),
                .timestampArray([payment.timestamp]), .textArray([payment.reason]), .boolArray([isElsewhere]),
                .timestampArray([payment.expiry]),
            ]
        )[0]
        let account = AccountID(rawValue: try row.named(by: LedgerFacts.Column.self).string(.orderAccountID))
        let facts = try LedgerFacts(row)
        return LedgerFacts(
            holder: facts.holder, refund: facts.refund.map { _ in .any }, isPartlyRefunded: facts.isPartlyRefunded,
            isAddition: facts.isAddition, isBoughtAgain: facts.isBoughtAgain, isAnotherAccounts: facts.isAnotherAccounts,
            ownOrder: facts.ownOrder, purchaseReason: facts.purchaseReason, orderState: facts.orderState,
            renewedAccount: facts.renewedAccount == account ? account : nil)
    }

    /// The facts of one payment, as the worker reads them.
    ///
    /// - Parameters:
    ///   - order: nil where no client showed it.
    ///   - knowsKind: whether its proof, or its order, says of which kind the product is.
    func readPayment(_ order: String?, _ payment: Payment, knowsKind: Bool = true) async throws -> PostgresRow {
        try await worker.execute(
            SQLFile.readPayments.statement,
            [
                .textArray([order]), .textArray([Self.bundle]), .textArray([payment.environment]), .textArray([payment.id]),
                .textArray([payment.original ?? payment.id]), .textArray([payment.item]), .textArray([payment.product]),
                .textArray([knowsKind ? payment.kind : nil]), .int4Array([payment.quantity]), .timestampArray([payment.timestamp]),
                .uuidArray([payment.token]), .textArray([knowsKind ? payment.key : nil]),
                .timestampArray([payment.timestamp]), .textArray([payment.reason]), .boolArray([order == nil]),
                .timestampArray([payment.expiry]),
            ])[0]
    }

    /// Keeps what no client showed.
    func insertTold(_ payment: Payment, reason: String) async throws {
        try await insertPayments([(nil, payment)], reason: reason)
    }

    func insertUnclaimed(_ entries: [(order: String, payment: Payment)], reason: String = "no_order") async throws {
        try await insertPayments(entries.map { ($0.order, $0.payment) }, reason: reason)
    }

    /// Keeps further names of granted payments.
    func insertNames(_ payments: [Payment]) async throws {
        try await insertPayments(payments.map { (nil, $0) }, reason: "restored")
        for payment in payments {
            try await settlePayments(payment)
        }
    }

    private func insertPayments(_ entries: [(order: String?, payment: Payment)], reason: String) async throws {
        let paid = entries.map(\.payment)
        _ = try await worker.execute(
            SQLFile.insertPayments.statement,
            [
                .textArray(entries.map(\.order)), .textArray(paid.map { _ in Self.bundle }),
                .textArray(paid.map(\.environment)), .textArray(paid.map(\.id)), .textArray(paid.map { $0.original ?? $0.id }),
                .textArray(paid.map(\.item)), .textArray(paid.map(\.product)),
                .textArray(paid.map(\.kind)), .int4Array(paid.map(\.quantity)), .timestampArray(paid.map(\.timestamp)),
                .timestampArray(paid.map(\.expiry)), .uuidArray(paid.map(\.token)),
                .textArray(paid.map { _ in reason }), .textArray(paid.map { $0.isAddition ? "seat_addition" : nil }),
                .int8Array(paid.map(\.price)), .textArray(paid.map { $0.price == nil ? nil : "USD" }),
                .textArray(paid.map { _ in nil }), .textArray(paid.map(\.reason)), .int4Array(paid.map(\.fitsUnder)),
                .timestampArray(paid.map(\.paid)), .boolArray(paid.map(\.isAdvancedCommerce)),
                .textArray(paid.map { _ in nil }),
            ]
        )
    }

    /// Records that a payment was taken back, and what follows.
    ///
    /// - Parameters:
    ///   - at: in seconds, as ``Payment/purchasedAt``.
    ///   - asOf: when Apple said it; nil: at once.
    ///   - share: in thousandths of a percent; nil where it isn't known.
    func insertRevocation(
        _ payment: Payment, at seconds: Int64, asOf: Int64? = nil, share: Int32? = 100_000, seats: Int32 = 0,
        knowsNoShare: Bool = false
    ) async throws {
        var taken = payment
        taken.purchasedAt = seconds
        var said = payment
        said.purchasedAt = asOf ?? seconds
        try await insertPayments([(nil, payment)], reason: "refunded")
        _ = try await worker.execute(
            SQLFile.insertWords.statement,
            [
                .textArray([Self.bundle]), .textArray([payment.environment]), .textArray([payment.id]),
                .textArray([payment.original ?? payment.id]), .textArray(["revocation"]), .timestampArray([taken.timestamp]),
                .timestampArray([said.timestamp]), .boolArray([false]), .textArray([payment.item]),
                .timestampArray([payment.timestamp]), .int4Array([share]), .int4Array([seats]), .textArray([nil]),
                .int4Array([nil]),
                .boolArray([knowsNoShare]),
            ]
        )
        try await settlePayments(payment)
    }

    /// Moves the orders of a payment whose state a refund or its reversal changed.
    func settlePayments(_ payment: Payment) async throws {
        _ = try await worker.execute(
            SQLFile.settlePayments.statement,
            [
                .textArray([payment.original ?? payment.id]), .textArray([Self.bundle]), .textArray([payment.environment]),
                .textArray([payment.id]),
            ])
    }

    func insertReversal(_ payment: Payment, at seconds: Int64) async throws {
        var given = payment
        given.purchasedAt = seconds
        _ = try await admin.execute(
            """
            insert into counterfoil.revocations (
                bundle_id, environment, transaction_id, original_transaction_id, kind, occurred_at, as_of
            )
            values ($1::text, $2::text, $3::text, $4::text, 'reversal', $5::timestamptz, $5::timestamptz)
            """,
            [
                .text(Self.bundle), .text(payment.environment), .text(payment.id), .text(payment.original ?? payment.id),
                .timestamp(given.timestamp),
            ]
        )
    }

    /// Moves an order as a settlement that granted nothing does.
    func settleOrder(
        _ order: String, _ state: String?, _ reason: String? = nil, transaction: String? = nil, environment: String? = nil
    ) async throws {
        _ = try await worker.execute(
            SQLFile.settleOrders.statement,
            [
                .textArray([order]), .textArray([state]), .textArray([reason]), .textArray([transaction]),
                .textArray([environment]),
            ]
        )
    }

    /// Puts a job back, or leaves it as given up.
    func putBack(
        _ job: Leased, discards: Bool = false, delay: Double = 0, counts: Bool = true, lane: Int32? = nil,
        reason: String? = nil, crashed: Bool = false, isMissing: Bool = false
    ) async throws {
        _ = try await worker.execute(
            SQLFile.settleStayingJobs.statement,
            [
                .int8Array([job.id]), .int8Array([job.token]), .boolArray([discards]), .doubleArray([delay]),
                .boolArray([counts]), .int4Array([lane]), .textArray([reason]), .boolArray([crashed]),
                .boolArray([false]), .boolArray([isMissing]),
            ]
        )
    }
}

extension LedgerFacts.Refund {
    /// At whatever time.
    static let any = LedgerFacts.Refund(asOf: .distantPast, recordedAt: .distantPast)
}
