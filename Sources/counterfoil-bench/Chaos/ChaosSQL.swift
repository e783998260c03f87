// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres

/// The statements of the chaos runs, one a file of the folder SQL.
enum ChaosSQL {
    static let ageWebhooks = statement("age_webhooks", PackageResources.age_webhooks_sql)
    static let alterWorkerLog = statement("alter_worker_log", PackageResources.alter_worker_log_sql)
    static let analyseOrders = statement("analyse_orders", PackageResources.analyse_orders_sql)
    static let cancelWaitingCommits = statement("cancel_waiting_commits", PackageResources.cancel_waiting_commits_sql)
    static let countFulfilledOrders = statement("count_fulfilled_orders", PackageResources.count_fulfilled_orders_sql)
    static let countWaitingCommits = statement("count_waiting_commits", PackageResources.count_waiting_commits_sql)
    static let countChurnedOrders = statement("count_churned_orders", PackageResources.count_churned_orders_sql)
    static let countFailedAttempts = statement("count_failed_attempts", PackageResources.count_failed_attempts_sql)
    static let countJobsByState = statement("count_jobs_by_state", PackageResources.count_jobs_by_state_sql)
    static let countLaterClaims = statement("count_later_claims", PackageResources.count_later_claims_sql)
    static let countLeases = statement("count_leases", PackageResources.count_leases_sql)
    static let countFromHistory = statement("count_from_history", PackageResources.count_from_history_sql)
    static let countMisconfiguredGates = statement(
        "count_misconfigured_gates", PackageResources.count_misconfigured_gates_sql)
    static let countSettledJobs = statement("count_settled_jobs", PackageResources.count_settled_jobs_sql)
    static let countSynchronousStandbys = statement(
        "count_synchronous_standbys", PackageResources.count_synchronous_standbys_sql)
    static let deleteFutureJobs = statement("delete_future_jobs", PackageResources.delete_future_jobs_sql)
    static let demandSynchronousStandby = statement(
        "demand_synchronous_standby", PackageResources.demand_synchronous_standby_sql)
    static let doNothing = statement("do_nothing", PackageResources.do_nothing_sql)
    static let dropGrantKeys = statement("drop_grant_keys", PackageResources.drop_grant_keys_sql)
    static let dropTellingOfMoves = statement("drop_telling_of_moves", PackageResources.drop_telling_of_moves_sql)
    static let dropTellingOfRefunds = statement("drop_telling_of_refunds", PackageResources.drop_telling_of_refunds_sql)
    static let dropTransactionKey = statement("drop_transaction_key", PackageResources.drop_transaction_key_sql)
    static let findHolder = statement("find_holder", PackageResources.find_holder_sql)
    static let findWorker = statement("find_worker", PackageResources.find_worker_sql)
    static let freezeSnapshot = statement("freeze_snapshot", PackageResources.freeze_snapshot_sql)
    static let hasChurnedJobs = statement("has_churned_jobs", PackageResources.has_churned_jobs_sql)
    static let hasUnsentWebhooks = statement("has_unsent_webhooks", PackageResources.has_unsent_webhooks_sql)
    static let haveWebhooksPassed = statement("have_webhooks_passed", PackageResources.have_webhooks_passed_sql)
    static let holdAdvisoryLocks = statement("hold_advisory_locks", PackageResources.hold_advisory_locks_sql)
    static let insertChurnedPurchases = statement(
        "insert_churned_purchases", PackageResources.insert_churned_purchases_sql, isPrepared: true)
    static let insertFutureJobs = statement("insert_future_jobs", PackageResources.insert_future_jobs_sql)
    static let insertLateChange = statement("insert_late_change", PackageResources.insert_late_change_sql)
    static let insertLateOrder = statement("insert_late_order", PackageResources.insert_late_order_sql)
    static let insertFutureOrders = statement("insert_future_orders", PackageResources.insert_future_orders_sql)
    static let listAppsWithoutCalls = statement("list_apps_without_calls", PackageResources.list_apps_without_calls_sql)
    static let listSettlingWorkers = statement("list_settling_workers", PackageResources.list_settling_workers_sql)
    static let makeStranger = statement("make_stranger", PackageResources.make_stranger_sql)
    static let measureDrain = statement("measure_drain", PackageResources.measure_drain_sql)
    static let measureLeaseRecovery = statement("measure_lease_recovery", PackageResources.measure_lease_recovery_sql)
    static let measureOrders = statement("measure_orders", PackageResources.measure_orders_sql)
    static let measureSettlementRecovery = statement(
        "measure_settlement_recovery", PackageResources.measure_settlement_recovery_sql)
    static let measureSilence = statement("measure_silence", PackageResources.measure_silence_sql)
    static let readOrderState = statement("read_order_state", PackageResources.read_order_state_sql)
    static let readTransactionNumber = statement("read_transaction_number", PackageResources.read_transaction_number_sql)
    static let reloadSettings = statement("reload_settings", PackageResources.reload_settings_sql)
    static let returnNothing = statement("return_nothing", PackageResources.return_nothing_sql)
    static let tellStories = statement("tell_stories", PackageResources.tell_stories_sql)
    static let terminateRole = statement("terminate_role", PackageResources.terminate_role_sql)
    static let terminateBackends = statement("terminate_backends", PackageResources.terminate_backends_sql)
    /// Must return no row.
    static let webhooksApartFromFeed = statement("webhooks_apart_from_feed", PackageResources.webhooks_apart_from_feed_sql)

    /// What must return no row, beside the schema's own checks.
    static let checks = [
        statement("claims_without_one_ending", PackageResources.claims_without_one_ending_sql),
        statement("attempts_counted_wrongly", PackageResources.attempts_counted_wrongly_sql),
        statement("uploaded_orders_left_open", PackageResources.uploaded_orders_left_open_sql),
    ]

    private static func statement(_ name: String, _ bytes: [UInt8], isPrepared: Bool = false) -> PostgresStatement {
        PostgresStatement(name: name, sql: String(decoding: bytes, as: UTF8.self), isPrepared: isPrepared)
    }
}

extension PostgresPool {
    /// The rows of a statement about what came between two moments, its first parameters.
    func execute(
        _ statement: PostgresStatement, from begin: Date, to end: Date, _ more: [PostgresParameter] = []
    ) async throws -> PostgresResult {
        try await execute(
            statement, [.double(begin.timeIntervalSince1970), .double(end.timeIntervalSince1970)] + more)
    }
}
