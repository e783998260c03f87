// SPDX-License-Identifier: Apache-2.0

/// Every metric of a worker, and of a deliverer. Their names are an interface: rules for alerts and boards use them.
extension Metric {
    package static let all = program + queue + work + settling + appStore + database + webhooks

    // MARK: The program

    package static let buildInfo = Metric(
        "build_info", .gauge, labels: ["version"], "Always 1; the label says which version of the program runs.")
    static let ready = Metric(
        "ready", .gauge, "1 when this worker has claimed and the database answers it, 0 while it waits or drains.")
    static let lastClaim = Metric(
        "last_claim_timestamp_seconds", .gauge,
        "When this worker's last claim was answered, by its own clock; 0 before.")
    static let lastHeartbeat = Metric(
        "last_heartbeat_timestamp_seconds", .gauge,
        "When this worker last wrote its sign of life, by its own clock; 0 before.")

    private static let program = [buildInfo, ready, lastClaim, lastHeartbeat]

    // MARK: The queue, as the database has it; the same from every worker

    static let jobs = Metric(
        "jobs", .gauge, labels: ["state", "reason"],
        """
        Jobs in the queue: available, scheduled for later, parked behind a closed gate, running, or discarded \
        (given up, for a person to look at), and why. Of one state, and of what waits behind gates of one kind, no more \
        than 10000 are counted.
        """)
    static let oldestJobAge = Metric(
        "oldest_job_age_seconds", .gauge, labels: ["state"],
        "How long the longest-waiting due job has waited, where its gate is open (available) or closed (parked)."
    )
    static let callsReservedAhead = Metric(
        "calls_reserved_ahead_seconds", .gauge, labels: ["endpoint", "environment"],
        "How far ahead the time slots of the most loaded budget of calls are taken.")
    static let storedProofs = Metric(
        "stored_proofs_bytes", .gauge, labels: ["table"],
        "Bytes on the disk of the tables that hold proofs, with their indexes: jobs (the queue) and proofs (those kept).")
    static let risingRejections = Metric(
        "rising_rejections", .gauge, labels: ["reason"],
        """
        Accounts whose proofs were rejected for this reason in the last hour or day, of apps where they are more than chance explains \
        beside the time before; 0 where there is no such app.
        """)
    static let queueReadAt = Metric(
        "queue_read_timestamp_seconds", .gauge, "When this worker last counted the queue, by its own clock; 0 before.")

    private static let queue = [jobs, oldestJobAge, callsReservedAhead, storedProofs, risingRejections, queueReadAt]

    // MARK: Work

    static let slots = Metric("slots", .gauge, "Jobs that this worker executes at once, at most.")
    static let runningJobs = Metric("running_jobs", .gauge, "Jobs that this worker executes now.")
    static let unsettledAttempts = Metric(
        "unsettled_attempts", .gauge, "Attempts that have finished here and aren't settled yet.")
    static let proofBytes = Metric("proof_bytes", .gauge, "Bytes of proofs that this worker holds.")
    static let gates = Metric(
        "gates", .gauge, labels: ["route", "environment", "state"],
        "Gates by what they are: open, or closed by breaker, budget, configuration or operator.")
    static let claims = Metric(
        "claims_total", .counter, labels: ["result", "reason"],
        """
        Claims that brought jobs, were empty, or failed, by the wake-up that came first: signalled (a backend or a rescue \
        made jobs available), polled (the poll timer), room_made (slots came free after a claim that hit a limit), timer \
        (a pause after such a claim ended), or probe (a closed gate is probed; the claim of the probe itself is not counted).
        """)
    static let claimedJobs = Metric("claimed_jobs_total", .counter, "Jobs that this worker claimed.")
    static let claimDuration = Metric(
        "claim_duration_seconds", .histogram(bounds: statement), "How long claims took that the database answered.")
    static let rescuedLeases = Metric(
        "rescued_leases_total", .counter, "Leases of any worker that ran out and were rescued by this one.")
    static let isolatedAttempts = Metric(
        "isolated_attempts_total", .counter, labels: ["result"],
        """
        Attempts in a process of their own, of jobs that were rescued before: settled, handed back, or crashed. What \
        such a process settles is in no other metric.
        """)

    private static let work = [
        slots, runningJobs, unsettledAttempts, proofBytes, gates, claims, claimedJobs, claimDuration, rescuedLeases,
        isolatedAttempts,
    ]

    // MARK: Settling

    static let settlements = Metric(
        "settlements_total", .counter, labels: ["result"],
        "Batches of attempts that were settled, or failed and were sent again.")
    static let settlementDuration = Metric(
        "settlement_duration_seconds", .histogram(bounds: statement), "How long it took to settle a batch.")
    static let settlementPaths = Metric(
        "settlement_paths_total", .counter, labels: ["path"],
        """
        Settled attempts, by their statements: short (one statement grants what the ledger has no word of) or careful (all \
        others).
        """)
    static let attempts = Metric(
        "attempts_total", .counter, labels: ["disposition", "reason"],
        "Settled attempts, by what became of the job and why.")
    static let orders = Metric(
        "settled_orders_total", .counter, labels: ["outcome"], "Settled attempts, by what they did to the order.")
    static let grants = Metric(
        "grants_total", .counter, labels: ["environment"], "Payments that were granted to an order.")
    static let duplicatesPrevented = Metric(
        "duplicates_prevented_total", .counter, labels: ["reason"],
        "Genuine payments that were not granted again: to whom they had been granted, or that the order was paid."
    )
    static let partlyRefundedGrants = Metric(
        "partly_refunded_grants_total", .counter,
        "Attempts by which the ledger learnt that a part of a granted payment was refunded. A repetition doesn't count.")
    static let notifications = Metric(
        "notifications_total", .counter, labels: ["outcome"],
        "Notifications of Apple's that were settled: recorded in the ledger, stored without effect, odd because Apple signed what can't be read, denied because the app doesn't take this sandbox purchase, or refused because Apple didn't sign them."
    )
    static let staleSettlements = Metric(
        "stale_settlements_total", .counter, "Attempts whose lease was lost, so that nothing was written for them.")
    static let fulfilmentLatency = Metric(
        "fulfilment_latency_seconds", .histogram(bounds: latency),
        "Time from the insert of a job to the commit that fulfilled its order.")

    private static let settling = [
        settlements, settlementDuration, settlementPaths, attempts, orders, grants, duplicatesPrevented, partlyRefundedGrants,
        notifications, staleSettlements, fulfilmentLatency,
    ]

    // MARK: The App Store

    static let appStoreCalls = Metric(
        "app_store_call_duration_seconds", .histogram(bounds: call), labels: ["endpoint", "environment", "result"],
        """
        How long calls to Apple took, by how they ended: answered, failed, limited (called too often), or \
        misconfigured (our secret or key is missing or refused).
        """)

    private static let appStore = [appStoreCalls]

    // MARK: The database

    static let connections = Metric(
        "database_connections", .gauge, labels: ["state"],
        "This worker's connections: idle, lent, or being opened.")

    private static let database = [connections]

    // MARK: Webhooks, which workers send

    package static let webhookEndpoints = Metric(
        "webhook_endpoints", .gauge, labels: ["state"],
        """
        Endpoints of webhooks, as the database has them: on, stopped (nothing new is read), switched_off (by an operator), or lost \
        (off, and nobody switched it off).
        """
    )
    package static let webhookEvents = Metric(
        "webhook_events", .gauge, labels: ["state"],
        "Events on their way to endpoints, as the database has them: waiting, or given_up until somebody sends them again.")
    package static let webhookLag = Metric(
        "webhook_lag_seconds", .gauge,
        "The age of the oldest change that an endpoint wasn't told, of the endpoint that is furthest behind and not switched off.")
    package static let webhookCalls = Metric(
        "webhook_calls_total", .counter, labels: ["result"],
        "Calls of this worker to endpoints: handled, failed, slow (asked to slow down), gone (410), or released (ended from here).")

    private static let webhooks = [webhookEndpoints, webhookEvents, webhookLag, webhookCalls]

    // MARK: A program that delivers (counterfoil deliver)

    package static let ofDeliverers = [
        buildInfo, delivererReady, waitingChanges, oldestWaitingChange, deliveriesPaused, deliveryLag, deliveries,
    ]

    package static let delivererReady = Metric(
        "deliverer_ready", .gauge, "1 when this deliverer works or stands by, and the database answers it.")
    package static let waitingChanges = Metric(
        "waiting_changes", .gauge, "Changes whose delivery failed, and later ones of their orders, which wait behind them.")
    package static let oldestWaitingChange = Metric(
        "oldest_waiting_change_age_seconds", .gauge, "How long the oldest waiting change has waited; 0 without one.")
    package static let deliveriesPaused = Metric(
        "deliveries_paused", .gauge, "1 while so many deliveries failed in a row that nothing new is delivered.")
    package static let deliveryLag = Metric(
        "delivery_lag_seconds", .gauge, "The age of the oldest change in hand; 0 when the last read brought all there was.")
    package static let deliveries = Metric(
        "deliveries_total", .counter, labels: ["result"], "Changes that were delivered, and deliveries that failed.")

    // MARK: A program that answers over HTTP (counterfoil gateway)

    package static let ofGateways = [buildInfo, gatewayReady, gatewayWaits, gatewayCertificateEnd, gatewayRequests]

    package static let gatewayReady = Metric(
        "gateway_ready", .gauge, "1 when this gateway listens, and the database answers it.")
    package static let gatewayWaits = Metric("gateway_waits", .gauge, "Requests that wait for news of an order.")
    package static let gatewayCertificateEnd = Metric(
        "gateway_certificate_not_after_timestamp_seconds", .gauge, labels: ["listener"],
        "When the certificate that a listener shows ends, of listeners with TLS.")
    package static let gatewayRequests = Metric(
        "gateway_requests_total", .counter, labels: ["route", "status"],
        "Requests that were answered, by the first digit of the status; refused ones without a route have the route unknown.")

    // MARK: Buckets, in seconds

    /// Of statements.
    private static let statement = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
    /// Of calls to Apple, whose deadline is 40 s.
    private static let call = [0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 2, 5, 10, 20, 40]
    /// From the poll's own delay to days of an outage.
    private static let latency = [
        0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 43_200, 172_800,
    ]
}
