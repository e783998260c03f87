// SPDX-License-Identifier: Apache-2.0

/// The statements that the program sends, one a file, by the folder that holds them: the index of everything that the
/// program does to the database. Names here are those of the files.
extension SQLFile {
    /// All of them, for tests that prepare each against the schema.
    package static let queries: [SQLFile] = [
        orders, claiming, settling, notifications, finding, payments, gates, workers, feed, counting, `operator`, show, migrating,
        roles, gateway, webhooks,
    ].flatMap { $0 }

    // MARK: - orders: what a backend calls

    package static let callCancelOrder = SQLFile("call_cancel_order", PackageResources.call_cancel_order_sql)
    package static let readOrderStatus = SQLFile("read_order_status", PackageResources.read_order_status_sql)
    package static let callSubmit = SQLFile("call_submit", PackageResources.call_submit_sql)

    private static let orders = [callCancelOrder, readOrderStatus, callSubmit]

    // MARK: - gateway: what it calls for a shop, and its keys

    package static let callAddProof = SQLFile("call_add_proof", PackageResources.call_add_proof_sql)
    package static let callOrderStatuses = SQLFile("call_order_statuses", PackageResources.call_order_statuses_sql)
    package static let callOrdersOf = SQLFile("call_orders_of", PackageResources.call_orders_of_sql)
    package static let callReceiveNotification = SQLFile(
        "call_receive_notification", PackageResources.call_receive_notification_sql)
    package static let callSubscriptionStatus = SQLFile("call_subscription_status", PackageResources.call_subscription_status_sql)
    package static let callSubscriptionsOf = SQLFile("call_subscriptions_of", PackageResources.call_subscriptions_of_sql)
    package static let callTransactionStatus = SQLFile("call_transaction_status", PackageResources.call_transaction_status_sql)
    package static let callUploadStatus = SQLFile("call_upload_status", PackageResources.call_upload_status_sql)
    package static let expireKeys = SQLFile("expire_keys", PackageResources.expire_keys_sql)
    package static let findKey = SQLFile("find_key", PackageResources.find_key_sql)
    package static let insertKey = SQLFile("insert_key", PackageResources.insert_key_sql)
    package static let judgeSchema = SQLFile("judge_schema", PackageResources.judge_schema_sql)
    package static let listConsumptionRequests = SQLFile(
        "list_consumption_requests", PackageResources.list_consumption_requests_sql)
    package static let listKeys = SQLFile("list_keys", PackageResources.list_keys_sql)
    package static let markKeyUsed = SQLFile("mark_key_used", PackageResources.mark_key_used_sql)
    package static let putOrder = SQLFile("put_order", PackageResources.put_order_sql)
    package static let putOrderWithProof = SQLFile("put_order_with_proof", PackageResources.put_order_with_proof_sql)
    package static let readProblems = SQLFile("read_problems", PackageResources.read_problems_sql)
    package static let readValidKey = SQLFile("read_valid_key", PackageResources.read_valid_key_sql)
    package static let revokeKeys = SQLFile("revoke_keys", PackageResources.revoke_keys_sql)

    package static let gateway = [
        callAddProof, callOrderStatuses, callOrdersOf, callReceiveNotification, callSubscriptionStatus, callSubscriptionsOf,
        callTransactionStatus, callUploadStatus, expireKeys, findKey, insertKey, judgeSchema, listConsumptionRequests, listKeys,
        markKeyUsed, putOrder, putOrderWithProof, readProblems, readValidKey, revokeKeys,
    ]

    // MARK: - webhooks: what workers send, and operators' acts

    package static let callSettleWebhook = SQLFile("call_settle_webhook", PackageResources.call_settle_webhook_sql)
    package static let callTakeWebhooks = SQLFile("call_take_webhooks", PackageResources.call_take_webhooks_sql)
    package static let deleteWebhookTest = SQLFile("delete_webhook_test", PackageResources.delete_webhook_test_sql)
    package static let disableWebhookEndpoint = SQLFile("disable_webhook_endpoint", PackageResources.disable_webhook_endpoint_sql)
    package static let enableWebhookEndpoint = SQLFile("enable_webhook_endpoint", PackageResources.enable_webhook_endpoint_sql)
    package static let findWebhookNames = SQLFile("find_webhook_names", PackageResources.find_webhook_names_sql)
    package static let insertWebhookAct = SQLFile("insert_webhook_act", PackageResources.insert_webhook_act_sql)
    package static let insertWebhookEndpoint = SQLFile("insert_webhook_endpoint", PackageResources.insert_webhook_endpoint_sql)
    package static let insertWebhookTest = SQLFile("insert_webhook_test", PackageResources.insert_webhook_test_sql)
    package static let listWebhookActs = SQLFile("list_webhook_acts", PackageResources.list_webhook_acts_sql)
    package static let listWebhookEndpoints = SQLFile("list_webhook_endpoints", PackageResources.list_webhook_endpoints_sql)
    package static let listWebhookEvents = SQLFile("list_webhook_events", PackageResources.list_webhook_events_sql)
    package static let lockWebhookEndpoint = SQLFile("lock_webhook_endpoint", PackageResources.lock_webhook_endpoint_sql)
    package static let measureWebhooks = SQLFile("measure_webhooks", PackageResources.measure_webhooks_sql)
    package static let noteWebhookFault = SQLFile("note_webhook_fault", PackageResources.note_webhook_fault_sql)
    package static let readWebhookTest = SQLFile("read_webhook_test", PackageResources.read_webhook_test_sql)
    package static let replayWebhookChanges = SQLFile("replay_webhook_changes", PackageResources.replay_webhook_changes_sql)
    package static let resendWebhookEvents = SQLFile("resend_webhook_events", PackageResources.resend_webhook_events_sql)
    package static let showWebhookEndpoint = SQLFile("show_webhook_endpoint", PackageResources.show_webhook_endpoint_sql)
    package static let skipWebhookEvent = SQLFile("skip_webhook_event", PackageResources.skip_webhook_event_sql)

    package static let webhooks = [
        callSettleWebhook, callTakeWebhooks, deleteWebhookTest, disableWebhookEndpoint, enableWebhookEndpoint, findWebhookNames,
        insertWebhookAct, insertWebhookEndpoint, insertWebhookTest, listWebhookActs, listWebhookEndpoints, listWebhookEvents,
        lockWebhookEndpoint, measureWebhooks, noteWebhookFault, readWebhookTest, replayWebhookChanges, resendWebhookEvents,
        showWebhookEndpoint, skipWebhookEvent,
    ]

    // MARK: - claiming: which jobs a worker runs

    package static let claimJobs = SQLFile("claim_jobs", PackageResources.claim_jobs_sql)
    package static let findLaneHeads = SQLFile("find_lane_heads", PackageResources.find_lane_heads_sql)
    package static let findLanesWithJobs = SQLFile("find_lanes_with_jobs", PackageResources.find_lanes_with_jobs_sql)
    package static let handBackLostClaims = SQLFile("hand_back_lost_claims", PackageResources.hand_back_lost_claims_sql)
    package static let markJobsBesideOthers = SQLFile(
        "mark_jobs_beside_others", PackageResources.mark_jobs_beside_others_sql)
    package static let readLeasedJob = SQLFile("read_leased_job", PackageResources.read_leased_job_sql)
    package static let rescueExpiredJobs = SQLFile("rescue_expired_jobs", PackageResources.rescue_expired_jobs_sql)

    private static let claiming = [
        claimJobs, findLaneHeads, findLanesWithJobs, handBackLostClaims, markJobsBesideOthers, readLeasedJob, rescueExpiredJobs,
    ]

    // MARK: - settling: how an attempt ends

    package static let appendAttempts = SQLFile("append_attempts", PackageResources.append_attempts_sql)
    package static let awaitRenewals = SQLFile("await_renewals", PackageResources.await_renewals_sql)
    package static let endJobs = SQLFile("end_jobs", PackageResources.end_jobs_sql)
    package static let grantFirstPayments = SQLFile("grant_first_payments", PackageResources.grant_first_payments_sql)
    package static let insertFinishJobs = SQLFile("insert_finish_jobs", PackageResources.insert_finish_jobs_sql)
    package static let insertGrants = SQLFile("insert_grants", PackageResources.insert_grants_sql)
    package static let keepProofs = SQLFile("keep_proofs", PackageResources.keep_proofs_sql)
    package static let lockOwnOrders = SQLFile("lock_own_orders", PackageResources.lock_own_orders_sql)
    package static let lockSettlingJobs = SQLFile("lock_settling_jobs", PackageResources.lock_settling_jobs_sql)
    package static let readPayments = SQLFile("read_payments", PackageResources.read_payments_sql)
    package static let settleOrders = SQLFile("settle_orders", PackageResources.settle_orders_sql)
    package static let settleStayingJobs = SQLFile("settle_staying_jobs", PackageResources.settle_staying_jobs_sql)

    private static let settling = [
        appendAttempts, awaitRenewals, endJobs, grantFirstPayments, insertFinishJobs, insertGrants, keepProofs, lockOwnOrders,
        lockSettlingJobs, readPayments, settleOrders, settleStayingJobs,
    ]

    // MARK: - notifications: what Apple tells

    package static let askForCatchUps = SQLFile("ask_for_catch_ups", PackageResources.ask_for_catch_ups_sql)
    package static let endCatchUp = SQLFile("end_catch_up", PackageResources.end_catch_up_sql)
    package static let findSilentSubscriptions = SQLFile(
        "find_silent_subscriptions", PackageResources.find_silent_subscriptions_sql)
    package static let pruneNotifications = SQLFile("prune_notifications", PackageResources.prune_notifications_sql)
    package static let recordAccesses = SQLFile("record_accesses", PackageResources.record_accesses_sql)
    package static let recordConsumptionRequests = SQLFile(
        "record_consumption_requests", PackageResources.record_consumption_requests_sql)
    package static let recordNotifications = SQLFile("record_notifications", PackageResources.record_notifications_sql)
    package static let recordPeriodEnds = SQLFile("record_period_ends", PackageResources.record_period_ends_sql)
    package static let recordSubscriptions = SQLFile("record_subscriptions", PackageResources.record_subscriptions_sql)
    package static let replayNotifications = SQLFile("replay_notifications", PackageResources.replay_notifications_sql)
    package static let requeueDeniedNotifications = SQLFile(
        "requeue_denied_notifications", PackageResources.requeue_denied_notifications_sql)
    package static let requeueRenewals = SQLFile("requeue_renewals", PackageResources.requeue_renewals_sql)
    package static let settleConsumptionAnswer = SQLFile(
        "settle_consumption_answer", PackageResources.settle_consumption_answer_sql)
    package static let takeCatchUp = SQLFile("take_catch_up", PackageResources.take_catch_up_sql)
    package static let takeConsumptionAnswer = SQLFile(
        "take_consumption_answer", PackageResources.take_consumption_answer_sql)
    package static let takePage = SQLFile("take_page", PackageResources.take_page_sql)

    private static let notifications = [
        askForCatchUps, endCatchUp, findSilentSubscriptions, pruneNotifications, recordAccesses, recordConsumptionRequests,
        recordNotifications, recordPeriodEnds,
        recordSubscriptions, replayNotifications, requeueDeniedNotifications, requeueRenewals, settleConsumptionAnswer,
        takeCatchUp, takeConsumptionAnswer, takePage,
    ]

    // MARK: - finding: orders whose client never came back

    package static let uploadFoundPayments = SQLFile("upload_found_payments", PackageResources.upload_found_payments_sql)

    private static let finding = [uploadFoundPayments]

    // MARK: - payments: what a settlement records of refunds, and of payments that were not granted

    package static let insertPayments = SQLFile("insert_payments", PackageResources.insert_payments_sql)
    package static let insertWords = SQLFile("insert_words", PackageResources.insert_words_sql)
    package static let lockOriginals = SQLFile("lock_originals", PackageResources.lock_originals_sql)
    package static let lockPayments = SQLFile("lock_payments", PackageResources.lock_payments_sql)
    package static let settlePayments = SQLFile("settle_payments", PackageResources.settle_payments_sql)

    private static let payments = [
        insertPayments, insertWords, lockOriginals, lockPayments, settlePayments,
    ]

    // MARK: - gates: which lanes are open, and when calls may start

    package static let closeGate = SQLFile("close_gate", PackageResources.close_gate_sql)
    package static let failProbe = SQLFile("fail_probe", PackageResources.fail_probe_sql)
    package static let findRefusedCredentials = SQLFile(
        "find_refused_credentials", PackageResources.find_refused_credentials_sql)
    package static let findUnfoundPayments = SQLFile("find_unfound_payments", PackageResources.find_unfound_payments_sql)
    package static let listGates = SQLFile("list_gates", PackageResources.list_gates_sql)
    package static let noteAcceptance = SQLFile("note_acceptance", PackageResources.note_acceptance_sql)
    package static let noteRefusal = SQLFile("note_refusal", PackageResources.note_refusal_sql)
    package static let noteUnfoundPayment = SQLFile("note_unfound_payment", PackageResources.note_unfound_payment_sql)
    package static let openGate = SQLFile("open_gate", PackageResources.open_gate_sql)
    package static let reserveCalls = SQLFile("reserve_calls", PackageResources.reserve_calls_sql)
    package static let takeProbes = SQLFile("take_probes", PackageResources.take_probes_sql)

    private static let gates = [
        closeGate, failProbe, findRefusedCredentials, findUnfoundPayments, listGates, noteAcceptance, noteRefusal,
        noteUnfoundPayment, openGate, reserveCalls, takeProbes,
    ]

    // MARK: - workers: what a worker does beside its jobs

    package static let beatWorker = SQLFile("beat_worker", PackageResources.beat_worker_sql)
    package static let bringTimesBack = SQLFile("bring_times_back", PackageResources.bring_times_back_sql)
    package static let callDropOldAttempts = SQLFile("call_drop_old_attempts", PackageResources.call_drop_old_attempts_sql)
    package static let callDropOldChanges = SQLFile("call_drop_old_changes", PackageResources.call_drop_old_changes_sql)
    package static let callMakePartitions = SQLFile("call_make_partitions", PackageResources.call_make_partitions_sql)
    package static let findRisingRejections = SQLFile(
        "find_rising_rejections", PackageResources.find_rising_rejections_sql)
    package static let measureQueue = SQLFile("measure_queue", PackageResources.measure_queue_sql)
    package static let pruneProofs = SQLFile("prune_proofs", PackageResources.prune_proofs_sql)
    package static let registerWorker = SQLFile("register_worker", PackageResources.register_worker_sql)
    package static let removeWorker = SQLFile("remove_worker", PackageResources.remove_worker_sql)
    package static let reviewAwaitedRenewals = SQLFile(
        "review_awaited_renewals", PackageResources.review_awaited_renewals_sql)

    private static let workers = [
        beatWorker, bringTimesBack, callDropOldAttempts, callDropOldChanges, callMakePartitions, findRisingRejections, measureQueue,
        pruneProofs,
        registerWorker, removeWorker, reviewAwaitedRenewals,
    ]

    // MARK: - feed: how a backend learns what changed

    package static let callAdoptChanges = SQLFile("call_adopt_changes", PackageResources.call_adopt_changes_sql)
    package static let callChangesFrom = SQLFile("call_changes_from", PackageResources.call_changes_from_sql)
    package static let callChangesFromCursor = SQLFile(
        "call_changes_from_cursor", PackageResources.call_changes_from_cursor_sql)
    package static let callChangesSince = SQLFile("call_changes_since", PackageResources.call_changes_since_sql)
    package static let callTellSubscriptions = SQLFile(
        "call_tell_subscriptions", PackageResources.call_tell_subscriptions_sql)
    package static let signalChanges = SQLFile("signal_changes", PackageResources.signal_changes_sql)
    package static let tellBroughtPayments = SQLFile("tell_brought_payments", PackageResources.tell_brought_payments_sql)
    package static let tellKeptPayments = SQLFile("tell_kept_payments", PackageResources.tell_kept_payments_sql)

    private static let feed = [
        callAdoptChanges, callChangesFrom, callChangesFromCursor, callChangesSince, callTellSubscriptions, signalChanges,
        tellBroughtPayments, tellKeptPayments,
    ]

    // MARK: - counting: the roll-ups

    package static let callPruneRollUps = SQLFile("call_prune_roll_ups", PackageResources.call_prune_roll_ups_sql)
    package static let callRollUp = SQLFile("call_roll_up", PackageResources.call_roll_up_sql)

    private static let counting = [callPruneRollUps, callRollUp]

    // MARK: - operator: what operators look for and change

    package static let callDecideConsumptionRequest = SQLFile(
        "call_decide_consumption_request", PackageResources.call_decide_consumption_request_sql)
    package static let callForgetAccount = SQLFile("call_forget_account", PackageResources.call_forget_account_sql)
    package static let callMoveAccount = SQLFile("call_move_account", PackageResources.call_move_account_sql)
    package static let callTakeProof = SQLFile("call_take_proof", PackageResources.call_take_proof_sql)
    package static let callTransferOrder = SQLFile("call_transfer_order", PackageResources.call_transfer_order_sql)
    package static let cancelJob = SQLFile("cancel_job", PackageResources.cancel_job_sql)
    package static let countJobs = SQLFile("count_jobs", PackageResources.count_jobs_sql)
    package static let countProofs = SQLFile("count_proofs", PackageResources.count_proofs_sql)
    package static let discardJobs = SQLFile("discard_jobs", PackageResources.discard_jobs_sql)
    package static let findGrant = SQLFile("find_grant", PackageResources.find_grant_sql)
    package static let findPayments = SQLFile("find_payments", PackageResources.find_payments_sql)
    package static let findRevocationsInForce = SQLFile(
        "find_revocations_in_force", PackageResources.find_revocations_in_force_sql)
    package static let findUnclaimedTransaction = SQLFile(
        "find_unclaimed_transaction", PackageResources.find_unclaimed_transaction_sql)
    package static let insertApp = SQLFile("insert_app", PackageResources.insert_app_sql)
    package static let insertOrderEvent = SQLFile("insert_order_event", PackageResources.insert_order_event_sql)
    package static let insertProduct = SQLFile("insert_product", PackageResources.insert_product_sql)
    package static let insertSandboxAccount = SQLFile("insert_sandbox_account", PackageResources.insert_sandbox_account_sql)
    package static let listJobIDs = SQLFile("list_job_ids", PackageResources.list_job_ids_sql)
    package static let lockOrder = SQLFile("lock_order", PackageResources.lock_order_sql)
    package static let lockOrders = SQLFile("lock_orders", PackageResources.lock_orders_sql)
    package static let readProduct = SQLFile("read_product", PackageResources.read_product_sql)
    package static let requeueProofs = SQLFile("requeue_proofs", PackageResources.requeue_proofs_sql)
    package static let restoreOrder = SQLFile("restore_order", PackageResources.restore_order_sql)
    package static let retryJobs = SQLFile("retry_jobs", PackageResources.retry_jobs_sql)

    private static let `operator` = [
        callDecideConsumptionRequest, callForgetAccount, callMoveAccount, callTakeProof, callTransferOrder, cancelJob, countJobs,
        countProofs, discardJobs,
        findGrant, findPayments, findRevocationsInForce, findUnclaimedTransaction, insertApp, insertOrderEvent, insertProduct,
        insertSandboxAccount, listJobIDs, lockOrder, lockOrders, readProduct, requeueProofs, restoreOrder, retryJobs,
    ]

    // MARK: - show: what commands show

    package static let callCustomerAccounts = SQLFile(
        "call_customer_accounts", PackageResources.call_customer_accounts_sql)
    package static let callCustomerPayments = SQLFile(
        "call_customer_payments", PackageResources.call_customer_payments_sql)
    package static let callFindAnything = SQLFile("call_find_anything", PackageResources.call_find_anything_sql)
    package static let callMovesOfAccount = SQLFile("call_moves_of_account", PackageResources.call_moves_of_account_sql)
    package static let callNextStep = SQLFile("call_next_step", PackageResources.call_next_step_sql)
    package static let callOrdersOfAccount = SQLFile("call_orders_of_account", PackageResources.call_orders_of_account_sql)
    package static let callPreviewOfAccount = SQLFile(
        "call_preview_of_account", PackageResources.call_preview_of_account_sql)
    package static let callReviewCauses = SQLFile("call_review_causes", PackageResources.call_review_causes_sql)
    package static let countTokens = SQLFile("count_tokens", PackageResources.count_tokens_sql)
    package static let findOrdersOfTransactions = SQLFile(
        "find_orders_of_transactions", PackageResources.find_orders_of_transactions_sql)
    package static let findSilentApps = SQLFile("find_silent_apps", PackageResources.find_silent_apps_sql)
    package static let findTestNotification = SQLFile(
        "find_test_notification", PackageResources.find_test_notification_sql)
    package static let listApps = SQLFile("list_apps", PackageResources.list_apps_sql)
    package static let listConsumption = SQLFile("list_consumption", PackageResources.list_consumption_sql)
    package static let listJobs = SQLFile("list_jobs", PackageResources.list_jobs_sql)
    package static let listNotifications = SQLFile("list_notifications", PackageResources.list_notifications_sql)
    package static let listOrders = SQLFile("list_orders", PackageResources.list_orders_sql)
    package static let listOrdersThatName = SQLFile("list_orders_that_name", PackageResources.list_orders_that_name_sql)
    package static let listProducts = SQLFile("list_products", PackageResources.list_products_sql)
    package static let previewConsumptionAnswer = SQLFile(
        "preview_consumption_answer", PackageResources.preview_consumption_answer_sql)
    package static let previewTransfer = SQLFile("preview_transfer", PackageResources.preview_transfer_sql)
    package static let readAppRoutes = SQLFile("read_app_routes", PackageResources.read_app_routes_sql)
    package static let readHealth = SQLFile("read_health", PackageResources.read_health_sql)
    package static let readMovedAccount = SQLFile("read_moved_account", PackageResources.read_moved_account_sql)
    package static let readOverview = SQLFile("read_overview", PackageResources.read_overview_sql)
    package static let readRecentMinutes = SQLFile("read_recent_minutes", PackageResources.read_recent_minutes_sql)
    package static let showAttempts = SQLFile("show_attempts", PackageResources.show_attempts_sql)
    package static let showJob = SQLFile("show_job", PackageResources.show_job_sql)
    package static let showNotification = SQLFile("show_notification", PackageResources.show_notification_sql)
    package static let showOrder = SQLFile("show_order", PackageResources.show_order_sql)
    package static let showOrderEvents = SQLFile("show_order_events", PackageResources.show_order_events_sql)
    package static let showOrderStory = SQLFile("show_order_story", PackageResources.show_order_story_sql)
    package static let showPayment = SQLFile("show_payment", PackageResources.show_payment_sql)
    package static let showSubscriptions = SQLFile("show_subscriptions", PackageResources.show_subscriptions_sql)

    private static let show = [
        callCustomerAccounts, callCustomerPayments, callFindAnything, callMovesOfAccount, callNextStep, callOrdersOfAccount,
        callPreviewOfAccount, callReviewCauses, countTokens, findOrdersOfTransactions, findSilentApps, findTestNotification,
        listApps, listConsumption, listJobs, listNotifications, listOrders, listOrdersThatName, listProducts,
        previewConsumptionAnswer, previewTransfer, readAppRoutes, readHealth, readMovedAccount, readOverview, readRecentMinutes,
        showAttempts, showJob, showNotification, showOrder, showOrderEvents, showOrderStory, showPayment, showSubscriptions,
    ]

    // MARK: - migrating: migrations, and the session that they run in

    package static let endReaders = SQLFile("end_readers", PackageResources.end_readers_sql)
    package static let findDefinitionDifferences = SQLFile(
        "find_definition_differences", PackageResources.find_definition_differences_sql)
    package static let findIndexMaker = SQLFile("find_index_maker", PackageResources.find_index_maker_sql)
    package static let findLockHolders = SQLFile("find_lock_holders", PackageResources.find_lock_holders_sql)
    package static let findMigrations = SQLFile("find_migrations", PackageResources.find_migrations_sql)
    package static let findSnapshotHolders = SQLFile("find_snapshot_holders", PackageResources.find_snapshot_holders_sql)
    package static let findViewLocks = SQLFile("find_view_locks", PackageResources.find_view_locks_sql)
    package static let insertMigration = SQLFile("insert_migration", PackageResources.insert_migration_sql)
    package static let inspectServer = SQLFile("inspect_server", PackageResources.inspect_server_sql)
    package static let inspectSession = SQLFile("inspect_session", PackageResources.inspect_session_sql)
    package static let limitIndexWaits = SQLFile("limit_index_waits", PackageResources.limit_index_waits_sql)
    package static let lockMigrations = SQLFile("lock_migrations", PackageResources.lock_migrations_sql)
    package static let nameRole = SQLFile("name_role", PackageResources.name_role_sql)
    package static let readMigrations = SQLFile("read_migrations", PackageResources.read_migrations_sql)
    package static let recordDefinitions = SQLFile("record_definitions", PackageResources.record_definitions_sql)
    package static let setCheckTimeout = SQLFile("set_check_timeout", PackageResources.set_check_timeout_sql)
    package static let setLockTimeout = SQLFile("set_lock_timeout", PackageResources.set_lock_timeout_sql)
    package static let tryLockIndexes = SQLFile("try_lock_indexes", PackageResources.try_lock_indexes_sql)
    package static let unlockIndexes = SQLFile("unlock_indexes", PackageResources.unlock_indexes_sql)

    private static let migrating = [
        endReaders, findDefinitionDifferences, findIndexMaker, findLockHolders, findMigrations, findSnapshotHolders, findViewLocks,
        insertMigration, inspectServer, inspectSession, limitIndexWaits, lockMigrations, nameRole, readMigrations,
        recordDefinitions, setCheckTimeout, setLockTimeout, tryLockIndexes, unlockIndexes,
    ]

    // MARK: - roles: their settings, what they may do, and what doctor finds of it

    package static let callMakeRoleSettings = SQLFile(
        "call_make_role_settings", PackageResources.call_make_role_settings_sql)
    package static let findLostPrivileges = SQLFile("find_lost_privileges", PackageResources.find_lost_privileges_sql)
    package static let findMissingPrivileges = SQLFile("find_missing_privileges", PackageResources.find_missing_privileges_sql)
    package static let findOpenSchemas = SQLFile("find_open_schemas", PackageResources.find_open_schemas_sql)
    package static let findOtherTriggers = SQLFile("find_other_triggers", PackageResources.find_other_triggers_sql)
    package static let findOwnerChanges = SQLFile("find_owner_changes", PackageResources.find_owner_changes_sql)
    package static let findPrivilegeDifferences = SQLFile(
        "find_privilege_differences", PackageResources.find_privilege_differences_sql)
    package static let findPrivilegeRevocations = SQLFile(
        "find_privilege_revocations", PackageResources.find_privilege_revocations_sql)
    package static let findRoleSettings = SQLFile("find_role_settings", PackageResources.find_role_settings_sql)
    package static let findSuperuser = SQLFile("find_superuser", PackageResources.find_superuser_sql)
    package static let inheritMadeRoles = SQLFile("inherit_made_roles", PackageResources.inherit_made_roles_sql)
    package static let recordPrivileges = SQLFile("record_privileges", PackageResources.record_privileges_sql)

    private static let roles = [
        callMakeRoleSettings, findLostPrivileges, findMissingPrivileges, findOpenSchemas, findOtherTriggers, findOwnerChanges,
        findPrivilegeDifferences, findPrivilegeRevocations, findRoleSettings, findSuperuser, inheritMadeRoles, recordPrivileges,
    ]
}
