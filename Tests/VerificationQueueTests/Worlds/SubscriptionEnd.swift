// SPDX-License-Identifier: Apache-2.0

import Postgres

/// What stands at the end of a playing of a world, by names without its prefix and hours of the world.
struct SubscriptionEnd {
    struct Payment: Equatable {
        let state: String
        let reason: String?
        /// To which account it belongs, or was shown by.
        let account: String?
        /// In thousandths of a percent.
        let share: Int?
        let paidOrder: String?
    }

    struct Order: Equatable {
        let account: String
        let state: String
        let reason: String?
        let transaction: String?
        /// What the feed told of it last.
        let told: String?

        var isPaid: Bool { state == "fulfilled" || state == "refunded" }
    }

    var payments: [String: Payment] = [:]
    var orders: [String: Order] = [:]
    var status: SubscriptionTruth.State?
    var owner: String?
    /// Of what a family member shows: the status, and until when.
    var access: String?

    /// The order that each granted payment paid.
    var grants: [String: String] { payments.compactMapValues { $0.state == "restored" ? nil : $0.paidOrder } }

    static func read(_ signer: SubscriptionSigner, _ connection: PostgresConnection) async throws -> SubscriptionEnd {
        let range: [PostgresParameter] = [.text(signer.prefix), .text(signer.prefix.dropLast() + "."), .text(signer.bundle)]
        func name(_ text: String?) -> String? { text.map { String($0.dropFirst(signer.prefix.count)) } }
        var end = SubscriptionEnd()
        for row in try await connection.execute(payments, range) {
            end.payments[name(try row.string(0))!] = Payment(
                state: try row.string(1), reason: try row.optionalString(2), account: name(try row.optionalString(3)),
                share: row.isNull(4) ? nil : Int(try row.int32(4)), paidOrder: name(try row.optionalString(5)))
        }
        for row in try await connection.execute(orders, range) {
            end.orders[name(try row.string(0))!] = Order(
                account: name(try row.string(1))!, state: try row.string(2), reason: try row.optionalString(3),
                transaction: name(try row.optionalString(4)), told: try row.optionalString(5))
        }
        for row in try await connection.execute(status, range) {
            func hour(_ column: Int) throws -> Int? { row.isNull(column) ? nil : signer.hour(Double(try row.int64(column))) }
            end.owner = name(try row.optionalString(9))
            end.status = SubscriptionTruth.State(
                status: try row.string(0), period: name(try row.optionalString(1)), plan: try row.optionalString(2), end: try hour(3),
                accessUntil: try hour(4), renews: row.isNull(5) ? nil : try row.bool(5), next: name(try row.optionalString(6)),
                nextBegins: try hour(7), nextEnd: try hour(8), isInRetry: row.isNull(10) ? nil : try row.bool(10),
                graceEnds: try hour(11))
        }
        for row in try await connection.execute(access, [.text(signer.bundle), .text(signer.id("F1"))]) {
            end.access = "\(try row.string(0)) until \(signer.hour(Double(try row.int64(1))))"
        }
        return end
    }

    private static func statement(_ name: String, _ sql: String) -> PostgresStatement {
        PostgresStatement(name: "subscription_world_\(name)", sql: sql, isPrepared: true)
    }

    private static let payments = statement(
        "payments",
        """
        select
            s.transaction_id, s.state, s.reason, s.account_id, s.refunded_share,
            (select o.order_id from counterfoil.orders o where o.number = s.paid_order_number)
        from counterfoil.payments p
        cross join lateral (
            select * from counterfoil.payment_states s
            where s.transaction_id = p.transaction_id and s.bundle_id = p.bundle_id and s.environment = p.environment
            offset 0
        ) s
        where p.transaction_id >= $1::text and p.transaction_id < $2::text and p.bundle_id = $3::text
        """)

    private static let orders = statement(
        "orders",
        """
        select
            o.order_id, o.account_id, o.state, o.reason, o.transaction_id,
            (
                select c.kind from counterfoil.changes c
                where c.orders @> array[o.number] and c.kind <> 'order_found'
                order by c.id desc
                limit 1
            )
        from counterfoil.orders o
        where o.order_id >= $1::text and o.order_id < $2::text and o.bundle_id = $3::text
        """)

    private static let status = statement(
        "status",
        """
        select
            s.status, s.transaction_id, s.product_id, extract(epoch from s.expires_at)::bigint,
            extract(epoch from s.access_until)::bigint, s.will_renew, s.next_transaction_id,
            extract(epoch from s.next_begins_at)::bigint, extract(epoch from s.next_expires_at)::bigint, s.account_id,
            s.is_in_billing_retry, extract(epoch from s.grace_ends_at)::bigint
        from counterfoil.subscription_status s
        where s.original_transaction_id >= $1::text and s.original_transaction_id < $2::text and s.bundle_id = $3::text
            and s.ownership = 'purchased'
        """)

    private static let access = statement(
        "access",
        """
        select a.status, extract(epoch from a.access_until)::bigint from counterfoil.access_states a
        where a.bundle_id = $1::text and a.transaction_id = $2::text
        """)
}
