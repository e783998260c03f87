// SPDX-License-Identifier: Apache-2.0

import Postgres

/// The benchmark's own statements, one a file of the folder SQL.
enum BenchStatement {
    static let checkpoint = make("checkpoint", PackageResources.checkpoint_sql)
    static let clearJobs = make("clear_jobs", PackageResources.clear_jobs_sql)
    static let countCountedAttempts = make("count_counted_attempts", PackageResources.count_counted_attempts_sql)
    static let countGrants = make("count_grants", PackageResources.count_grants_sql)
    static let countLeanGrants = make("count_lean_grants", PackageResources.count_lean_grants_sql)
    static let countParkedJobs = make("count_parked_jobs", PackageResources.count_parked_jobs_sql)
    static let countPastAttemptsByHour = make("count_past_attempts_by_hour", PackageResources.count_past_attempts_by_hour_sql)
    static let countPastAttemptsByMinute = make("count_past_attempts_by_minute", PackageResources.count_past_attempts_by_minute_sql)
    static let countPastLatenciesByHour = make("count_past_latencies_by_hour", PackageResources.count_past_latencies_by_hour_sql)
    static let countPastLatenciesByMinute = make(
        "count_past_latencies_by_minute", PackageResources.count_past_latencies_by_minute_sql)
    static let countPastProductsByHour = make("count_past_products_by_hour", PackageResources.count_past_products_by_hour_sql)
    static let countPastProductsByMinute = make("count_past_products_by_minute", PackageResources.count_past_products_by_minute_sql)
    static let countPastSuspicions = make("count_past_suspicions", PackageResources.count_past_suspicions_sql)
    static let fillLeanJobs = make("fill_lean_jobs", PackageResources.fill_lean_jobs_sql)
    static let hasJobs = make("has_jobs", PackageResources.has_jobs_sql)
    static let insertJobs = make("insert_bench_jobs", PackageResources.insert_bench_jobs_sql)
    static let insertNotifications = make("insert_notifications", PackageResources.insert_notifications_sql)
    static let insertOrders = make("insert_bench_orders", PackageResources.insert_bench_orders_sql)
    static let insertPastAttempts = make("insert_past_attempts", PackageResources.insert_past_attempts_sql)
    static let insertPastGrants = make("insert_past_grants", PackageResources.insert_past_grants_sql)
    static let insertPastOrders = make("insert_past_orders", PackageResources.insert_past_orders_sql)
    static let insertPastReviews = make("insert_past_reviews", PackageResources.insert_past_reviews_sql)
    static let insertReadyJobs = make("insert_ready_jobs", PackageResources.insert_ready_jobs_sql)
    static let insertReceipts = make("insert_bench_receipts", PackageResources.insert_bench_receipts_sql)
    static let insertTokenOrders = make("insert_token_orders", PackageResources.insert_token_orders_sql)
    static let liftBudgets = make("lift_budgets", PackageResources.lift_budgets_sql)
    static let listViews = make("list_views", PackageResources.list_views_sql)
    static let makeCatchUpDue = make("make_catch_up_due", PackageResources.make_catch_up_due_sql)
    static let makeLeanTables = make("make_lean_tables", PackageResources.make_lean_tables_sql)
    static let makeOrderIDs = make("make_order_ids", PackageResources.make_order_ids_sql)
    static let makePastPartitions = make("make_past_partitions", PackageResources.make_past_partitions_sql)
    static let measureBatches = make("measure_batches", PackageResources.measure_batches_sql)
    static let measureBytes = make("measure_bytes", PackageResources.measure_bytes_sql)
    static let measureNotifications = make("measure_notifications", PackageResources.measure_notifications_sql)
    static let measureSizes = make("measure_sizes", PackageResources.measure_sizes_sql)
    static let notify = make("notify_workers", PackageResources.notify_workers_sql)
    static let readSettings = make("read_settings", PackageResources.read_settings_sql)
    static let readTime = make("read_time", PackageResources.read_time_sql)
    static let readWALPosition = make("read_wal_position", PackageResources.read_wal_position_sql)
    static let skipTriggers = make("skip_triggers", PackageResources.skip_triggers_sql)
    static let startCounting = make("start_counting", PackageResources.start_counting_sql)
    static let takeNotification = make("take_notification", PackageResources.take_notification_sql)
    static let vacuumEverything = make("vacuum_everything", PackageResources.vacuum_everything_sql)
    static let vacuumQueue = make("vacuum_queue", PackageResources.vacuum_queue_sql)

    private static func make(_ name: String, _ bytes: [UInt8]) -> PostgresStatement {
        PostgresStatement(name: name, sql: String(decoding: bytes, as: UTF8.self))
    }
}
