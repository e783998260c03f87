// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

/// The functions that backends poll: the rows of the views, of one account, without the views' planning.
@Suite struct PollTests {
    /// Calls of the functions for orders and transactions of ``fill(_:)``, each with one row.
    private static let calls = [
        "counterfoil.order_status_of('fulfilled', 'ann')", "counterfoil.order_status_of('parked', 'ann')",
        // The look at the payment that pays for another order is a function's.
        "counterfoil.order_status_of('again', 'ann')", "counterfoil.order_status_of('unreadable', 'ann')",
        "counterfoil.order_statuses_of('{again}', 'ann')",
        "counterfoil.transaction_status_of('\(Shop.bundle)', 'production', '5', 'ann')",
        "counterfoil.transaction_status_of('\(Shop.bundle)', null, '1', 'ann')",
    ]

    /// Subscriptions of Ann's and Bob's, and one that nobody has: of each many periods, and each told of.
    private func fillSubscriptions(_ shop: Shop, periods: Int) async throws {
        try await shop.run(
            """
            insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
            select 'sub ' || i, '\(Shop.bundle)', 'plus', case i % 2 when 0 then 'ann' else 'bob' end from generate_series(1, 20) i
            on conflict do nothing;
            set session_replication_role = replica;
            insert into counterfoil.payments (
                transaction_id, bundle_id, environment, original_transaction_id, product_id, product_kind, quantity, purchased_at,
                expires_at, web_order_line_item_id, order_number, granted_at, account_id, reason
            )
            select
                case n when 1 then 's' || i else 's' || i || '.' || n end, '\(Shop.bundle)', 'production', 's' || i, 'plus',
                'auto_renewable', 1, now() - interval '1 hour' * (\(periods) - n) - interval '1 minute',
                now() - interval '1 hour' * (\(periods) - n - 1), 'w' || i || '.' || n,
                case when n = 1 and i < 20 then (select o.number from counterfoil.orders o where o.order_id = 'sub ' || i) end,
                case when n = 1 and i < 20 then now() end,
                case when n = 1 and i < 20 then case i % 2 when 0 then 'ann' else 'bob' end end,
                case when n > 1 or i = 20 then 'no_order' end
            from generate_series(1, 20) i, generate_series(1, \(periods)) n;
            insert into counterfoil.period_ends
            select p.transaction_id, p.bundle_id, p.environment, p.expires_at, p.purchased_at from counterfoil.payments p
            where p.product_kind = 'auto_renewable';
            insert into counterfoil.subscriptions (original_transaction_id, bundle_id, environment, will_renew, as_of)
            select 's' || i, '\(Shop.bundle)', 'production', true, now() from generate_series(1, 20) i;
            reset session_replication_role
            """)
    }

    /// Orders in each state and with each action, Ann's and Bob's, and payments that nothing was granted for.
    private func fill(_ shop: Shop) async throws {
        let later: Int64 = 200_000_000
        for order in [
            "open", "pending", "parked", "lacking", "forged", "unreadable", "owned", "review", "again", "fulfilled", "partly",
            "refunded", "cancelled", "cancelled, paid another",
        ] {
            try await shop.order(order)
        }
        try await shop.order("bob's", account: "bob")
        try await shop.upload("pending")
        try await shop.upload("parked", "MII")
        try await shop.run("update counterfoil.gates set state = 'closed', closed_by = 'operator' where route = 'verify_receipt'")
        try await shop.settleOrder("lacking", "rejected", "purchase_not_in_receipt")
        try await shop.settleOrder("forged", "rejected", "bad_signature")
        try await shop.settleOrder("unreadable", "rejected", "malformed_proof")
        for number in 1...5 { try await shop.attempt("unreadable", reason: "malformed_proof", finished: "now()", number: number) }
        try await shop.run(
            """
            update counterfoil.orders o set attempts = 5, last_attempt_at = now() + interval '1 s' where o.order_id = 'unreadable'
            """)
        try #require(try await shop.insertGrant("fulfilled", Payment(id: "1", quantity: 3)))
        try await shop.settleOrder("owned", "rejected", "already_granted", transaction: "1", environment: "production")
        try await shop.settleOrder("review", "review", "purchase_before_order")
        let again = Payment(id: "5", product: "gems", purchasedAt: later, fitsUnder: 1)
        try await shop.insertUnclaimed([("again", again)], reason: "wrong_product")
        try await shop.settleOrder("again", "review", "wrong_product", transaction: "5", environment: "production")
        try #require(try await shop.insertGrant("partly", Payment(id: "2")))
        try await shop.insertRevocation(Payment(id: "2"), at: 10, share: 40_000)
        try #require(try await shop.insertGrant("refunded", Payment(id: "3", environment: "sandbox")))
        try await shop.insertRevocation(Payment(id: "3", environment: "sandbox"), at: 10)
        try #require(try await shop.insertGrant("bob's", Payment(id: "4")))
        for order in ["cancelled", "cancelled, paid another"] {
            _ = try await shop.backend.execute("select counterfoil.cancel_order($1, 'gone')", [.text(order)])
        }
        try await shop.attempt("cancelled, paid another", reason: "order_cancelled", transaction: "1", finished: "now()")
        // Refunded before anything was granted: nobody's. And of both environments.
        try await shop.insertRevocation(Payment(id: "6"), at: 10)
        try await shop.insertUnclaimed([("open", Payment(id: "7")), ("open", Payment(id: "7", environment: "sandbox"))])
    }

    /// The rows that one of two queries has, and the other hasn't.
    private func differences(_ first: String, _ second: String, _ shop: Shop) async throws -> [String] {
        try await shop.rows(
            "((\(first)) except all (\(second))) union all ((\(second)) except all (\(first)))", as: shop.backend)
    }

    @Test func theRowsOfOrdersAreThoseOfTheView() async throws {
        try await Shop.open { shop in
            try await fill(shop)
            let view = "select s.* from counterfoil.order_status s"
            let found = try await shop.rows("select s.state, s.client_action from counterfoil.order_status s", as: shop.backend)
            for state in ["open", "rejected", "review", "fulfilled", "refunded", "cancelled"] {
                try #require(found.contains { $0.hasPrefix("(\(state),") }, "\(found)")
            }
            for action in ["wait", "finish", "upload_proof", "resend_proof", "order_again", "contact_support"] {
                try #require(found.contains { $0.hasSuffix(",\(action))") }, "\(found)")
            }

            let one = """
                select f.* from counterfoil.order_status o
                cross join lateral counterfoil.order_status_of(o.order_id, o.account_id) f
                """
            let several = """
                select f.*
                from (select o.account_id, array_agg(o.order_id) as ids from counterfoil.order_status o group by o.account_id) a
                cross join lateral counterfoil.order_statuses_of(a.ids, a.account_id) f
                """

            #expect(try await differences(view, one, shop) == [])
            #expect(try await differences(view, several, shop) == [])
        }
    }

    @Test func theRowsOfTransactionsAreThoseOfTheView() async throws {
        try await Shop.open { shop in
            try await fill(shop)
            let view = "select t.* from counterfoil.transaction_status t"
            let found = try await shop.rows("select t.status from counterfoil.transaction_status t", as: shop.backend)
            try #require(Set(found) == ["(granted)", "(revoked)", "(unclaimed)"])

            let named = """
                select f.* from counterfoil.transaction_status t
                cross join lateral counterfoil.transaction_status_of(
                    t.bundle_id, t.environment, t.transaction_id, coalesce(t.account_id, 'carl')) f
                """
            let both = """
                select f.* from (
                    select distinct t.bundle_id, t.transaction_id, coalesce(t.account_id, 'carl') as account_id
                    from counterfoil.transaction_status t
                ) t
                cross join lateral counterfoil.transaction_status_of(t.bundle_id, null, t.transaction_id, t.account_id) f
                """

            #expect(try await differences(view, named, shop) == [])
            #expect(try await differences(view, both, shop) == [])
        }
    }

    @Test func theRowsOfSubscriptionsAreThoseOfTheView() async throws {
        try await Shop.open { shop in
            try await fillSubscriptions(shop, periods: 3)
            let view = "select s.* from counterfoil.subscription_status s"
            let found = try await shop.rows(
                "select s.account_id, s.status, count(*) from counterfoil.subscription_status s group by 1, 2 order by 1, 2",
                as: shop.backend)
            try #require(found == ["(ann,active,9)", "(bob,active,10)", "(,active,1)"])
            let one = """
                select f.* from counterfoil.subscription_status s
                cross join lateral counterfoil.subscription_status_of(
                    s.bundle_id, s.environment, s.original_transaction_id, coalesce(s.account_id, 'carl')) f
                """

            #expect(try await differences(view, one, shop) == [])
            #expect(try await differences(view, one.replacing("s.environment,", with: "null,"), shop) == [])
        }
    }

    /// Whoever has them: by an order, by the token of one, or because somebody else paid.
    @Test func theSubscriptionsOfAnAccountAreThoseOfTheView() async throws {
        try await Shop.open { shop in
            try await fillSubscriptions(shop, periods: 3)
            try await shop.run(
                """
                insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, app_account_token)
                values ('told', '\(Shop.bundle)', 'plus', 'cid', '0d9a2d0e-64d7-4a55-9d0f-0a0c2f4f1a11');
                set session_replication_role = replica;
                insert into counterfoil.payments (
                    transaction_id, bundle_id, environment, original_transaction_id, product_id, product_kind, quantity, purchased_at,
                    expires_at, web_order_line_item_id, app_account_token, reason
                )
                values (
                    't1', '\(Shop.bundle)', 'production', 't1', 'plus', 'auto_renewable', 1, now() - interval '1 minute',
                    now() + interval '1 hour', 'wt', '0d9a2d0e-64d7-4a55-9d0f-0a0c2f4f1a11', 'no_order'
                );
                insert into counterfoil.accesses (
                    transaction_id, bundle_id, environment, original_transaction_id, product_id, product_kind, ownership,
                    purchased_at, ends_at, as_of, account_id
                )
                values
                    ('f1', '\(Shop.bundle)', 'production', 'f1', 'plus', 'auto_renewable', 'family_shared',
                        now() - interval '1 month', now() - interval '1 day', now(), 'ann'),
                    ('f2', '\(Shop.bundle)', 'production', 'f1', 'plus', 'auto_renewable', 'family_shared',
                        now() - interval '1 minute', now() + interval '1 day', now(), 'ann');
                reset session_replication_role
                """)
            for (account, count) in [("ann", 10), ("bob", 10), ("cid", 1), ("eve", 0)] {
                let view = "select s.* from counterfoil.subscription_status s where s.account_id = '\(account)'"
                let list = "select s.* from counterfoil.subscriptions_of('\(account)', '\(Shop.bundle)') s"

                #expect(try await differences(view, list, shop) == [])
                #expect(try await shop.rows("select 1 from counterfoil.subscriptions_of('\(account)') s", as: shop.backend).count == count)
            }
            #expect(try await shop.rows("select * from counterfoil.subscriptions_of('ann', 'com.example.other')") == [])
        }
    }

    /// Whatever the statistics saw: nothing, or one subscription of thousands of periods; and whatever the session plans by.
    @Test(arguments: [false, true], ["auto", "force_custom_plan", "force_generic_plan"])
    func aSubscriptionIsLookedUpAmongThousandsOfPeriods(hasStatistics: Bool, mode: String) async throws {
        try await Shop.open { shop in
            for table in ["orders", "payments", "period_ends", "subscriptions", "revocations"] {
                try await shop.run("alter table counterfoil.\(table) set (autovacuum_enabled = off)")
            }
            if !hasStatistics { try await shop.run("vacuum analyze counterfoil.payments, counterfoil.period_ends") }
            try await fillSubscriptions(shop, periods: 500)
            if hasStatistics { try await shop.run("vacuum analyze counterfoil.payments, counterfoil.period_ends") }
            _ = try await shop.backend.execute("set plan_cache_mode = \(mode)")

            for account in ["ann", "bob"] {
                let number = account == "ann" ? 4 : 5
                try await shop.backend.withTransaction { backend in
                    let poll = """
                        select s.transaction_id
                        from counterfoil.subscription_status_of('\(Shop.bundle)', null, 's\(number)', '\(account)') s
                        """
                    #expect(try await backend.execute(poll).map { try $0.string(0) } == ["s\(number).500"])
                    let read = try await backend.execute(
                        """
                        select sum(seq_tup_read + idx_tup_fetch)::bigint from pg_stat_xact_user_tables
                        where schemaname = 'counterfoil' and relname in ('orders', 'payments', 'period_ends', 'subscriptions')
                        """)[0].int64(0)
                    #expect((1...30).contains(read), "\(read)")
                }
            }
        }
    }

    /// Of another account, unknown, or not named.
    @Test(arguments: [
        "order_status_of('bob''s', 'ann')", "order_status_of('unknown', 'ann')", "order_status_of(null, 'ann')",
        "order_status_of('fulfilled', null)", "order_status_of('fulfilled', 'Ann')",
        "order_statuses_of(array['bob''s', 'unknown', null], 'ann')", "order_statuses_of(null, 'ann')",
        "order_statuses_of('{}', 'ann')", "order_statuses_of('{fulfilled}', null)",
        "transaction_status_of('\(Shop.bundle)', 'production', '4', 'ann')",
        "transaction_status_of('\(Shop.bundle)', null, '4', 'ann')",
        "transaction_status_of('\(Shop.bundle)', 'production', '99', 'ann')",
        "transaction_status_of('com.example.other', 'production', '1', 'ann')",
        "transaction_status_of('\(Shop.bundle)', 'sandbox', '1', 'ann')",
        "transaction_status_of(null, 'production', '1', 'ann')",
        "transaction_status_of('\(Shop.bundle)', 'production', null, 'ann')",
        "transaction_status_of('\(Shop.bundle)', 'production', '1', null)",
        "transaction_status_of('\(Shop.bundle)', null, '6', null)",
        "subscription_status_of('\(Shop.bundle)', null, 's1', 'ann')", "subscription_status_of('\(Shop.bundle)', null, 's2', null)",
        "subscription_status_of('\(Shop.bundle)', 'sandbox', 's2', 'ann')",
        "subscription_status_of('com.example.other', null, 's2', 'ann')",
        "subscription_status_of('\(Shop.bundle)', null, 's2.2', 'ann')", "subscription_status_of(null, null, 's2', 'ann')",
        "subscription_status_of('\(Shop.bundle)', null, null, 'ann')",
    ])
    func whatIsNotTheAccountsHasNoRow(call: String) async throws {
        try await Shop.open { shop in
            try await fill(shop)
            try await fillSubscriptions(shop, periods: 2)

            #expect(try await shop.rows("select * from counterfoil.\(call)", as: shop.backend) == [])
        }
    }

    @Test func anOrderThatIsNamedTwiceHasOneRow() async throws {
        try await Shop.open { shop in
            try await fill(shop)

            let found = try await shop.rows(
                """
                select s.order_id from counterfoil.order_statuses_of(array['open', 'fulfilled', 'open', 'bob''s', null], 'ann') s
                order by s.order_id
                """, as: shop.backend)

            #expect(found == ["(fulfilled)", "(open)"])
        }
    }

    @Test func aPollHasTheRightsOfWhoPolls() async throws {
        try await Shop.open { shop in
            try await fill(shop)
            try await shop.run(
                "revoke select on counterfoil.order_status, counterfoil.transaction_status from counterfoil_backend")

            for call in Self.calls {
                let refusal = try await Refusal.of { _ = try await shop.backend.execute("select * from \(call)") }
                #expect(refusal == Refusal("42501"), "\(call)")
            }
        }
    }

    // MARK: Plans

    /// The indexes that only the planner has opened in a statement's database transaction. It looks at all indexes of a table, and
    /// no poll reads these.
    private func planned(by sql: String, _ connection: PostgresConnection) async throws -> Set<String> {
        try await connection.withTransaction { connection in
            let rows = try await connection.execute(sql)
            try #require(rows.count == 1, "\(sql)")
            let opened = try await connection.execute(
                """
                select c.relname
                from pg_locks l
                join pg_class c on c.oid = l.relation
                join pg_am m on m.oid = c.relam
                where l.pid = pg_backend_pid() and c.relnamespace = 'counterfoil'::regnamespace
                    and (m.amname = 'brin' or c.relname in ('available_jobs', 'payments_ungranted_by_age'))
                """)
            return Set(try opened.map { try $0.string(0) })
        }
    }

    private func keepStatistics(_ shop: Shop) async throws {
        for table in ["orders", "jobs", "payments", "revocations", "apps", "products", "gates"] {
            try await shop.run("alter table counterfoil.\(table) set (autovacuum_enabled = off)")
        }
    }

    /// A session of a driver that prepares nothing: each call is a new statement to it.
    @Test(arguments: calls)
    func aPollIsPlannedOnceInASession(call: String) async throws {
        try await Shop.open { shop in
            try await keepStatistics(shop)
            try await fill(shop)
            let first = try await planned(by: "select s.client_action from \(call) s", shop.backend)
            #expect(first.contains("payments_ungranted_by_age"), "\(first)")

            for poll in 1...3 {
                let again = try await planned(by: "select s.client_action, \(poll) from \(call) s", shop.backend)

                #expect(again == [])
            }
        }
    }

    /// The views call it too, for whoever reads them in a session that plans by itself.
    @Test func aPaymentThatPaysForAnotherOrderIsLookedAtByAPlanOfTheSession() async throws {
        try await Shop.open { shop in
            try await keepStatistics(shop)
            try await fill(shop)
            let look = "select counterfoil.can_be_ordered_again('5', '\(Shop.bundle)', 'production')"
            #expect(try await planned(by: look, shop.backend).contains("payments_ungranted_by_age"))

            #expect(try await planned(by: look, shop.backend) == [])
        }
    }

    /// What the functions are for: else nobody would need them.
    @Test func aViewIsPlannedInEachPoll() async throws {
        try await Shop.open { shop in
            try await keepStatistics(shop)
            try await fill(shop)

            for _ in 1...3 {
                let planned = try await planned(
                    by: "select client_action from counterfoil.order_status where order_id = 'fulfilled'", shop.backend)

                #expect(planned.isSuperset(of: ["available_jobs", "payments_ungranted_by_age", "orders_by_time"]))
            }
        }
    }

    /// A young shop's session keeps the plan that it made when there was nothing yet, and an account may have any number of orders.
    @Test func aPollThatWasPlannedForAnEmptyShopReadsOneOrderOfManyLater() async throws {
        try await Shop.open { shop in
            try await keepStatistics(shop)
            try await shop.run("vacuum analyze counterfoil.orders, counterfoil.jobs, counterfoil.payments")
            let polls = [
                "select * from counterfoil.order_status_of('order 77', 'ann')",
                "select * from counterfoil.order_statuses_of('{order 77}', 'ann')",
                "select * from counterfoil.transaction_status_of('\(Shop.bundle)', null, '77', 'ann')",
            ]
            for poll in polls { #expect(try await shop.backend.execute(poll).isEmpty) }
            try await shop.run(
                """
                set session_replication_role = replica;
                insert into counterfoil.orders (
                    order_id, bundle_id, product_id, account_id, state, transaction_id, environment, fulfilled_at
                )
                select 'order ' || i, '\(Shop.bundle)', 'coins', 'ann', 'fulfilled', i::text, 'production', now()
                from generate_series(1, 5000) i;
                insert into counterfoil.jobs (order_id, order_number, proof, lane)
                select o.order_id, o.number, 'eyJ', 1 from counterfoil.orders o where o.order_id like 'order %';
                insert into counterfoil.payments (
                    order_number, granted_at, bundle_id, environment, transaction_id, original_transaction_id, product_id,
                    product_kind, quantity, purchased_at, account_id
                )
                select o.number, now(), o.bundle_id, 'production', o.transaction_id, o.transaction_id, 'coins', 'consumable',
                    1, now(), 'ann'
                from counterfoil.orders o where o.order_id like 'order %';
                reset session_replication_role
                """)

            for poll in polls {
                try await shop.backend.withTransaction { backend in
                    #expect(try await backend.execute(poll).count == 1)
                    let read = try await backend.execute(
                        """
                        select sum(seq_tup_read + idx_tup_fetch)::bigint from pg_stat_xact_user_tables
                        where schemaname = 'counterfoil' and relname in ('orders', 'jobs', 'payments')
                        """)[0].int64(0)

                    #expect((1...10).contains(read), "\(poll)")
                }
            }
        }
    }
}
