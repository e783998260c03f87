// SPDX-License-Identifier: Apache-2.0

/// One file of SQL, compiled into the program.
package struct SQLFile: Sendable, Hashable {
    /// The file's name, without folder and ending.
    package let name: String
    package let text: String

    /// Whether it certainly changes nothing, so that it may be cancelled at any time: it has no word that writes, locks or calls,
    /// and no function of ours.
    package let isReading: Bool

    package init(_ name: String, _ text: String) {
        self.name = name
        self.text = text
        isReading = Self.isReading(text)
    }

    private static let writingWords: Set<Substring> = [
        "insert", "update", "delete", "merge", "truncate", "create", "alter", "drop", "grant", "revoke", "lock", "share", "set",
        "call",
        "do", "into", "set_config", "nextval", "setval", "pg_notify", "pg_terminate_backend", "pg_cancel_backend",
    ]

    private static func isReading(_ text: String) -> Bool {
        for line in text.split(separator: "\n") {
            let code = line.firstRange(of: "--").map { line[..<$0.lowerBound] } ?? line[...]
            for word in code.split(whereSeparator: { !($0.isLetter || $0 == "_" || $0 == "." || $0 == "(") }) {
                let name = word.prefix { $0 != "(" }
                let isCall = name.count < word.count
                if writingWords.contains(name) || name.hasPrefix("pg_advisory") || name.hasPrefix("pg_try_advisory") {
                    return false
                }
                if isCall && name.hasPrefix("counterfoil.") { return false }
            }
        }
        return true
    }

    /// - Parameter bytes: The file, as the build embeds it: `PackageResources` holds those of all folders, by name alone.
    init(_ name: String, _ bytes: [UInt8]) {
        self.init(name, String(decoding: bytes, as: UTF8.self))
    }
}

/// One step of the schema, applied once, and never edited once it is released.
package struct Migration: Sendable, Hashable {
    package let id: Int32
    package let file: SQLFile

    /// Older workers must not run beside it: its file has a line "-- breaking".
    package var isBreaking: Bool {
        lines.contains("-- breaking")
    }

    /// It is in no database transaction: its file has a line "-- concurrently". Each of its statements may be repeated.
    package var isConcurrent: Bool {
        lines.contains("-- concurrently")
    }

    /// What a concurrent one sends, one at a time; each ends with a line's end.
    package var statements: [String] {
        let code = lines.filter { !$0.hasPrefix("--") }.joined(separator: "\n")
        return code.split(separator: ";").map(String.init).filter { $0.contains { !$0.isWhitespace } }
    }

    /// What belongs to the server and not to the database, such as roles, or is lost in a restore: what stands between a line
    /// "-- repeated" and a line "-- once". It may be repeated.
    package var repeatedPart: String? {
        guard let start = lines.firstIndex(of: "-- repeated"), let end = lines.firstIndex(of: "-- once") else { return nil }
        return lines[start..<end].joined(separator: "\n")
    }

    /// The statements that grant privileges. Each may be repeated.
    package var grants: [String] {
        let lines = self.lines
        let starts = lines.indices.filter { index in
            ["grant ", "alter default privileges "].contains { lines[index].hasPrefix($0) }
        }
        return starts.map { start in
            let end = lines[start...].firstIndex { $0.hasSuffix(";") } ?? lines.index(before: lines.endIndex)
            return lines[start...end].joined(separator: "\n")
        }
    }

    private var lines: [Substring] { file.text.split(separator: "\n") }

    /// - Parameter file: Its name begins with the migration's number in four digits.
    package init(_ file: SQLFile) {
        guard let id = Int32(file.name.prefix(4)) else { fatalError("the migration \(file.name) has no number") }
        self.id = id
        self.file = file
    }
}

extension Migration {
    /// Every migration, in order.
    package static let all = [
        SQLFile("0001_roles", PackageResources._001_roles_sql),
        SQLFile("0002_apps_and_gates", PackageResources._002_apps_and_gates_sql),
        SQLFile("0003_orders", PackageResources._003_orders_sql),
        SQLFile("0004_jobs", PackageResources._004_jobs_sql),
        SQLFile("0005_ledger", PackageResources._005_ledger_sql),
        SQLFile("0006_history", PackageResources._006_history_sql),
        SQLFile("0007_unusual_proofs", PackageResources._007_unusual_proofs_sql),
        SQLFile("0008_secrets", PackageResources._008_secrets_sql),
        SQLFile("0009_changes", PackageResources._009_changes_sql),
        SQLFile("0010_inserts", PackageResources._010_inserts_sql),
        SQLFile("0011_refused_jobs", PackageResources._011_refused_jobs_sql),
        SQLFile("0012_uploads", PackageResources._012_uploads_sql),
        SQLFile("0013_notifications", PackageResources._013_notifications_sql),
        SQLFile("0014_deliveries", PackageResources._014_deliveries_sql),
        SQLFile("0015_subscriptions", PackageResources._015_subscriptions_sql),
        SQLFile("0016_gateway_keys", PackageResources._016_gateway_keys_sql),
        SQLFile("0017_desk", PackageResources._017_desk_sql),
    ].map(Migration.init)
}

extension SQLFile {
    /// What the migrator compares privileges by, before it grants them: the first two of all.
    package static var privilegeViews: ArraySlice<SQLFile> { routinesAndViews.prefix(2) }

    /// Functions, triggers and views, replaced whole by every migration run, each after what it needs.
    package static let routinesAndViews = [
        SQLFile("privileges_held", PackageResources.privileges_held_sql),
        SQLFile("privilege_differences", PackageResources.privilege_differences_sql),
        SQLFile("definitions_held", PackageResources.definitions_held_sql),
        SQLFile("make_trigger", PackageResources.make_trigger_sql),
        SQLFile("attempts", PackageResources.attempts_sql),
        SQLFile("ledger", PackageResources.ledger_sql),
        SQLFile("rules", PackageResources.rules_sql),
        SQLFile("refuse_moved_grants", PackageResources.refuse_moved_grants_sql),
        SQLFile("refuse", PackageResources.refuse_sql),
        SQLFile("is_known_account", PackageResources.is_known_account_sql),
        SQLFile("is_forgotten", PackageResources.is_forgotten_sql),
        SQLFile("account_now", PackageResources.account_now_sql),
        SQLFile("accounts_of", PackageResources.accounts_of_sql),
        SQLFile("account_asked", PackageResources.account_asked_sql),
        SQLFile("bears_one_account", PackageResources.bears_one_account_sql),
        SQLFile("client_action", PackageResources.client_action_sql),
        SQLFile("waits_for_payment", PackageResources.waits_for_payment_sql),
        SQLFile("make_gates", PackageResources.make_gates_sql),
        SQLFile("queue_notifications", PackageResources.queue_notifications_sql),
        SQLFile("signed_text_in", PackageResources.signed_text_in_sql),
        SQLFile("store_notification", PackageResources.store_notification_sql),
        SQLFile("receive_notification", PackageResources.receive_notification_sql),
        SQLFile("take_from_history", PackageResources.take_from_history_sql),
        SQLFile("refuse_order", PackageResources.refuse_order_sql),
        SQLFile("refuse_order_of_moved_account", PackageResources.refuse_order_of_moved_account_sql),
        SQLFile("rule_broken_by_job", PackageResources.rule_broken_by_job_sql),
        SQLFile("refuse_job", PackageResources.refuse_job_sql),
        SQLFile("prepare_job", PackageResources.prepare_job_sql),
        SQLFile("refuse_change", PackageResources.refuse_change_sql),
        SQLFile("make_month_partitions", PackageResources.make_month_partitions_sql),
        SQLFile("make_attempt_partitions", PackageResources.make_attempt_partitions_sql),
        SQLFile("make_change_partitions", PackageResources.make_change_partitions_sql),
        SQLFile("attempt_outcome", PackageResources.attempt_outcome_sql),
        SQLFile("latency_bounds", PackageResources.latency_bounds_sql),
        SQLFile("latency_percentile", PackageResources.latency_percentile_sql),
        SQLFile("roll_up", PackageResources.roll_up_sql),
        SQLFile("roll_up_hours", PackageResources.roll_up_hours_sql),
        SQLFile("roll_up_minutes", PackageResources.roll_up_minutes_sql),
        SQLFile("prune_roll_ups", PackageResources.prune_roll_ups_sql),
        SQLFile("drop_month_partition", PackageResources.drop_month_partition_sql),
        SQLFile("drop_old_attempts", PackageResources.drop_old_attempts_sql),
        SQLFile("drop_old_changes", PackageResources.drop_old_changes_sql),
        SQLFile("snapshot_holders", PackageResources.snapshot_holders_sql),
        SQLFile("index_sizes", PackageResources.index_sizes_sql),
        SQLFile("replication_facts", PackageResources.replication_facts_sql),
        SQLFile("harmful_publications", PackageResources.harmful_publications_sql),
        SQLFile("refuse_change_of_payment", PackageResources.refuse_change_of_payment_sql),
        SQLFile("raise_policy_number", PackageResources.raise_policy_number_sql),
        SQLFile("role_settings", PackageResources.role_settings_sql),
        SQLFile("make_role_settings", PackageResources.make_role_settings_sql),
        SQLFile("bought_apart", PackageResources.bought_apart_sql),
        SQLFile("is_one_payment", PackageResources.is_one_payment_sql),
        SQLFile("payment_key", PackageResources.payment_key_sql),
        SQLFile("names_of_payment", PackageResources.names_of_payment_sql),
        SQLFile("revocations_in_force", PackageResources.revocations_in_force_sql),
        SQLFile("revocations_of_payment", PackageResources.revocations_of_payment_sql),
        SQLFile("refund_of_payment", PackageResources.refund_of_payment_sql),
        SQLFile("refunds_before", PackageResources.refunds_before_sql),
        SQLFile("account_of_token", PackageResources.account_of_token_sql),
        SQLFile("account_that_was_answered", PackageResources.account_that_was_answered_sql),
        SQLFile("account_of_transfer", PackageResources.account_of_transfer_sql),
        SQLFile("tokens_of_subscription", PackageResources.tokens_of_subscription_sql),
        SQLFile("owner_before", PackageResources.owner_before_sql),
        SQLFile("owner_of_period", PackageResources.owner_of_period_sql),
        SQLFile("account_of_period", PackageResources.account_of_period_sql),
        SQLFile("renewed_account", PackageResources.renewed_account_sql),
        SQLFile("end_of_period", PackageResources.end_of_period_sql),
        SQLFile("subscription_state", PackageResources.subscription_state_sql),
        SQLFile("payment_facts", PackageResources.payment_facts_sql),
        SQLFile("payment_states", PackageResources.payment_states_sql),
        SQLFile("purchase_terms", PackageResources.purchase_terms_sql),
        SQLFile("payments_of_original", PackageResources.payments_of_original_sql),
        SQLFile("tell_refund_in_force", PackageResources.tell_refund_in_force_sql),
        SQLFile("with_epoch", PackageResources.with_epoch_sql),
        SQLFile("next_change_id", PackageResources.next_change_id_sql),
        SQLFile("next_job_id", PackageResources.next_job_id_sql),
        SQLFile("tell_order", PackageResources.tell_order_sql),
        SQLFile("comes_to_light", PackageResources.comes_to_light_sql),
        SQLFile("tell_payments", PackageResources.tell_payments_sql),
        SQLFile("tell_moved_end", PackageResources.tell_moved_end_sql),
        SQLFile("tell_refund", PackageResources.tell_refund_sql),
        SQLFile("tell_unclaimed", PackageResources.tell_unclaimed_sql),
        SQLFile("tell_subscriptions", PackageResources.tell_subscriptions_sql),
        SQLFile("tell_found", PackageResources.tell_found_sql),
        SQLFile("tell_consumption_request", PackageResources.tell_consumption_request_sql),
        SQLFile("tell_stored_notification", PackageResources.tell_stored_notification_sql),
        SQLFile("feed_server", PackageResources.feed_server_sql),
        SQLFile("open_feed", PackageResources.open_feed_sql),
        SQLFile("read_snapshot", PackageResources.read_snapshot_sql),
        SQLFile("adopt_changes", PackageResources.adopt_changes_sql),
        SQLFile("told_after", PackageResources.told_after_sql),
        SQLFile("changes_since", PackageResources.changes_since_sql),
        SQLFile("changes_from", PackageResources.changes_from_sql),
        SQLFile("changes_from_cursor", PackageResources.changes_from_cursor_sql),
        SQLFile("unread_changes", PackageResources.unread_changes_sql),
        SQLFile("webhook_body", PackageResources.webhook_body_sql),
        SQLFile("end_webhook", PackageResources.end_webhook_sql),
        SQLFile("settle_webhook", PackageResources.settle_webhook_sql),
        SQLFile("take_webhooks", PackageResources.take_webhooks_sql),
        SQLFile("webhook_status", PackageResources.webhook_status_sql),
        SQLFile("grants", PackageResources.grants_sql),
        SQLFile("unclaimed_transactions", PackageResources.unclaimed_transactions_sql),
        SQLFile("unclaimed_for_order", PackageResources.unclaimed_for_order_sql),
        SQLFile("order_facts", PackageResources.order_facts_sql),
        SQLFile("accounts_of_customer", PackageResources.accounts_of_customer_sql),
        SQLFile("orders_for_payment", PackageResources.orders_for_payment_sql),
        SQLFile("access_states", PackageResources.access_states_sql),
        SQLFile("subscription_status", PackageResources.subscription_status_sql),
        SQLFile("subscription_status_of", PackageResources.subscription_status_of_sql),
        SQLFile("subscriptions_of", PackageResources.subscriptions_of_sql),
        SQLFile("consumption_request_status", PackageResources.consumption_request_status_sql),
        SQLFile("notifications_named", PackageResources.notifications_named_sql),
        SQLFile("stored_notifications", PackageResources.stored_notifications_sql),
        SQLFile("notification_silence", PackageResources.notification_silence_sql),
        SQLFile("grants_by_hour", PackageResources.grants_by_hour_sql),
        SQLFile("refusal_standings", PackageResources.refusal_standings_sql),
        SQLFile("uploads_are_unreadable", PackageResources.uploads_are_unreadable_sql),
        SQLFile("can_be_ordered_again", PackageResources.can_be_ordered_again_sql),
        SQLFile("payment_answers", PackageResources.payment_answers_sql),
        SQLFile("open_reviews", PackageResources.open_reviews_sql),
        SQLFile("payment_elsewhere", PackageResources.payment_elsewhere_sql),
        SQLFile("order_status", PackageResources.order_status_sql),
        SQLFile("transaction_status", PackageResources.transaction_status_sql),
        SQLFile("order_status_of", PackageResources.order_status_of_sql),
        SQLFile("order_statuses_of", PackageResources.order_statuses_of_sql),
        SQLFile("order_statuses_of_accounts", PackageResources.order_statuses_of_accounts_sql),
        SQLFile("transaction_status_of", PackageResources.transaction_status_of_sql),
        SQLFile("lane_backlogs", PackageResources.lane_backlogs_sql),
        SQLFile("throughput", PackageResources.throughput_sql),
        SQLFile("throughput_by_hour", PackageResources.throughput_by_hour_sql),
        SQLFile("latency_buckets", PackageResources.latency_buckets_sql),
        SQLFile("latency", PackageResources.latency_sql),
        SQLFile("latency_by_hour", PackageResources.latency_by_hour_sql),
        SQLFile("stuck_orders", PackageResources.stuck_orders_sql),
        SQLFile("paid_not_delivered", PackageResources.paid_not_delivered_sql),
        SQLFile("rejections", PackageResources.rejections_sql),
        SQLFile("rejected_accounts", PackageResources.rejected_accounts_sql),
        SQLFile("suspicious_accounts", PackageResources.suspicious_accounts_sql),
        SQLFile("app_store_health", PackageResources.app_store_health_sql),
        SQLFile("worker_activity", PackageResources.worker_activity_sql),
        SQLFile("order_story", PackageResources.order_story_sql),
        SQLFile("product_funnel", PackageResources.product_funnel_sql),
        SQLFile("overview", PackageResources.overview_sql),
        SQLFile("replication", PackageResources.replication_sql),
        SQLFile("meant_waits", PackageResources.meant_waits_sql),
        SQLFile("promise", PackageResources.promise_sql),
        SQLFile("gateway_key_states", PackageResources.gateway_key_states_sql),
        SQLFile("health", PackageResources.health_sql),
        SQLFile("upload_status", PackageResources.upload_status_sql),
        SQLFile("keep_order", PackageResources.keep_order_sql),
        SQLFile("keep_upload", PackageResources.keep_upload_sql),
        SQLFile("place_order", PackageResources.place_order_sql),
        SQLFile("add_proof", PackageResources.add_proof_sql),
        SQLFile("submit", PackageResources.submit_sql),
        SQLFile("open_orders", PackageResources.open_orders_sql),
        SQLFile("orders_of", PackageResources.orders_of_sql),
        SQLFile("cancel_order", PackageResources.cancel_order_sql),
        SQLFile("import_grants", PackageResources.import_grants_sql),
        SQLFile("problems", PackageResources.problems_sql),
        SQLFile("order_number_at", PackageResources.order_number_at_sql),
        SQLFile("desk_orders", PackageResources.desk_orders_sql),
        SQLFile("find_anything", PackageResources.find_anything_sql),
        SQLFile("orders_around", PackageResources.orders_around_sql),
        SQLFile("customer_payments", PackageResources.customer_payments_sql),
        SQLFile("customer_accounts", PackageResources.customer_accounts_sql),
        SQLFile("review_causes", PackageResources.review_causes_sql),
        SQLFile("take_proof", PackageResources.take_proof_sql),
        SQLFile("json_without_accounts", PackageResources.json_without_accounts_sql),
        SQLFile("without_accounts", PackageResources.without_accounts_sql),
        SQLFile("forget_account", PackageResources.forget_account_sql),
        SQLFile("orders_of_account", PackageResources.orders_of_account_sql),
        SQLFile("preview_of_account", PackageResources.preview_of_account_sql),
        SQLFile("moves_of_account", PackageResources.moves_of_account_sql),
        SQLFile("move_account", PackageResources.move_account_sql),
        SQLFile("transfer_order", PackageResources.transfer_order_sql),
        SQLFile("consumption_answer_of", PackageResources.consumption_answer_of_sql),
        SQLFile("decide_consumption_request", PackageResources.decide_consumption_request_sql),
        SQLFile("answer_consumption_request", PackageResources.answer_consumption_request_sql),
        SQLFile("decline_consumption_request", PackageResources.decline_consumption_request_sql),
        SQLFile("shell_words", PackageResources.shell_words_sql),
        SQLFile("next_step", PackageResources.next_step_sql),
    ]

    /// Statements that return no row when all is well.
    package static let checks = [
        SQLFile("attempts_outside_their_partitions", PackageResources.attempts_outside_their_partitions_sql),
        SQLFile("attempts_written_in_part", PackageResources.attempts_written_in_part_sql),
        SQLFile("discarded_jobs_without_a_verdict", PackageResources.discarded_jobs_without_a_verdict_sql),
        SQLFile("grants_that_contradict_their_order", PackageResources.grants_that_contradict_their_order_sql),
        SQLFile("jobs_without_a_gate", PackageResources.jobs_without_a_gate_sql),
        SQLFile("leases_held_by_nobody", PackageResources.leases_held_by_nobody_sql),
        SQLFile("moves_not_followed", PackageResources.moves_not_followed_sql),
        SQLFile("notifications_without_a_job", PackageResources.notifications_without_a_job_sql),
        SQLFile("orders_left_behind", PackageResources.orders_left_behind_sql),
        SQLFile("orders_open_though_paid", PackageResources.orders_open_though_paid_sql),
        SQLFile("orders_untold", PackageResources.orders_untold_sql),
        SQLFile("refunds_untold", PackageResources.refunds_untold_sql),
        SQLFile("purchases_granted_twice", PackageResources.purchases_granted_twice_sql),
        SQLFile("refunded_orders_whose_payment_stands", PackageResources.refunded_orders_whose_payment_stands_sql),
        SQLFile(
            "refunded_payments_of_fulfilled_orders", PackageResources.refunded_payments_of_fulfilled_orders_sql),
        SQLFile("payments_where_the_facts_deny_them", PackageResources.payments_where_the_facts_deny_them_sql),
        SQLFile("reviews_of_refunded_payments", PackageResources.reviews_of_refunded_payments_sql),
        SQLFile("webhooks_lost", PackageResources.webhooks_lost_sql),
    ]
}
