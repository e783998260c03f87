// SPDX-License-Identifier: Apache-2.0

/// One file of SQL, compiled into the program.
package struct SQLFile: Sendable, Hashable {
    /// The file's name, without folder and ending.
    package let name: String
    package let text: String

    init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        text = String(decoding: bytes, as: UTF8.self)
    }
}

/// One step of the schema, applied once and never edited afterwards.
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

    private var lines: [Substring] { file.text.split(separator: "\n") }

    init(_ id: Int32, _ name: String, _ bytes: [UInt8]) {
        self.id = id
        file = SQLFile(name, bytes)
    }
}

extension Migration {
    /// Every migration, in order.
    package static let all = [
        Migration(1, "0001_roles", PackageResources._001_roles_sql),
        Migration(2, "0002_apps", PackageResources._002_apps_sql),
        Migration(3, "0003_orders", PackageResources._003_orders_sql),
        Migration(4, "0004_jobs", PackageResources._004_jobs_sql),
        Migration(5, "0005_ledger", PackageResources._005_ledger_sql),
        Migration(6, "0006_attempts", PackageResources._006_attempts_sql),
        Migration(7, "0007_server_api", PackageResources._007_server_api_sql),
        Migration(8, "0008_roll_ups", PackageResources._008_roll_ups_sql),
        Migration(9, "0009_discarded_jobs", PackageResources._009_discarded_jobs_sql),
        Migration(10, "0010_worker_plans", PackageResources._010_worker_plans_sql),
        Migration(11, "0011_leases", PackageResources._011_leases_sql),
        Migration(12, "0012_silent_settlements", PackageResources._012_silent_settlements_sql),
        Migration(13, "0013_unclaimed_by_original", PackageResources._013_unclaimed_by_original_sql),
        Migration(14, "0014_absent_purchases", PackageResources._014_absent_purchases_sql),
        Migration(15, "0015_histograms_and_reversals", PackageResources._015_histograms_and_reversals_sql),
        Migration(16, "0016_revoked_periods", PackageResources._016_revoked_periods_sql),
        Migration(17, "0017_reversed_refunds", PackageResources._017_reversed_refunds_sql),
        Migration(18, "0018_apps_of_grants", PackageResources._018_apps_of_grants_sql),
        Migration(19, "0019_reviews_of_reversed_refunds", PackageResources._019_reviews_of_reversed_refunds_sql),
        Migration(20, "0020_last_looks", PackageResources._020_last_looks_sql),
        Migration(21, "0021_jobs_of_one_order", PackageResources._021_jobs_of_one_order_sql),
        Migration(22, "0022_former_indexes_of_jobs", PackageResources._022_former_indexes_of_jobs_sql),
        Migration(23, "0023_grants_of_one_original", PackageResources._023_grants_of_one_original_sql),
        Migration(24, "0024_payments_of_one_original", PackageResources._024_payments_of_one_original_sql),
        Migration(25, "0025_payments_taken_back", PackageResources._025_payments_taken_back_sql),
    ]
}

extension SQLFile {
    /// Functions, triggers and views, replaced whole by every migration run, each after what it needs.
    package static let routinesAndViews = [
        SQLFile("client_action", PackageResources.client_action_sql),
        SQLFile("make_gates", PackageResources.make_gates_sql),
        SQLFile("prepare_job", PackageResources.prepare_job_sql),
        SQLFile("refuse_change", PackageResources.refuse_change_sql),
        SQLFile("make_missing_attempt_partitions", PackageResources.make_missing_attempt_partitions_sql),
        SQLFile("attempt_outcome", PackageResources.attempt_outcome_sql),
        SQLFile("latency_bounds", PackageResources.latency_bounds_sql),
        SQLFile("latency_percentile", PackageResources.latency_percentile_sql),
        SQLFile("count_due_minutes", PackageResources.count_due_minutes_sql),
        SQLFile("count_hours", PackageResources.count_hours_sql),
        SQLFile("count_minutes", PackageResources.count_minutes_sql),
        SQLFile("prune_counts", PackageResources.prune_counts_sql),
        SQLFile("drop_attempts_past_retention", PackageResources.drop_attempts_past_retention_sql),
        SQLFile("snapshot_holders", PackageResources.snapshot_holders_sql),
        SQLFile("index_sizes", PackageResources.index_sizes_sql),
        SQLFile("bought_apart", PackageResources.bought_apart_sql),
        SQLFile("is_one_payment", PackageResources.is_one_payment_sql),
        SQLFile("is_surely_one_payment", PackageResources.is_surely_one_payment_sql),
        SQLFile("refunds_before", PackageResources.refunds_before_sql),
        SQLFile("grants_of_original", PackageResources.grants_of_original_sql),
        SQLFile("grants_of_payment", PackageResources.grants_of_payment_sql),
        SQLFile("grants_of_revocation", PackageResources.grants_of_revocation_sql),
        SQLFile("unclaimed_of_payment", PackageResources.unclaimed_of_payment_sql),
        SQLFile("unclaimed_for_order", PackageResources.unclaimed_for_order_sql),
        SQLFile("standing_revocations", PackageResources.standing_revocations_sql),
        SQLFile("revocations_of_payment", PackageResources.revocations_of_payment_sql),
        SQLFile("revoked_grants", PackageResources.revoked_grants_sql),
        SQLFile("order_facts", PackageResources.order_facts_sql),
        SQLFile("order_status", PackageResources.order_status_sql),
        SQLFile("transaction_status", PackageResources.transaction_status_sql),
        SQLFile("lane_backlogs", PackageResources.lane_backlogs_sql),
        SQLFile("throughput", PackageResources.throughput_sql),
        SQLFile("throughput_by_hour", PackageResources.throughput_by_hour_sql),
        SQLFile("latency_buckets", PackageResources.latency_buckets_sql),
        SQLFile("latency", PackageResources.latency_sql),
        SQLFile("latency_by_hour", PackageResources.latency_by_hour_sql),
        SQLFile("stuck_orders", PackageResources.stuck_orders_sql),
        SQLFile("paid_not_delivered", PackageResources.paid_not_delivered_sql),
        SQLFile("rejections", PackageResources.rejections_sql),
        SQLFile("suspicious_accounts", PackageResources.suspicious_accounts_sql),
        SQLFile("app_store_health", PackageResources.app_store_health_sql),
        SQLFile("worker_activity", PackageResources.worker_activity_sql),
        SQLFile("order_story", PackageResources.order_story_sql),
        SQLFile("product_funnel", PackageResources.product_funnel_sql),
        SQLFile("overview", PackageResources.overview_sql),
        SQLFile("health", PackageResources.health_sql),
        SQLFile("submit_order", PackageResources.submit_order_sql),
        SQLFile("open_orders", PackageResources.open_orders_sql),
        SQLFile("cancel_order", PackageResources.cancel_order_sql),
        SQLFile("import_grants", PackageResources.import_grants_sql),
    ]

    /// Statements that return no row when all is well.
    package static let checks = [
        SQLFile("attempts_outside_their_partitions", PackageResources.attempts_outside_their_partitions_sql),
        SQLFile("discarded_jobs_without_a_verdict", PackageResources.discarded_jobs_without_a_verdict_sql),
        SQLFile("grants_that_contradict_their_order", PackageResources.grants_that_contradict_their_order_sql),
        SQLFile("jobs_without_a_gate", PackageResources.jobs_without_a_gate_sql),
        SQLFile("leases_held_by_nobody", PackageResources.leases_held_by_nobody_sql),
        SQLFile("orders_left_behind", PackageResources.orders_left_behind_sql),
        SQLFile("purchases_granted_twice", PackageResources.purchases_granted_twice_sql),
        SQLFile("refunded_orders_whose_payment_stands", PackageResources.refunded_orders_whose_payment_stands_sql),
        SQLFile("revoked_grants_of_fulfilled_orders", PackageResources.revoked_grants_of_fulfilled_orders_sql),
        SQLFile(
            "transaction_ids_that_contradict_their_grant", PackageResources.transaction_ids_that_contradict_their_grant_sql),
        SQLFile("unclaimed_transactions_in_the_ledger", PackageResources.unclaimed_transactions_in_the_ledger_sql),
    ]
}
