// SPDX-License-Identifier: Apache-2.0

import Postgres

/// The statements of the play, one a file: what a shop's backend would send, and what is read to judge the outcome.
enum DevSQL {
    // A backend's
    static let placeOrder = statement("place_order", PackageResources.place_order_sql)
    static let uploadProof = statement("upload_proof", PackageResources.upload_proof_sql)
    static let uploadProofOfAccount = statement("upload_proof_of_account", PackageResources.upload_proof_of_account_sql)
    static let uploadProofWithHint = statement("upload_proof_with_hint", PackageResources.upload_proof_with_hint_sql)
    static let submitProof = statement("submit_proof", PackageResources.submit_proof_sql)
    static let pollOrders = statement("poll_orders", PackageResources.poll_orders_sql)
    static let findOpenOrders = statement("find_open_orders", PackageResources.find_open_orders_sql)
    static let cancelOrder = statement("cancel_order", PackageResources.cancel_order_sql)

    static let notifyWorkers = statement("notify_workers", PackageResources.notify_workers_sql)

    // The set-up's
    static let createDatabase = statement("create_database", PackageResources.create_database_sql)
    static let setUpApp = statement("set_up_app", PackageResources.set_up_app_sql)
    static let setUpProducts = statement("set_up_products", PackageResources.set_up_products_sql)
    static let setUpSandboxAccounts = statement("set_up_sandbox_accounts", PackageResources.set_up_sandbox_accounts_sql)

    // The watchman's
    static let countWorkers = statement("count_workers", PackageResources.count_workers_sql)
    static let findConfigurationFault = statement("find_configuration_fault", PackageResources.find_configuration_fault_sql)
    static let countUnsettled = statement("count_unsettled", PackageResources.count_unsettled_sql)
    static let showPendingJobs = statement("show_pending_jobs", PackageResources.show_pending_jobs_sql)

    // The judge's
    static let readOrders = statement("read_orders", PackageResources.read_orders_sql)
    static let readGrants = statement("read_grants", PackageResources.read_grants_sql)
    static let readUnclaimedTransactions = statement("read_unclaimed_transactions", PackageResources.read_unclaimed_transactions_sql)
    static let readTransactionIDs = statement("read_transaction_ids", PackageResources.read_transaction_ids_sql)
    static let readRevocations = statement("read_revocations", PackageResources.read_revocations_sql)
    static let readTransactionActions = statement("read_transaction_actions", PackageResources.read_transaction_actions_sql)
    static let measureAttempts = statement("measure_attempts", PackageResources.measure_attempts_sql)
    static let measureLatencies = statement("measure_latencies", PackageResources.measure_latencies_sql)

    private static func statement(_ name: String, _ bytes: [UInt8]) -> PostgresStatement {
        PostgresStatement(name: name, sql: String(decoding: bytes, as: UTF8.self))
    }
}
