// SPDX-License-Identifier: Apache-2.0

package import Postgres

/// The statements of the play, one a file: what a shop's backend would send, and what is read to judge the outcome.
package enum RehearsalSQL {
    // A backend's
    package static let placeOrder = statement("place_order", PackageResources.place_order_sql)
    package static let uploadProof = statement("upload_proof", PackageResources.upload_proof_sql)
    package static let uploadProofOfAccount = statement("upload_proof_of_account", PackageResources.upload_proof_of_account_sql)
    package static let uploadProofWithHint = statement("upload_proof_with_hint", PackageResources.upload_proof_with_hint_sql)
    package static let submitProof = statement("submit_proof", PackageResources.submit_proof_sql)
    package static let pollOrders = statement("poll_orders", PackageResources.poll_orders_sql)
    package static let findOpenOrders = statement("find_open_orders", PackageResources.find_open_orders_sql)
    package static let cancelOrder = statement("cancel_order", PackageResources.cancel_order_sql)

    package static let buyProduct = statement("buy_product", PackageResources.buy_product_sql)
    package static let pollOrder = statement("poll_order", PackageResources.poll_order_sql)
    package static let beginChanges = statement("begin_changes", PackageResources.begin_changes_sql)
    package static let readChanges = statement("read_changes", PackageResources.read_changes_sql)

    package static let receiveNotification = statement("receive_notification", PackageResources.receive_notification_sql)
    package static let signalWorkers = statement("signal_workers", PackageResources.signal_workers_sql)

    // The set-up's
    package static let createDatabase = statement("create_database", PackageResources.create_database_sql)
    package static let makeMigrator = statement("make_migrator", PackageResources.make_migrator_sql)
    package static let grantMonitor = statement("grant_monitor", PackageResources.grant_monitor_sql)
    package static let keepPassword = statement("keep_password", PackageResources.keep_password_sql)
    package static let givePasswords = statement("give_passwords", PackageResources.give_passwords_sql)
    package static let setUpApp = statement("set_up_app", PackageResources.set_up_app_sql)
    package static let evenOutBudgets = statement("even_out_budgets", PackageResources.even_out_budgets_sql)
    package static let setUpProducts = statement("set_up_products", PackageResources.set_up_products_sql)
    package static let setUpSandboxAccounts = statement("set_up_sandbox_accounts", PackageResources.set_up_sandbox_accounts_sql)

    package static let backdateOrder = statement("backdate_order", PackageResources.backdate_order_sql)

    // The watchman's
    package static let countWorkers = statement("count_workers", PackageResources.count_workers_sql)
    package static let findConfigurationFault = statement("find_configuration_fault", PackageResources.find_configuration_fault_sql)
    package static let countTold = statement("count_told", PackageResources.count_told_sql)
    package static let countUnsettled = statement("count_unsettled", PackageResources.count_unsettled_sql)
    package static let showPendingJobs = statement("show_pending_jobs", PackageResources.show_pending_jobs_sql)

    // The judge's
    package static let readOrders = statement("read_orders", PackageResources.read_orders_sql)
    package static let readGrants = statement("read_grants", PackageResources.read_grants_sql)
    package static let readUnclaimedTransactions = statement(
        "read_unclaimed_transactions", PackageResources.read_unclaimed_transactions_sql)
    package static let readTransactionIDs = statement("read_transaction_ids", PackageResources.read_transaction_ids_sql)
    package static let readRevocations = statement("read_revocations", PackageResources.read_revocations_sql)
    package static let readTransactionActions = statement("read_transaction_actions", PackageResources.read_transaction_actions_sql)
    package static let readSubscriptions = statement("read_subscriptions", PackageResources.read_subscriptions_sql)
    package static let beginFeed = statement("begin_feed", PackageResources.begin_feed_sql)
    package static let readFeed = statement("read_feed", PackageResources.read_feed_sql)
    package static let measureAttempts = statement("measure_attempts", PackageResources.measure_attempts_sql)
    package static let measureLatencies = statement("measure_latencies", PackageResources.measure_latencies_sql)

    private static func statement(_ name: String, _ bytes: [UInt8]) -> PostgresStatement {
        PostgresStatement(name: name, sql: String(decoding: bytes, as: UTF8.self))
    }
}
