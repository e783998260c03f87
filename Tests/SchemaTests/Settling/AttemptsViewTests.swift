// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import TestSupport
import Testing

/// The attempts of plain grants, which stand in the payments' rows: whoever reads the history reads them as rows of their own, and
/// looks them up.
@Suite struct AttemptsViewTests {
    /// The readers of the history, each in an order of its own.
    private static let readers = [
        "select * from counterfoil.attempts order by job_id, lease_token",
        "select * from counterfoil.order_story order by order_id, at, event, detail",
        """
        select o.order_id, u.* from counterfoil.orders o
        cross join generate_series(1, 3) n
        cross join lateral counterfoil.upload_status(3 * substr(o.order_id, 6)::bigint + n, o.account_id) u
        order by 1, n, u.transaction_id
        """,
        "select * from counterfoil.order_status order by order_id",
        "select * from counterfoil.attempt_minutes order by 1, 2, 3, 4, 5, 6",
        "select * from counterfoil.attempt_hours order by 1, 2, 3, 4, 5, 6",
        "select * from counterfoil.latency_minutes order by 1, 2, 3", "select * from counterfoil.latency_hours order by 1, 2, 3",
        "select * from counterfoil.product_minutes order by 1, 2, 3", "select * from counterfoil.product_hours order by 1, 2, 3",
        "select * from counterfoil.suspicion_minutes order by 1, 2, 3, 4", "select * from counterfoil.orders_in_review order by 1",
    ]

    /// Orders of two hours with up to three attempts each. Most were granted, of these most plainly.
    private func fill(_ shop: Shop, orders: Int, seed: Int) async throws {
        try await shop.run(
            """
            set session_replication_role = replica;
            create temporary table past as
            select
                'past ' || i as id, i, r.ends, r.attempts, r.ends < 8 as is_granted, r.ends < 6 as is_plain,
                date_trunc('minute', now()) - interval '3 hours' + r.second * interval '1 second' as ended_at
            from generate_series(1, \(orders)) i
            cross join lateral (
                select
                    (hashint8extended(i, \(seed)) & 1023) % 10 as ends,
                    1 + (hashint8extended(i, \(seed + 1)) & 1023) % 3 as attempts,
                    (hashint8extended(i, \(seed + 2)) & 65535) % 7200 as second
            ) r;
            insert into counterfoil.orders (
                order_id, bundle_id, product_id, account_id, state, reason, transaction_id, environment, attempts, last_attempt_at,
                created_at, updated_at, fulfilled_at
            )
            select
                p.id, '\(Shop.bundle)', case when p.i % 2 = 0 then 'coins' else 'pro' end, 'account ' || p.i % 5,
                case when p.is_granted then 'fulfilled' when p.ends = 8 then 'rejected' else 'review' end,
                case when not p.is_granted then 'owner_mismatch' end, p.i::text, 'production', p.attempts, p.ended_at,
                p.ended_at - interval '9 seconds', p.ended_at, case when p.is_granted then p.ended_at end
            from past p;
            insert into counterfoil.payments (
                order_number, granted_at, shown_by_number, reason, job_id, bundle_id, environment, transaction_id,
                original_transaction_id, product_id, product_kind, quantity, purchased_at, account_id, seen_at, attempt, lease_token, worker_id,
                submitted_at, claimed_at, proof_kind
            )
            select
                case when p.is_granted then o.number end, case when p.is_granted then p.ended_at end,
                case when not p.is_granted then o.number end,
                case when not p.is_granted then 'owner_mismatch' end, case when p.is_granted then 3 * p.i + p.attempts end,
                o.bundle_id, 'production', p.i::text, p.i::text, o.product_id, 'consumable', 1, o.created_at, o.account_id,
                p.ended_at, t.attempt, t.lease_token, t.worker_id, t.submitted_at, t.claimed_at, t.proof_kind
            from past p
            join counterfoil.orders o on o.order_id = p.id
            left join lateral (
                select
                    p.attempts as attempt, p.attempts as lease_token, 7 as worker_id, o.created_at as submitted_at,
                    p.ended_at - p.attempts * interval '0.4 seconds' as claimed_at,
                    case when p.i % 3 > 0 then 'signed_transaction' end as proof_kind
            ) t on p.is_plain;
            insert into counterfoil.other_attempts (
                job_id, order_number, lease_token, attempt, disposition, reason, proof_kind, environment, transaction_id, worker_id,
                submitted_at, claimed_at, finished_at, shown_transaction_ids
            )
            select
                3 * p.i + n, o.number, n, n, case when n < p.attempts then 'retry' else 'complete' end,
                case when n < p.attempts then 'app_store_unavailable' when not p.is_granted then 'owner_mismatch' end,
                'app_receipt', 'production', case when n = p.attempts then p.i::text end, 7, p.ended_at - interval '9 seconds',
                p.ended_at - interval '5 seconds', p.ended_at - (p.attempts - n) * interval '1 second',
                case when n = p.attempts and p.i % 2 = 0 then array[p.i::text, 'x'] end
            from past p
            join counterfoil.orders o on o.order_id = p.id
            cross join lateral generate_series(1, p.attempts) n
            where n < p.attempts or not p.is_plain;
            reset session_replication_role
            """)
    }

    /// The readers' answers, once all of it is counted anew.
    private func read(_ shop: Shop) async throws -> [[String]] {
        try await shop.run(
            """
            truncate counterfoil.attempt_minutes, counterfoil.attempt_hours, counterfoil.latency_minutes, counterfoil.latency_hours,
                counterfoil.product_minutes, counterfoil.product_hours, counterfoil.suspicion_minutes, counterfoil.orders_in_review
            """)
        let before = "date_trunc('minute', now()) - interval '4 hours'"
        try await shop.mark(final: before, counted: before)
        try await shop.rollUp()
        var seen: [[String]] = []
        for reader in Self.readers { seen.append(try await shop.rows(reader)) }
        return seen
    }

    @Test(arguments: 1...3)
    func everyReaderSeesAPlainGrantAsARowOfItsOwn(seed: Int) async throws {
        try await Shop.open { shop in
            try await fill(shop, orders: 300, seed: seed)
            let plain = try await shop.count("counterfoil.payments where lease_token is not null")
            let inPayments = try await read(shop)

            try await shop.run(
                """
                set session_replication_role = replica;
                insert into counterfoil.other_attempts (
                    job_id, order_number, lease_token, attempt, disposition, proof_kind, environment, transaction_id, worker_id,
                    submitted_at, claimed_at, finished_at
                )
                select
                    p.job_id, p.order_number, p.lease_token, p.attempt, 'complete', p.proof_kind, p.environment, p.transaction_id,
                    p.worker_id, p.submitted_at, p.claimed_at, p.granted_at
                from counterfoil.payments p
                where p.lease_token is not null;
                update counterfoil.payments
                set attempt = null, lease_token = null, worker_id = null, submitted_at = null, claimed_at = null, proof_kind = null;
                reset session_replication_role
                """)
            let inRows = try await read(shop)

            #expect(plain > 100)
            #expect(try await shop.count("counterfoil.attempts a where a.disposition = 'retry'") > 100)
            for (reader, (first, second)) in zip(Self.readers, zip(inPayments, inRows)) {
                #expect(!first.isEmpty, "\(reader)")
                #expect(first == second, "\(reader)")
            }
        }
    }

    /// A settlement that began in a minute and committed after its first count.
    @Test func aPlainGrantThatShowsLateIsCountedWhenItsMinuteIsFinal() async throws {
        try await Shop.open { shop in
            let past = Shop.pastMinute()
            try await shop.mark(final: past, counted: past)
            try await shop.rollUp()

            try await shop.order("a")
            try await shop.run(
                """
                set session_replication_role = replica;
                insert into counterfoil.payments (
                    order_number, granted_at, job_id, bundle_id, environment, transaction_id, original_transaction_id,
                    product_id, product_kind, quantity, purchased_at, account_id, attempt, lease_token, worker_id, submitted_at,
                    claimed_at
                )
                values (
                    \(orderNumber("a")), \(past), 1, '\(Shop.bundle)', 'production', '1', '1', 'coins', 'consumable', 1, now(),
                    'ann', 1, 1, 7, \(past), \(past)
                );
                reset session_replication_role
                """)
            try await shop.mark(final: past, counted: "date_trunc('minute', now())")
            try await shop.rollUp()

            #expect(
                try await shop.rows("select minute = \(past), outcome, proof_kind, attempts from counterfoil.attempt_minutes")
                    == ["(t,fulfilled,\"\",1)"])
        }
    }

    // MARK: Plans

    /// A ledger and a history in which reading a table whole is the dearest way.
    private func fillForPlans(_ shop: Shop) async throws {
        try await fill(shop, orders: 40_000, seed: 9)
        try await shop.run("vacuum analyze")
    }

    /// Also where the statistics saw nothing.
    @Test(arguments: [true, false], [true, false])
    func theAttemptsOfAnOrderAreLookedUp(isGeneric: Bool, isAnalysedEmpty: Bool) async throws {
        try await Shop.open { shop in
            if isAnalysedEmpty {
                try await shop.run(
                    """
                    analyze;
                    alter table counterfoil.payments set (autovacuum_enabled = off);
                    alter table counterfoil.orders set (autovacuum_enabled = off)
                    """)
                try await fill(shop, orders: 40_000, seed: 9)
            } else {
                try await fillForPlans(shop)
            }
            let plan = try await shop.plan(.showAttempts, "'past 7'", isGeneric: isGeneric)

            #expect(plan.contains("Index Scan using one_grant_an_order on payments"), "\(plan)")
            #expect(plan.contains("order_number_idx on other_attempts"), "\(plan)")
            #expect(!plan.contains("Seq Scan on payments"), "\(plan)")
        }
    }

    @Test(arguments: [
        "select * from counterfoil.order_story where order_id = 'past 7'",
        "select * from counterfoil.attempts where order_id = any (array['past 7', 'past 8'])",
    ])
    func storiesLookThemUp(query: String) async throws {
        try await Shop.open { shop in
            try await fillForPlans(shop)
            _ = try await shop.admin.execute("set jit = off")
            let plan = try await shop.admin.execute("explain (costs off) \(query)").map { try $0.string(0) }
                .joined(separator: "\n")

            #expect(plan.contains("one_grant_an_order"), "\(plan)")
            #expect(!plan.contains("Seq Scan on payments"), "\(plan)")
        }
    }

    /// A hundredth of the payments was seen long before its grant. Their rows stand among old ones, and no reader of a minute reads
    /// these.
    @Test func aMinuteIsReadByItsTimeAlsoBesideGrantsOfOldPayments() async throws {
        try await Shop.open { shop in
            // Each page has room, as if rows of it had gone: a row stays in its page when it is granted.
            try await shop.run("alter table counterfoil.payments set (fillfactor = 90)")
            try await fillForPlans(shop)
            try await shop.run(
                """
                set session_replication_role = replica;
                update counterfoil.payments p
                set order_number = 1000000 + p.transaction_id::bigint, granted_at = now() - interval '1 minute', reason = null,
                    job_id = 1
                where p.reason is not null and p.transaction_id::integer % 20 = 0;
                insert into counterfoil.payments (
                    order_number, granted_at, job_id, bundle_id, environment, transaction_id, original_transaction_id,
                    product_id, product_kind, quantity, purchased_at, account_id, attempt, lease_token, worker_id, submitted_at,
                    claimed_at
                )
                select
                    2000000 + i, now() - interval '1 minute', 1, '\(Shop.bundle)', 'production', 'n' || i, 'n' || i,
                    'coins', 'consumable', 1, now(), 'ann', 1, 1, 7, now(), now()
                from generate_series(1, 100) i;
                reset session_replication_role;
                select brin_summarize_new_values('counterfoil.payments_by_plain_grant')
                """)
            let old = try await shop.count("counterfoil.payments where order_number between 1000000 and 1999999")
            try #require(old > 300)
            _ = try await shop.admin.execute("set enable_seqscan = off")

            let plan = try await shop.admin.execute(
                """
                explain (analyze, costs off, timing off)
                select count(*) from counterfoil.attempts a
                where a.finished_at >= now() - interval '2 minutes' and a.finished_at < now()
                """
            ).map { try $0.string(0) }

            let scan = try #require(plan.firstIndex { $0.contains("Bitmap Heap Scan on payments") }, "\(plan)")
            #expect(plan[scan].contains("rows=100 "), "\(plan)")
            #expect(plan.contains { $0.contains("Bitmap Index Scan on payments_by_plain_grant") }, "\(plan)")
            #expect(plan.contains { $0.contains("Scan on other_attempts_") && $0.contains("finished_at_idx") }, "\(plan)")
            // A range has 128 pages, and the table a thousand.
            let blocks = try #require(plan[scan...].first { $0.contains("Heap Blocks: lossy=") }, "\(plan)")
            let pages = try #require(blocks.split(separator: "=").last.flatMap { Int($0) })
            #expect(pages <= 256, "\(plan)")
            let size = try await shop.value("select pg_relation_size('counterfoil.payments') / 8192 > 900")
            #expect(size == "true")
        }
    }
}
