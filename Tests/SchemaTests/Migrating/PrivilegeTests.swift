// SPDX-License-Identifier: Apache-2.0

import Logging
import Postgres
import Schema
import TestSupport
import Testing
import VerificationQueue

@Suite struct PrivilegeTests {
    private static let notification =
        #"{"notificationType":"TEST","notificationUUID":"3d5b0d3f-3a3c-4f6b-8a77-07b6d1f0a001","data":{"environment":"Production","bundleId":"com.example.game"}}"#

    /// A statement, and the roles that may run it; all others are refused with 42501.
    struct Right: Sendable {
        let sql: String
        let roles: Set<String>

        init(_ sql: String, _ roles: String...) {
            self.sql = sql
            // The gateway is a member of the backend.
            self.roles = Set((roles + (roles.contains("backend") ? ["gateway"] : [])).map { "counterfoil_" + $0 })
        }
    }

    static let others = [
        "apps", "products", "sandbox_accounts", "gates", "credential_refusals", "former_credentials", "orders", "order_events", "workers", "jobs",
        "proofs", "payments", "ledger",
        "originals", "revocations", "payment_states", "revocations_in_force", "attempts", "other_attempts", "migrations",
        "roll_up_marks",
        "attempt_minutes", "attempt_hours", "latency_minutes", "latency_hours", "latency_buckets", "product_minutes",
        "product_hours", "suspicion_minutes", "orders_in_review", "answered_orders", "awaited_renewals", "index_makers", "changes",
        "told_payments", "told_subscriptions", "feed", "imports", "unfound_payments", "rules", "definitions", "gateway_keys",
        "problems", "webhook_endpoints", "webhook_events", "webhook_acts",
    ]

    static let rights: [Right] = [
        // What a shop's backend does.
        Right(
            """
            insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, quantity, app_account_token)
            values ('b', '\(Shop.bundle)', 'coins', 'ann', 1, null)
            """, "backend"
        ),
        Right(
            "insert into counterfoil.jobs (order_id, proof, account_id, transaction_id) values ('a', 'x', 'ann', '1')",
            "backend"
        ),
        Right("select * from counterfoil.order_status where order_id = 'a'", "backend", "worker", "support", "reader"),
        Right("select * from counterfoil.transaction_status where bundle_id = 'a'", "backend", "worker", "support", "reader"),
        Right("select * from counterfoil.order_status_of('a', 'ann')", "backend", "worker", "support", "reader"),
        Right("select * from counterfoil.order_statuses_of('{a}', 'ann')", "backend", "worker", "support", "reader"),
        Right(
            "select * from counterfoil.transaction_status_of('\(Shop.bundle)', 'production', '1', 'ann')", "backend", "worker",
            "support", "reader"),
        Right("select * from counterfoil.submit('a', '\(Shop.bundle)', 'coins', 'ann', 'eyJ')", "backend", "support"),
        Right("select * from counterfoil.place_order('a', '\(Shop.bundle)', 'coins', 'ann')", "backend", "support"),
        Right("select * from counterfoil.add_proof('a', 'ann', 'eyJ')", "backend", "support"),
        Right("select counterfoil.keep_order('c', '\(Shop.bundle)', 'coins', 'ann', 1, null, false)"),
        Right("select counterfoil.keep_upload('a', 'eyJ', null, false)"),
        Right("select * from counterfoil.order_statuses_of_accounts('{a}', '{ann}')", "backend", "worker", "support", "reader"),
        Right("select * from counterfoil.open_orders('ann', 'coins')", "backend", "support"),
        Right("select * from counterfoil.orders_of('ann')", "backend", "support"),
        Right("select * from counterfoil.subscriptions_of('ann')", "backend", "support"),
        Right("select * from counterfoil.cancel_order('a', 'gone')", "backend", "support"),
        // The gateway has a backend's rights, and these.
        Right("select hash from counterfoil.gateway_keys", "gateway", "support"),
        Right("select * from counterfoil.gateway_key_states", "worker", "support", "reader"),
        Right("select * from counterfoil.problems", "gateway", "support"),
        Right("update counterfoil.gateway_keys set last_used_on = current_date, exposed_at = now()", "gateway"),
        Right("update counterfoil.gateway_keys set revoked_at = now(), revoked_by = 'eve'", "support"),
        Right("update counterfoil.gateway_keys set scopes = '{orders}'"),
        Right("update counterfoil.gateway_keys set bundle_ids = null"),
        Right(
            """
            insert into counterfoil.gateway_keys (hash, prefix, name, scopes, made_by)
            values (sha256('k'), 'cf_live_1', 'shop', '{orders}', 'eve')
            """, "support"),
        Right("delete from counterfoil.gateway_keys"),
        Right("select counterfoil.client_action('open', null, null)", "backend", "worker", "support", "reader"),
        // Webhooks: workers send, operators decide.
        Right("select counterfoil.take_webhooks('{}', 1, 1)", "worker"),
        Right("select counterfoil.settle_webhook(1, 'a', 1, 'handled', null, 1, false, 0)", "worker"),
        Right("select counterfoil.end_webhook(1, 'a')", "support"),
        Right("select counterfoil.webhook_body('a', now(), '{}')", "support"),
        Right("select counterfoil.unread_changes('a', null, null)", "worker", "support", "reader"),
        Right("select * from counterfoil.webhook_status", "worker", "support", "reader"),
        Right("select url from counterfoil.webhook_endpoints", "worker", "support"),
        Right("update counterfoil.webhook_endpoints set last_error = 'x', last_error_at = now()", "worker", "support"),
        Right("update counterfoil.webhook_endpoints set url = 'https://shop.example/'", "support"),
        Right("delete from counterfoil.webhook_endpoints"),
        Right("delete from counterfoil.webhook_events", "support"),
        Right("update counterfoil.webhook_acts set why = 'x'"),
        Right("delete from counterfoil.webhook_acts"),
        Right("select counterfoil.uploads_are_unreadable('a', 0, now())", "backend", "worker", "support", "reader"),
        // What nobody does who serves customers.
        Right(
            "insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, state) values ('b', '\(Shop.bundle)', 'coins', 'ann', 'fulfilled')"
        ),
        Right(
            """
            insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, number) overriding system value
            values ('b', '\(Shop.bundle)', 'coins', 'ann', 9)
            """),
        Right("select number from counterfoil.orders", "worker", "support"),
        Right("select order_number from counterfoil.jobs", "worker", "support"),
        Right(
            """
            insert into counterfoil.jobs (order_id, order_number, kind, transaction_id, lane)
            values ('a', \(orderNumber("a")), 'finish', '1', 1)
            """, "worker", "support"),
        Right("update counterfoil.jobs set order_number = 1"),
        // A worker puts kept proofs back into the queue.
        Right("insert into counterfoil.jobs (order_id, proof, lane) values ('a', 'x', 1)", "worker", "support"),
        // A worker waits for an order's client, and looks at a notification again then.
        Right("insert into counterfoil.jobs (order_id, proof, run_at) values ('a', 'x', now())", "worker", "support"),
        Right(
            "select counterfoil.receive_notification('eyJ.' || translate(encode('\(notification)', 'base64'), E'=\\n', '') || '.c2ln')",
            "backend",
            "worker", "support"),
        Right("select payload from counterfoil.notifications", "worker", "support"),
        Right("select type, outcome from counterfoil.notifications", "worker", "support", "reader"),
        Right("delete from counterfoil.notifications", "worker"),
        Right("select * from counterfoil.subscription_status", "backend", "worker", "support", "reader"),
        Right(
            "select * from counterfoil.subscription_status_of('\(Shop.bundle)', 'production', '1', 'ann')", "backend", "worker",
            "support", "reader"),
        Right("select * from counterfoil.consumption_requests", "worker", "support", "reader"),
        Right("select * from counterfoil.purchase_terms where transaction_id = '1'", "backend", "worker", "support", "reader"),
        Right("select * from counterfoil.stored_notifications", "backend", "worker", "support", "reader"),
        Right("select * from counterfoil.consumption_request_status", "backend", "worker", "support", "reader"),
        // Answers to Apple's questions about refunds: shops and operators decide, workers send.
        Right("select * from counterfoil.consumption_answers", "worker", "support", "reader"),
        Right("update counterfoil.consumption_answers set state = 'sent', ended_at = now()", "worker"),
        Right("update counterfoil.consumption_answers set refund_preference = 'decline'"),
        Right("update counterfoil.consumption_answers set who = 'eve'"),
        Right("insert into counterfoil.consumption_answers (notification_id, state, who, why, ended_at) values (1, 'declined', 'eve', 'x', now())"),
        Right("delete from counterfoil.consumption_answers"),
        Right("select * from counterfoil.consumption_answer_of(null, null, null, null, null, null, null)", "worker", "support", "reader"),
        // Planned: an unknown question is refused.
        Right("explain select * from counterfoil.answer_consumption_request(null, 'a test')", "backend", "support"),
        Right("explain select * from counterfoil.decline_consumption_request(null, 'a test')", "backend", "support"),
        // Whose name is recorded.
        Right(
            "explain select * from counterfoil.decide_consumption_request(null, null, true, 'eve', 'x', null, null, null, null, null)",
            "support"),
        Right("select * from counterfoil.notifications_named('1')", "worker", "support", "reader"),
        Right("select * from counterfoil.find_anything('a')", "worker", "support", "reader"),
        Right("select * from counterfoil.desk_orders('ann', null, null, null, null, null, null, 1)", "worker", "support", "reader"),
        Right("select * from counterfoil.next_step('a')", "worker", "support", "reader"),
        Right("select * from counterfoil.customer_payments('ann', 1)", "worker", "support", "reader"),
        Right("select * from counterfoil.customer_accounts('ann')", "worker", "support", "reader"),
        Right("select * from counterfoil.review_causes(null)", "worker", "support", "reader"),
        Right("select * from counterfoil.orders_around('b', 'coins', 1, now(), 1)", "worker", "support", "reader"),
        Right("select * from counterfoil.moves", "worker", "support", "reader"),
        Right("insert into counterfoil.moves (from_account, to_account, who, why) values ('a', 'b', 'eve', 'x')"),
        Right("select * from counterfoil.moved_accounts", "backend", "worker", "support", "reader"),
        Right("insert into counterfoil.moved_accounts values ('a', 'b')"),
        Right("select * from counterfoil.moved_orders", "worker", "support", "reader"),
        Right("update counterfoil.moved_orders set account_id = 'b'"),
        Right("select * from counterfoil.erasures", "worker", "support", "reader"),
        Right("insert into counterfoil.erasures (pseudonym, who, why) values ('forgotten-1', 'eve', 'x')"),
        Right("update counterfoil.erasures set database_transaction = pg_current_xact_id()"),
        Right("select * from counterfoil.account_now('ann', null)", "worker", "support"),
        Right("select * from counterfoil.accounts_of('ann')", "worker", "support"),
        Right("select * from counterfoil.account_asked('ann')", "backend", "worker", "support", "reader"),
        Right("select counterfoil.is_forgotten('ann')", "backend", "worker", "support", "reader"),
        Right("select counterfoil.is_known_account('ann')", "worker", "support"),
        Right("select counterfoil.bears_one_account('b', null, 'ann')", "worker", "support"),
        Right(
            "select counterfoil.account_of_transfer('b', 'production', '1', now(), null, null)", "backend", "worker", "support",
            "reader"),
        Right("select * from counterfoil.preview_of_account('ann')", "worker", "support"),
        Right("select * from counterfoil.orders_of_account('ann')", "support"),
        Right("select * from counterfoil.moves_of_account('ann', 1)", "worker", "support", "reader"),
        // Whose name is recorded.
        Right("select * from counterfoil.move_account('ann', 'bob', 'eve', 'a test')", "support"),
        // Planned: an open order is refused.
        Right("explain select * from counterfoil.transfer_order('a', 'bob', 'eve', 'a test')", "support"),
        Right("select * from counterfoil.forget_account('ann', 'eve', 'a test')", "support"),
        Right("select * from counterfoil.take_proof(1, 'eve', 'a test')", "support"),
        Right("update counterfoil.orders set product_id = 'pro' where order_id = 'a'"),
        Right("update counterfoil.orders set account_id = 'bob' where order_id = 'a'"),
        Right("update counterfoil.orders set quantity = 2 where order_id = 'a'"),
        Right("update counterfoil.jobs set proof = 'y'"),
        Right("update counterfoil.jobs set order_id = 'a'"),
        Right("update counterfoil.gates set bundle_id = 'x'"),
        Right("delete from counterfoil.orders"),
        Right("truncate counterfoil.jobs"),
        Right("select * from counterfoil.import_grants('\(Shop.bundle)', 'production', '[]')"),
        Right(
            "create trigger mine before insert on counterfoil.payments for each row execute function pg_catalog.tsvector_update_trigger()"
        ),
        Right("update counterfoil.jobs set lease_token = 1", "worker"),
        Right("insert into counterfoil.workers (name, host, pid, version, slots) values ('w', 'h', 1, '1', 1)", "worker"),
        Right("create table counterfoil.mine (id integer)"),
        // What a worker does.
        Right("select * from counterfoil.jobs", "worker", "support"),
        Right("update counterfoil.jobs set run_at = now()", "worker", "support"),
        Right("delete from counterfoil.jobs", "worker", "support"),
        Right("update counterfoil.orders set state = 'review', reason = 'x' where order_id = 'a'", "worker", "support"),
        Right("update counterfoil.gates set state = 'open'", "worker", "support"),
        Right("select * from counterfoil.order_facts", "worker", "support"),
        Right("select * from counterfoil.revocations_in_force", "worker", "support"),
        Right("select * from counterfoil.payment_states where transaction_id = '1'", "worker", "support"),
        Right("select * from counterfoil.ledger where order_id = 'a'", "worker", "support"),
        Right(
            "select * from counterfoil.revocations_of_payment('b', 'production', '1', '1', null, 'consumable', now())", "worker",
            "support"),
        Right(
            "select * from counterfoil.names_of_payment('b', 'production', '1', '1', null, null, 'consumable', now())", "worker",
            "support"),
        Right("select * from counterfoil.payments_of_original('b', 'production', '1')", "worker", "support"),
        Right(
            "select counterfoil.owner_of_period('b', 'production', '1', now(), now(), null)", "backend", "worker", "support",
            "reader"),
        Right(
            "select counterfoil.owner_before('b', 'production', '1', now(), null, null)", "backend", "worker", "support", "reader"),
        Right("select from counterfoil.tokens_of_subscription('b', 'production', '1')", "backend", "worker", "support", "reader"),
        Right(
            "select counterfoil.renewed_account('b', 'production', '1', now(), now(), null, null)", "backend", "worker", "support",
            "reader"),
        Right("select counterfoil.account_of_period('b', 'production', '1')", "backend", "worker", "support", "reader"),
        Right("select counterfoil.account_that_was_answered('b', 'production', '1')", "backend", "worker", "support", "reader"),
        Right(
            "select counterfoil.end_of_period('b', 'production', '1', '1', 'plus', now(), now())", "backend", "worker", "support",
            "reader"),
        Right("select * from counterfoil.subscription_state('b', 'production', '1')", "backend", "worker", "support", "reader"),
        Right("select * from counterfoil.period_ends", "worker", "support", "reader"),
        Right("insert into counterfoil.period_ends values ('1', 'b', 'production', now(), now())", "worker", "support"),
        Right("update counterfoil.period_ends set as_of = now()", "worker", "support"),
        Right("delete from counterfoil.period_ends"),
        Right("select * from counterfoil.answered_orders", "worker", "support"),
        Right("insert into counterfoil.answered_orders values ('1', 1)", "worker", "support"),
        Right("delete from counterfoil.answered_orders"),
        Right("select counterfoil.account_of_token('b', null)", "worker", "support"),
        Right(
            """
            select * from counterfoil.payment_facts(
                'b', 'production', '1', '1', null, null, 'consumable', now(), null, 'ann', null)
            """, "worker", "support"
        ),
        Right(
            "select * from counterfoil.orders_for_payment('b', 'coins', 'consumable', 1, null, now(), 'ann', null, null)", "worker",
            "support"),
        Right("select counterfoil.payment_key('non_consumable', '1', null)", "worker", "support"),
        Right("select counterfoil.waits_for_payment('open')", "worker", "support"),
        Right("select * from counterfoil.payment_answers where transaction_id = '1'", "worker", "support"),
        Right("update counterfoil.payments set fits_under = 1, paid_at = null, is_advanced_commerce = null", "worker", "support"),
        Right("select * from counterfoil.payments for no key update", "worker", "support"),
        Right(
            """
            insert into counterfoil.payments (
                transaction_id, bundle_id, environment, original_transaction_id, product_id, quantity, purchased_at, reason
            )
            values ('2', '\(Shop.bundle)', 'production', '2', 'coins', 1, now(), 'refunded')
            """, "worker", "support"
        ),
        Right(
            """
            update counterfoil.payments
            set order_number = 1, granted_at = now(), job_id = 1, reason = null, product_kind = 'consumable', payment_key = null,
                account_id = 'ann', shown_by_number = 1
            """, "worker", "support"
        ),
        Right("insert into counterfoil.originals values ('1', '\(Shop.bundle)', 'production')", "worker", "support"),
        Right("select * from counterfoil.originals for no key update", "worker", "support"),
        Right("select counterfoil.make_attempt_partitions()", "worker"),
        // The feed.
        Right("select counterfoil.make_change_partitions()", "worker"),
        Right("select counterfoil.make_month_partitions('changes', 'at')"),
        Right("select counterfoil.drop_month_partition('changes', 'at', now() - interval '10 years', 'select')"),
        Right("select counterfoil.drop_old_changes(interval '10 years')", "worker"),
        Right("select counterfoil.changes_from(now())", "backend", "support", "reader"),
        Right(
            "select counterfoil.changes_from_cursor(counterfoil.changes_from(now()))", "backend", "support", "reader"),
        Right("select * from counterfoil.changes_since(counterfoil.changes_from(now()))", "backend", "support", "reader"),
        Right("select counterfoil.open_feed()"),
        Right("select counterfoil.refuse('cursor_unknown')"),
        // What Apple sent comes before what its history has: nobody outside chooses that.
        Right("select counterfoil.receive_notification('x')", "backend", "worker", "support"),
        Right("select counterfoil.store_notification('x', 'history')", "worker", "support", "gateway"),
        Right("select counterfoil.adopt_changes()"),
        Right("select counterfoil.tell_refund_in_force(1)"),
        Right("select counterfoil.tell_payments('{b}', '{production}', '{1}')", "worker"),
        Right("select counterfoil.tell_subscriptions('{1}', '{b}', '{production}', '{1}')", "worker", "support"),
        Right("update counterfoil.told_payments set name = 'granted'"),
        Right("delete from counterfoil.told_subscriptions"),
        Right("select * from counterfoil.upload_status(1, 'ann')", "backend", "support"),
        Right(
            "select counterfoil.can_be_ordered_again('1', '\(Shop.bundle)', 'production')", "backend", "worker", "support", "reader"
        ),
        Right("select * from counterfoil.payment_elsewhere(null)", "backend", "worker", "support", "reader"),
        Right("select * from counterfoil.changes", "worker", "support"),
        Right("insert into counterfoil.imports values (pg_current_xact_id())"),
        Right("delete from counterfoil.imports"),
        Right("select * from counterfoil.privilege_differences", "worker", "support", "reader"),
        Right("insert into counterfoil.privileges values ('a', '', 'b', 'c')"),
        Right("select * from counterfoil.definitions", "worker", "support"),
        Right("select * from counterfoil.definitions_held()", "worker", "support"),
        Right("update counterfoil.definitions set checksum = 'x'"),
        Right("insert into counterfoil.changes (kind) values ('order_fulfilled')", "worker", "support"),
        Right("insert into counterfoil.changes (kind, id) values ('order_fulfilled', 1)"),
        Right("insert into counterfoil.changes (kind, xid) values ('order_fulfilled', '1')"),
        Right("insert into counterfoil.changes (kind, at) values ('order_fulfilled', now())"),
        Right("update counterfoil.changes set kind = 'x'"),
        Right("delete from counterfoil.changes"),
        Right("select nextval('counterfoil.change_ids')"),
        Right("select nextval('counterfoil.job_ids')"),
        Right("select nextval('counterfoil.orders_number_seq')"),
        Right("select counterfoil.next_change_id()", "worker", "support"),
        Right("select counterfoil.next_job_id()", "backend", "worker", "support"),
        Right("select counterfoil.with_epoch(1, 10)"),
        Right("update counterfoil.feed set server = 'x'"),
        Right("update counterfoil.orders set version = 7", "worker", "support"),
        Right("update counterfoil.payments set quantity = 2", "worker", "support"),
        Right("update counterfoil.payments set transaction_id = '2'"),
        Right("update counterfoil.payments set original_transaction_id = '2'"),
        Right("update counterfoil.payments set web_order_line_item_id = '2'", "worker", "support"),
        Right("update counterfoil.payments set product_id = 'pro'"),
        Right("update counterfoil.payments set purchased_at = now()", "worker", "support"),
        Right("update counterfoil.payments set expires_at = now()", "worker", "support"),
        Right("update counterfoil.payments set app_account_token = null", "worker", "support"),
        Right("update counterfoil.payments set price_milliunits = 1, currency = 'USD'", "worker", "support"),
        Right("update counterfoil.payments set seen_at = now()"),
        Right("delete from counterfoil.payments"),
        Right("truncate counterfoil.payments"),
        Right("delete from counterfoil.originals"),
        Right("update counterfoil.revocations set kind = 'reversal'"),
        Right("delete from counterfoil.revocations"),
        Right("delete from counterfoil.order_events"),
        Right("delete from counterfoil.other_attempts"),
        Right("update counterfoil.other_attempts set reason = null"),
        Right("insert into counterfoil.apps (bundle_id) values ('b')", "support"),
        Right("update counterfoil.apps set sandbox_policy = 'allow'", "support"),
        Right(
            "insert into counterfoil.products (bundle_id, product_id, kind) values ('\(Shop.bundle)', 'x', 'consumable')", "support"
        ),
        Right("insert into counterfoil.migrations (id, name, checksum, breaking) values (99, 'x', 'x', false)"),
        Right("select * from counterfoil.migrations", "worker", "support", "reader", "gateway"),
        // The locks of the migrator and of the partitions.
        Right("select from counterfoil.migrations where id = 1 for key share"),
        Right("lock table counterfoil.migrations in share mode"),
        Right("insert into counterfoil.index_makers (pid, started_at) values (1, now())"),
        Right("lock table only counterfoil.other_attempts in share update exclusive mode"),
        Right("select counterfoil.roll_up()", "worker"),
        Right("select counterfoil.prune_roll_ups(interval '1 year', interval '1 year', 1)", "worker"),
        Right("select counterfoil.drop_old_attempts(interval '10 years')", "worker"),
        Right("select counterfoil.roll_up_hours(now(), now())"),
        Right(
            "insert into counterfoil.order_events (order_id, kind, who, why) values ('a', 'job_retried', 'eve', 'x')", "worker",
            "support"),
        Right(
            "insert into counterfoil.order_events (order_id, kind, who, why, occurred_at) values ('a', 'refunded', 'eve', 'x', now())"
        ),
        Right("insert into counterfoil.attempt_minutes values (now(), 'b', 'fulfilled', '', '', '', 1)"),
        Right("update counterfoil.roll_up_marks set final_to = now()"),
        // What administrators look at.
        Right("select * from counterfoil.grants", "worker", "support", "reader"),
        Right("select * from counterfoil.unclaimed_transactions", "worker", "support", "reader"),
        Right("select * from counterfoil.paid_not_delivered", "worker", "support", "reader"),
        Right("select * from counterfoil.open_reviews", "worker", "support"),
        Right("select * from counterfoil.overview", "worker", "support", "reader"),
        Right("select * from counterfoil.health", "worker", "support", "reader"),
        Right("select * from counterfoil.order_story where order_id = 'a'", "worker", "support", "reader"),
        Right("select * from counterfoil.snapshot_holders()", "worker", "support", "reader"),
        Right("select * from counterfoil.index_sizes()", "worker", "support", "reader"),
        Right("select * from counterfoil.replication_facts()", "worker", "support", "reader"),
        Right("select * from counterfoil.replication", "worker", "support", "reader"),
        Right("select * from counterfoil.harmful_publications()", "worker", "support", "reader"),
        Right("select * from counterfoil.role_settings", "worker", "support", "reader"),
        Right("select * from counterfoil.make_role_settings()"),
    ]

    @Test(arguments: [
        "counterfoil_backend", "counterfoil_worker", "counterfoil_support", "counterfoil_reader", "counterfoil_gateway",
    ])
    func aRoleMayDoWhatItIsForAndNoMore(_ role: String) async throws {
        try await Shop.open { shop in
            try await shop.order("a")
            try await shop.database.withConnection(as: role) { connection in
                for right in Self.rights {
                    // Each is undone, so that none stands in the way of the next.
                    let refusal = try await Refusal.of {
                        try await connection.withTransaction { connection in
                            _ = try await connection.execute("set transaction read write")
                            _ = try await connection.execute(right.sql)
                            throw Undone()
                        }
                    } catching: {
                        $0 is Undone
                    }

                    #expect(refusal == (right.roles.contains(role) ? nil : Refusal("42501")), "\(right.sql)")
                }
            }
        }
    }

    @Test(arguments: others)
    func backendsAndReadersSeeNoPrivateTable(_ table: String) async throws {
        try await Shop.open { shop in
            for role in ["counterfoil_backend", "counterfoil_reader"] where (role, table) != ("counterfoil_reader", "migrations") {
                let refusal = try await shop.database.withConnection(as: role) { connection in
                    try await Refusal.of { _ = try await connection.execute("table counterfoil.\(table)") }
                }

                #expect(refusal == Refusal("42501"), "\(role)")
            }
        }
    }

    @Test func aReaderWritesNothing() async throws {
        try await Shop.open { shop in
            let settings = try await shop.database.withConnection(as: "counterfoil_reader") { connection in
                try await connection.execute(
                    "select current_setting('default_transaction_read_only'), current_setting('statement_timeout')"
                )
            }

            #expect(try settings[0].string(0) == "on")
            #expect(try settings[0].string(1) == "5s")
        }
    }

    @Test func aBackendCannotBecomeAnother() async throws {
        try await Shop.open { shop in
            for role in ["counterfoil_owner", "counterfoil_worker", "counterfoil_support", "counterfoil_reader"] {
                let refusal = try await Refusal.of { _ = try await shop.backend.execute("set role \(role)") }

                #expect(refusal == Refusal("42501"), "\(role)")
            }
        }
    }

    /// A function has a path of its own, or it was parsed when it was made, with the path that migrations have. What it calls is a
    /// function like it.
    @Test func noFunctionLooksNamesUpInItsCallersPath() async throws {
        try await Shop.open { shop in
            let loose = try await shop.rows(
                """
                select p.proname from pg_proc p
                where p.pronamespace = 'counterfoil'::regnamespace
                    and not coalesce('search_path=pg_catalog, pg_temp' = any (p.proconfig), false)
                    and (p.prosecdef or p.prosqlbody is null)
                """
            )
            #expect(loose == [])
        }
    }

    /// PostgreSQL compiles a statement whose estimate is high, and a scan that a function forbids counts as ten thousand million:
    /// each upload would cost a tenth of a second of a processor, on a server with its default settings.
    @Test func noFunctionWithItsOwnPlannerSettingsIsCompiled() async throws {
        try await Shop.open { shop in
            let compiled = try await shop.rows(
                """
                select p.proname from pg_proc p
                where p.pronamespace = 'counterfoil'::regnamespace
                    and exists (
                        select from unnest(p.proconfig) as s (setting) where s.setting like 'enable\\_%' or s.setting like 'plan\\_%'
                    )
                    and not 'jit=off' = any (p.proconfig)
                """
            )
            #expect(compiled == [])
        }
    }

    /// PostgreSQL plans a function in SQL that has settings of its own anew in each call. Written in PL/pgSQL, it is planned once a
    /// session. The exception is one look-up among refunds, within statements that are kept.
    @Test func noFunctionThatBackendsCallIsPlannedInEachCall() async throws {
        try await Shop.open { shop in
            let planned = try await shop.rows(
                """
                select p.proname from pg_proc p join pg_language l on l.oid = p.prolang
                where p.pronamespace = 'counterfoil'::regnamespace and l.lanname = 'sql' and p.proconfig is not null
                    and has_function_privilege('counterfoil_backend', p.oid, 'execute')
                """
            )
            #expect(planned == ["(bought_apart)"])
        }
    }

    @Test func nothingIsGrantedToEverybody() async throws {
        try await Shop.open { shop in
            let open = try await shop.rows(
                """
                select p.proname from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
                where p.pronamespace = 'counterfoil'::regnamespace and a.grantee = 0
                union all
                select c.relname from pg_class c, aclexplode(c.relacl) a
                where c.relnamespace = 'counterfoil'::regnamespace and a.grantee = 0
                """
            )
            #expect(open == [])
        }
    }

    // MARK: What differs from what migrate grants

    private func differences(_ shop: Shop) async throws -> [String] {
        try await shop.admin.execute(SQLFile.findPrivilegeDifferences.statement).map { try $0.string(3) }
    }

    private func migrate(_ shop: Shop) async throws {
        _ = try await shop.database.withConnection { connection in
            try await SchemaMigrator(logger: .test).migrate(connection)
        }
    }

    @Test func aMigratedDatabaseHasNoDifference() async throws {
        try await Shop.open { shop in
            let kept = try await shop.count("counterfoil.privileges")

            #expect(try await differences(shop) == [])
            #expect(kept > 400)
        }
    }

    /// A change, the statement that puts it right, and whether a migration does.
    @Test(arguments: [
        (
            "revoke update (state) on counterfoil.jobs from counterfoil_worker",
            "grant update (state) on table counterfoil.jobs to counterfoil_worker"
        ),
        (
            "revoke insert (order_id, proof) on counterfoil.jobs from counterfoil_backend",
            "grant insert (order_id, proof) on table counterfoil.jobs to counterfoil_backend"
        ),
        (
            "revoke all on counterfoil.notifications from counterfoil_worker",
            "grant delete, insert, select, update on table counterfoil.notifications to counterfoil_worker"
        ),
        (
            "revoke select on counterfoil.order_status from counterfoil_backend",
            "grant select on table counterfoil.order_status to counterfoil_backend"
        ),
        (
            "revoke execute on function counterfoil.cancel_order(text, text, text) from counterfoil_backend",
            "grant execute on function counterfoil.cancel_order(text,text,text) to counterfoil_backend"
        ),
        (
            "grant execute on function counterfoil.import_grants(text, text, jsonb) to public",
            "revoke execute on function counterfoil.import_grants(text,text,jsonb) from public"
        ),
        (
            "grant execute on function counterfoil.roll_up() to counterfoil_backend",
            "revoke execute on function counterfoil.roll_up() from counterfoil_backend"
        ),
        (
            "grant execute on function counterfoil.roll_up() to pg_monitor",
            "revoke execute on function counterfoil.roll_up() from pg_monitor"
        ),
        ("grant select on counterfoil.proofs to public", "revoke select on table counterfoil.proofs from public"),
        (
            "grant update (order_id) on counterfoil.jobs to counterfoil_worker",
            "revoke update (order_id) on table counterfoil.jobs from counterfoil_worker"
        ),
        (
            "grant usage on sequence counterfoil.change_ids to counterfoil_backend",
            "revoke usage on sequence counterfoil.change_ids from counterfoil_backend"
        ),
        (
            "grant create on schema counterfoil to counterfoil_backend",
            "revoke create on schema counterfoil from counterfoil_backend"
        ),
    ])
    func aDifferenceIsNamedAndPutRight(change: String, statement: String) async throws {
        try await Shop.open { shop in
            _ = try await shop.admin.execute(change)
            #expect(try await differences(shop) == [statement])

            try await migrate(shop)

            #expect(try await differences(shop) == [])
            _ = try await shop.admin.execute(change)
            _ = try await shop.admin.execute(statement)
            #expect(try await differences(shop) == [])
        }
    }

    /// What a shop's own role may read is the shop's matter.
    @Test func aTableThatAShopsRoleMayReadIsNoDifference() async throws {
        try await Shop.open { shop in
            _ = try await shop.admin.execute("grant select on counterfoil.grants to pg_monitor")

            try await migrate(shop)

            #expect(try await differences(shop) == [])
            #expect(try await shop.value("has_table_privilege('pg_monitor', 'counterfoil.grants', 'select')") == "true")
        }
    }

    @Test func nobodyMayMakeTriggersOnOurTables() async throws {
        try await Shop.open { shop in
            let granted = try await shop.rows(
                """
                select c.relname, a.grantee::regrole from pg_class c, aclexplode(c.relacl) a
                where c.relnamespace = 'counterfoil'::regnamespace and a.privilege_type = 'TRIGGER' and a.grantee <> c.relowner
                """)
            #expect(granted == [])
        }
    }

    @Test func everythingBelongsToTheOwner() async throws {
        try await Shop.open { shop in
            let strangers = try await shop.rows(
                """
                select c.relname from pg_class c
                where c.relnamespace = 'counterfoil'::regnamespace and c.relowner <> 'counterfoil_owner'::regrole
                union all
                select p.proname from pg_proc p
                where p.pronamespace = 'counterfoil'::regnamespace and p.proowner <> 'counterfoil_owner'::regrole
                """
            )
            #expect(strangers == [])
        }
    }
}

/// Ends a database transaction that was to leave nothing behind.
private struct Undone: Error {}
