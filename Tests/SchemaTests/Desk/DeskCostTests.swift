// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Testing

/// No command of the desk reads more pages of a larger ledger: what people ask for is looked up, and each search has a bound.
@Suite struct DeskCostTests {
    /// A statement of a command, with arguments that make it work hard.
    private static let asked: [(file: SQLFile, arguments: String)] = [
        (.listOrders, "null, null, null, null, null, null, null, 51"),
        (.listOrders, "null, null, null, null, null, null, 'order 7000', 51"),
        (.listOrders, "'whale', null, null, null, null, null, null, 51"),
        (.listOrders, "'whale', 'cancelled', null, null, null, null, null, 51"),
        (.listOrders, "null, 'cancelled', null, null, null, null, null, 51"),
        (.listOrders, "null, 'review', null, null, null, null, null, 51"),
        (.listOrders, "null, null, 'nothing', null, null, null, null, 51"),
        (.listOrders, "null, null, null, null, now() - interval '20 hours', now() - interval '18 hours', null, 51"),
        (.callFindAnything, "'order 6000'"), (.callFindAnything, "'t6000'"), (.callFindAnything, "'whale'"),
        (.callFindAnything, "'6f9619ff-8b86-4011-b42d-00c04fc964ff'"), (.callFindAnything, "'6000'"),
        (.callFindAnything, "'nothing'"),
        (.callNextStep, "'order 6000'"), (.callNextStep, "'order 6001'"),
        (.callCustomerPayments, "'whale', 50"), (.callCustomerAccounts, "'whale'"),
        (.callReviewCauses, "null"), (.callReviewCauses, "'\(Shop.bundle)'"),
        (.listNotifications, "null, null, null, 51, null"), (.listNotifications, "'\(Shop.bundle)', null, null, 51, null"),
        (.listNotifications, "null, 't6000', null, 51, null"), (.listNotifications, "null, null, 'order 6001', 51, null"),
        (.listNotifications, "'\(Shop.bundle)', null, null, 51, 9000"),
        (.showPayment, "'t6000', null"), (.listProducts, "null, null, 51"), (.showOrder, "'order 6001'"), (.showOrder, "'order 6000'"),
        (.showOrderStory, "'order 6001'"), (.showOrderStory, "'order 6000'"), (.showAttempts, "'order 6001'"),
        (.showOrderEvents, "'order 6001'"), (.showSubscriptions, "'t6000', null, null"), (.showNotification, "'6000'"),
        (.showNotification, "'6f9619ff-8b86-4011-b42d-00c04fc964ff'"), (.showJob, "6000"), (.readMovedAccount, "'account 6051'"),
        (.callMovesOfAccount, "'mover 1', 20"), (.previewTransfer, "'order 6001', 'mover 1'"),
        (.callPreviewOfAccount, "'account 6001'"), (.callOrdersOfAccount, "'account 6001', 100, 0"),
        (.listOrdersThatName, "'account 6001', 51"),
        (.listOrders, "'mover 1', null, null, null, null, null, null, 51"), (.callCustomerPayments, "'mover 1', 50"),
        (.listJobs, "null, null, 51, null"), (.listJobs, "'available', null, 51, 5000"), (.listJobs, "'discarded', null, 51, null"),
        (.listJobs, "'running', null, 51, null"), (.listJobs, "null, 'order 6001', 51, null"),
        (.listConsumption, "null, false, 51, null"), (.listConsumption, "null, true, 51, null"),
        (.listConsumption, "'\(Shop.bundle)', false, 51, null"), (.listConsumption, "'\(Shop.bundle)', true, 51, null"),
        (
            .findOrdersOfTransactions,
            "'{x}', '{x}', '\(Shop.bundle)', '{coins}', '{1}', array[now() - interval '20 hours'], array[null::timestamptz], array[null::uuid]"
        ),
    ]

    /// Orders `order 1` … with a payment, a notification and a question of Apple's each: a second apart, the last one now. Every
    /// fifth is in review, and half are of one account.
    private func fill(_ shop: Shop, orders: ClosedRange<Int>) async throws {
        try await shop.run(
            """
            set session_replication_role = replica;
            insert into counterfoil.orders (
                order_id, bundle_id, product_id, account_id, state, reason, transaction_id, environment, fulfilled_at, created_at
            )
            select
                'order ' || i, '\(Shop.bundle)', case i % 3 when 0 then 'pro' else 'coins' end,
                case i % 2 when 0 then 'whale' else 'account ' || i end, case i % 5 when 0 then 'review' else 'fulfilled' end,
                case i % 5 when 0 then 'quantity_short' end, 't' || i, 'production', now(), now() - interval '1 s' * (90000 - i)
            from generate_series(\(orders.lowerBound), \(orders.upperBound)) i;
            insert into counterfoil.payments (
                transaction_id, bundle_id, environment, original_transaction_id, product_id, product_kind, quantity, purchased_at,
                account_id, shown_by_number, reason, order_number, granted_at, seen_at
            )
            select
                o.transaction_id, o.bundle_id, 'production', o.transaction_id, o.product_id, 'consumable', 1, o.created_at, o.account_id,
                case o.state when 'review' then o.number end, case o.state when 'review' then 'quantity_short' end,
                case o.state when 'fulfilled' then o.number end, case o.state when 'fulfilled' then o.created_at end, o.created_at
            from counterfoil.orders o
            where not exists (select from counterfoil.payments p where p.transaction_id = o.transaction_id);
            insert into counterfoil.moved_accounts
            select o.account_id, 'mover ' || o.number from counterfoil.orders o where o.number % 50 = 1 on conflict do nothing;
            insert into counterfoil.moves (from_account, to_account, who, why)
            select m.account_id, m.account_now, 'eve', 'x' from counterfoil.moved_accounts m
            where not exists (select from counterfoil.moves v where v.from_account = m.account_id);
            insert into counterfoil.jobs (id, order_id, order_number, kind, lane, state, reason, proof)
            select
                o.number, o.order_id, o.number, 'verify', 1, case o.number % 10 when 0 then 'discarded' else 'available' end, 'x', 'eyJ'
            from counterfoil.orders o
            where not exists (select from counterfoil.jobs j where j.id = o.number);
            insert into counterfoil.orders_in_review
            select o.order_id, o.created_at from counterfoil.orders o where o.state = 'review' on conflict do nothing;
            insert into counterfoil.notifications (
                notification_uuid, bundle_id, environment, type, source, payload_hash, is_of_an_app, outcome, transaction_id, received_at,
                processed_at
            )
            select gen_random_uuid(), '\(Shop.bundle)', 'production', 'ONE_TIME_CHARGE', 'push', sha256(o.order_id::bytea), true, 'recorded',
                o.transaction_id, o.created_at, o.created_at
            from counterfoil.orders o
            where not exists (select from counterfoil.notifications n where n.transaction_id = o.transaction_id);
            insert into counterfoil.consumption_requests (
                notification_id, bundle_id, environment, transaction_id, requested_at, deadline
            )
            select n.id, n.bundle_id, n.environment, n.transaction_id, n.received_at, n.received_at + interval '40 hours'
            from counterfoil.notifications n
            on conflict do nothing;
            reset session_replication_role
            """)
        try await shop.run(
            """
            vacuum analyze counterfoil.orders, counterfoil.payments, counterfoil.orders_in_review, counterfoil.notifications,
                counterfoil.consumption_requests, counterfoil.jobs
            """)
    }

    /// The pages that a statement reads, its functions' included, once what it needs of the catalogue is known.
    private func pages(_ asked: (file: SQLFile, arguments: String), _ connection: PostgresConnection) async throws -> Int {
        _ = try await connection.execute("prepare asked as \(asked.file.text)")
        var plan = ""
        for _ in 1...2 {
            plan =
                try await connection.execute(
                    "explain (analyze, buffers, timing off, format json) execute asked(\(asked.arguments))")[0]
                .textDescription(0) ?? ""
        }
        _ = try await connection.execute("deallocate asked")
        // The first of each kind is that of the whole plan.
        return ["Shared Hit Blocks", "Shared Read Blocks"].reduce(0) { sum, name in
            guard let found = plan.firstRange(of: "\"\(name)\": ") else { return sum }
            return sum + (Int(plan[found.upperBound...].prefix { $0.isNumber }) ?? 0)
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func noStatementReadsMoreOfALargerLedger() async throws {
        try await Shop.open { shop in
            try await shop.database.withConnection(as: "counterfoil_support") { support in
                func readAll() async throws -> [Int] {
                    var found: [Int] = []
                    for asked in Self.asked { found.append(try await pages(asked, support)) }
                    return found
                }
                // Above the bounds of each search.
                try await fill(shop, orders: 1...30_000)
                let before = try await readAll()
                try await fill(shop, orders: 30_001...90_000)
                let after = try await readAll()

                for (asked, counts) in zip(Self.asked, zip(before, after)) {
                    // Indexes are deeper by a level, and rows of one account lie further apart: never four times as many pages.
                    #expect(
                        counts.1 <= counts.0 * 2 + 40,
                        "\(asked.file.name)(\(asked.arguments)): \(counts.0) pages of 30000 orders, \(counts.1) of 90000")
                }
            }
        }
    }
}
