// SPDX-License-Identifier: Apache-2.0

import Postgres
import Verification

/// What the three tables of the ledger, and the orders, hold of one world.
struct LedgerRows {
    struct Payment {
        let id: String
        let original: String
        let item: String?
        let product: String
        /// In microseconds, as all times here.
        let purchasedAt: Int64
        let token: String?
        let account: String?
        let shownBy: String?
        let reason: String?
        let order: String?
        let isAutomatic: Bool
        /// Who made the purchase, as some proof said it.
        let purchaseReason: String?
        /// The whole row, but for what says whose it is.
        let text: String

        var isGranted: Bool { order != nil }
        var kind: ProductKind { LedgerWorld.kind(of: product) }
    }

    struct Word {
        let id: Int64
        let transaction: String
        let original: String
        let isReversal: Bool
        let share: Int32?
        let knowsNoShare: Bool
        let occurredAt: Int64
        let asOf: Int64
    }

    struct Order {
        let id: String
        /// Whose it is now, and who made it: by moves, and that by transfers too.
        let account: String
        let maker: String
        let isTransferred: Bool
        let product: String
        let state: String
        let reason: String?
        let transaction: String?
        let token: String?
    }

    /// What the view, and what backends are told of a transaction.
    struct Judged {
        let id: String
        let state: String
        let share: Int32?
        let status: String
        let order: String?
        let action: String
        let isUnclaimed: Bool
    }

    /// An account that was moved, or an order that was transferred.
    struct Move {
        let order: String?
        let from: String
        let to: String
    }

    /// Whether the name stands for an account that was forgotten.
    static func isForgotten(_ account: String) -> Bool { account.hasPrefix("forgotten-") }

    var payments: [Payment] = []
    /// The oldest first.
    var moves: [Move] = []
    var words: [Word] = []
    var orders: [Order] = []

    func order(_ id: String) -> Order? { orders.first { $0.id == id } }
    func payment(_ id: String) -> Payment? { payments.first { $0.id == id } }

    /// The account that an account is now.
    func followed(_ account: String) -> String {
        var account = account
        for move in moves where move.order == nil && move.from == account { account = move.to }
        return account
    }

    static func read(_ prefix: String, of bundle: String, _ connection: PostgresConnection) async throws -> LedgerRows {
        // All ids that begin with the prefix, and no other: the dot follows the dash.
        let range: [PostgresParameter] = [.text(prefix), .text(prefix.dropLast() + "."), .text(bundle)]
        var rows = LedgerRows()
        rows.moves = try await connection.execute(moves, [.text(prefix), .text(prefix.dropLast() + ".")]).map { row in
            Move(order: try row.optionalString(0), from: try row.string(1), to: try row.string(2))
        }
        func account(_ account: String, of order: String?) -> String {
            rows.followed(rows.moves.last { $0.order == order && order != nil }?.to ?? account)
        }
        rows.payments = try await connection.execute(payments, range).map { row in
            Payment(
                id: try row.string(0), original: try row.string(1), item: try row.optionalString(2), product: try row.string(3),
                purchasedAt: try row.int64(4), token: try row.optionalString(5),
                account: try row.optionalString(6).map { account($0, of: try row.optionalString(8)) },
                shownBy: try row.optionalString(11), reason: try row.optionalString(7), order: try row.optionalString(8), isAutomatic: try row.bool(9),
                purchaseReason: try row.optionalString(12), text: try row.string(10))
        }
        rows.words = try await connection.execute(words, range).map { row in
            Word(
                id: try row.int64(0), transaction: try row.string(1), original: try row.string(2), isReversal: try row.bool(3),
                share: row.isNull(4) ? nil : try row.int32(4), knowsNoShare: try row.bool(7), occurredAt: try row.int64(5),
                asOf: try row.int64(6))
        }
        rows.orders = try await connection.execute(orders, range).map { row in
            Order(
                id: try row.string(0), account: account(try row.string(1), of: try row.string(0)),
                maker: rows.followed(try row.string(1)), isTransferred: rows.moves.contains { $0.order == (try? row.string(0)) },
                product: try row.string(2), state: try row.string(3), reason: try row.optionalString(4), transaction: try row.optionalString(5), token: try row.optionalString(6))
        }
        return rows
    }

    static func readJudged(_ prefix: String, of bundle: String, _ connection: PostgresConnection) async throws -> [Judged] {
        try await connection.execute(judged, [.text(prefix), .text(prefix.dropLast() + "."), .text(bundle)]).map { row in
            Judged(
                id: try row.string(0), state: try row.string(1), share: row.isNull(2) ? nil : try row.int32(2),
                status: try row.string(3), order: try row.optionalString(4), action: try row.string(5),
                isUnclaimed: try row.bool(6))
        }
    }

    private static func statement(_ name: String, _ sql: String) -> PostgresStatement {
        PostgresStatement(name: "world_\(name)", sql: sql, isPrepared: true)
    }

    private static let payments = statement(
        "payments",
        """
        select
            p.transaction_id, p.original_transaction_id, p.web_order_line_item_id, p.product_id,
            (extract(epoch from p.purchased_at) * 1000000)::bigint, p.app_account_token::text, p.account_id, p.reason, p.order_id,
            p.job_id is not null, (to_jsonb(p) - '{account_id,app_account_token,customer_id}'::text[])::text, p.shown_by,
            p.purchase_reason
        from counterfoil.ledger p
        where p.transaction_id >= $1::text and p.transaction_id < $2::text and p.bundle_id = $3::text
        """)

    private static let moves = statement(
        "moves",
        """
        select o.order_id, m.from_account, m.to_account
        from counterfoil.moves m
        left join counterfoil.orders o on o.number = m.order_number
        where m.from_account >= $1::text and m.from_account < $2::text or o.order_id >= $1::text and o.order_id < $2::text
        order by m.id
        """)

    private static let words = statement(
        "words",
        """
        select
            r.id, r.transaction_id, r.original_transaction_id, r.kind = 'reversal', r.share,
            (extract(epoch from r.occurred_at) * 1000000)::bigint, (extract(epoch from r.as_of) * 1000000)::bigint,
            r.knows_no_share
        from counterfoil.revocations r
        where r.original_transaction_id >= $1::text and r.original_transaction_id < $2::text and r.bundle_id = $3::text
        """)

    private static let orders = statement(
        "orders",
        """
        select o.order_id, o.account_id, o.product_id, o.state, o.reason, o.transaction_id, o.app_account_token::text
        from counterfoil.orders o
        where o.order_id >= $1::text and o.order_id < $2::text and o.bundle_id = $3::text
        """)

    private static let judged = statement(
        "judged",
        """
        select s.transaction_id, s.state, s.refunded_share, t.status, t.order_id, t.client_action, u.transaction_id is not null
        from counterfoil.payments p
        cross join lateral (
            select * from counterfoil.payment_states s
            where s.transaction_id = p.transaction_id and s.bundle_id = p.bundle_id and s.environment = p.environment
            offset 0
        ) s
        cross join lateral (
            select * from counterfoil.transaction_status t
            where t.transaction_id = p.transaction_id and t.bundle_id = p.bundle_id and t.environment = p.environment
            offset 0
        ) t
        left join lateral (
            select * from counterfoil.unclaimed_transactions u
            where u.transaction_id = p.transaction_id and u.bundle_id = p.bundle_id and u.environment = p.environment
            offset 0
        ) u on true
        where p.transaction_id >= $1::text and p.transaction_id < $2::text and p.bundle_id = $3::text
        """)
}
