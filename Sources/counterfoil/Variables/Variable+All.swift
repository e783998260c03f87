// SPDX-License-Identifier: Apache-2.0

import AppStore
import FoundationEssentials
import Logging
import Observability
import Verification
import VerificationQueue

extension Variable {
    /// Every variable that the program reads: what the help prints, and what the packaged defaults list.
    static let all = database + worker + retries + breaker + appStore + program

    private static let database = [
        Variable(
            databaseURL, .database, default: nil, allowed: "a connection URI of libpq, postgresql://user@host/database",
            meaning: """
                The database. Several hosts and target_session_attrs=read-write follow a failover. A file \
                postgres-password among the credentials holds the password; it goes over the URI's.
                """,
            isSecret: true
        ) { value, settings in
            settings.databaseURL = value
            return true
        },
        Variable(
            listenURL, .database, default: nil, allowed: "a connection URI of libpq, postgresql://user@host/database",
            meaning: "A direct connection for migrate and for notifications, where a pooler stands before the database.",
            isSecret: true
        ) { value, settings in
            settings.listenURL = value
            return true
        },
        Variable(
            "LISTEN", .database, default: "yes", allowed: "yes or no",
            meaning: "Whether a worker listens for notifications of new jobs. Without it the poll finds them, a little later."
        ) { value, settings in
            switch value {
            case "yes": settings.listens = true
            case "no": settings.listens = false
            default: return false
            }
            return true
        },
    ]

    private static let worker: [Variable] = [
        .count(
            "SLOTS", .worker, \.worker.slots, 1...10_000,
            "Jobs that are executed at once; no lane gets more than half of them."),
        .duration(
            "LEASE_DURATION", .worker, \.worker.leaseDuration, .seconds(2)...(.seconds(3600)),
            "How long a claimed job is the worker's. At least 5s above the attempt's deadline, or twice as long."),
        .duration(
            "ATTEMPT_DEADLINE", .worker, \.worker.attemptDeadline, .seconds(1)...(.seconds(3000)),
            "An attempt ends that long after its claim, whatever Apple does."),
        .duration(
            "POLL_INTERVAL", .worker, \.worker.pollInterval, .milliseconds(5)...(.seconds(60)),
            "How often an idle worker looks for jobs, at most."),
        .duration(
            "RESCUE_INTERVAL", .worker, \.worker.rescueInterval, .milliseconds(100)...(.seconds(600)),
            "How often leases that ran out are looked for."),
        .duration(
            "GATE_INTERVAL", .worker, \.worker.gateInterval, .milliseconds(50)...(.seconds(60)),
            "How often gates are read: how soon a gate that another closed or opened is seen."),
        .duration(
            "HEARTBEAT_INTERVAL", .worker, \.worker.heartbeatInterval, .seconds(1)...(.seconds(30)),
            "How often a worker writes its sign of life; it counts as silent after a minute without."),
        .duration(
            "MAINTENANCE_INTERVAL", .worker, \.worker.maintenanceInterval, .seconds(60)...(.seconds(86_400)),
            "How often partitions are made ahead, and what is past its retention is removed."),
        .duration(
            "MEASURE_INTERVAL", .worker, \.worker.measureInterval, .seconds(1)...(.seconds(120)),
            "How often the queue is counted for metrics, where they can be read."),
        .duration(
            "PROOF_RETENTION", .worker, \.worker.proofRetention, .seconds(86_400)...(.seconds(3650 * 86_400)),
            "How long the proofs of rejected, reviewed and refunded orders are kept."),
        .duration(
            "ATTEMPT_RETENTION", .worker, \.worker.attemptRetention, .seconds(31 * 86_400)...(.seconds(3650 * 86_400)),
            "How long the history of attempts is kept; it is dropped by the month."),
        .duration(
            "ROLL_UP_INTERVAL", .worker, \.worker.rollUpInterval, .seconds(1)...(.seconds(300)),
            "How often minutes that are over are counted for the dashboards."),
        .duration(
            "MINUTE_RETENTION", .worker, \.worker.minuteRetention, .seconds(8 * 86_400)...(.seconds(365 * 86_400)),
            "How long the dashboards' counts by the minute are kept."),
        .duration(
            "HOUR_RETENTION", .worker, \.worker.hourRetention, .seconds(31 * 86_400)...(.seconds(3650 * 86_400)),
            "How long the dashboards' counts by the hour are kept."),
        .duration(
            "DRAIN_DURATION", .worker, \.worker.drainDuration, .zero...(.seconds(3600)),
            "How long running attempts may take at a stop before they are handed back."),
        .byteCount(
            "PROOF_BYTES", .worker, \.worker.proofBytes, (1 << 20)...(16 << 30),
            "The most bytes of proofs that are held at once."),
        .count("CLAIM_BATCH", .worker, \.worker.claimBatch, 1...1000, "The most jobs that one claim takes."),
        .count(
            "SETTLEMENT_BATCH", .worker, \.worker.settlementBatch, 1...1000,
            "The most attempts that one settlement ends."),
        .duration(
            "SETTLEMENT_DELAY", .worker, \.worker.settlementDelay, .zero...(.seconds(1)),
            "How long finished attempts wait for others to settle with them, under load."),
        .count(
            "SETTLERS", .worker, \.worker.settlers, 1...16,
            "Settlements at once. A worker uses two database connections more than that, and one that listens."),
        .count(
            "RESCUES_BEFORE_ISOLATION", .worker, \.worker.rescuesBeforeIsolation, 1...100,
            "From this many rescues on, a job is attempted in a process of its own."),
        .count(
            "ISOLATED_ATTEMPTS", .worker, \.worker.isolatedAttempts, 1...64, "Processes for single attempts at once."),
        .count(
            "CRASH_LIMIT", .worker, \.worker.crashLimit, 1...100, "Crashes in a process of its own that end a job."),
    ]

    private static let retries: [Variable] = [
        .duration(
            "RETRY_BACKOFF_BASE", .retries, \.worker.retry.backoff.base, .milliseconds(10)...(.seconds(3600)),
            "The longest delay after the first failed attempt; it doubles from attempt to attempt."),
        .duration(
            "RETRY_BACKOFF_CAP", .retries, \.worker.retry.backoff.cap, .milliseconds(10)...(.seconds(86_400)),
            "The longest delay between attempts."),
        .duration(
            "RETRY_HORIZON", .retries, \.worker.retry.horizon, .seconds(1)...(.seconds(90 * 86_400)),
            "A job that failed for so long, because Apple could not be reached or the database refuses it, is left to a person."),
        .count(
            "RETRY_LEAST_ATTEMPTS", .retries, \.worker.retry.leastAttempts, 1...1000,
            "Attempts that it has in any case before that: it may have been parked for longer."),
        .duration(
            "LONGEST_RETRY_AFTER", .retries, \.worker.retry.longestRetryAfter, .zero...(.seconds(86_400)),
            "The longest wait that Apple may ask for."),
        .duration(
            "UNCERTAIN_BACKOFF_BASE", .retries, \.worker.retry.uncertainBackoff.base,
            .milliseconds(10)...(.seconds(3600)),
            "As RETRY_BACKOFF_BASE, after an answer that may be a fault of Apple's."),
        .duration(
            "UNCERTAIN_BACKOFF_CAP", .retries, \.worker.retry.uncertainBackoff.cap,
            .milliseconds(10)...(.seconds(86_400)), "As RETRY_BACKOFF_CAP, after such an answer."),
        .count(
            "UNCERTAIN_ATTEMPTS", .retries, \.worker.retry.uncertainAttempts, 1...100,
            "How many such answers it takes until the last is taken at its word; other failures don't count."),
        .duration(
            "MISSING_DELAY", .retries, \.worker.retry.missingDelay, .milliseconds(100)...(.seconds(86_400)),
            "The shortest delay before a purchase that Apple doesn't show is looked for again."),
        .duration(
            "MISSING_CAP", .retries, \.worker.retry.missingCap, .milliseconds(100)...(.seconds(86_400)),
            "The longest such delay. A look that comes after more than twice as long, as after an outage, is followed by another."),
        .duration(
            "MISSING_HORIZON", .retries, \.worker.retry.missingHorizon, .seconds(1)...(.seconds(90 * 86_400)),
            "So long after the first look a purchase that isn't there is given up, however old its job is."),
    ]

    private static let breaker: [Variable] = [
        .duration(
            "BREAKER_WINDOW", .breaker, \.worker.breaker.window, .seconds(1)...(.seconds(3600)),
            "The time that is looked back on. A gate closes when all of the following is so within it, or all but the share "
                + "and 20 calls in a row failed."),
        .count("BREAKER_FAILURES", .breaker, \.worker.breaker.failures, 1...100_000, "So many calls failed."),
        .share(
            "BREAKER_FAILED_SHARE", .breaker, \.worker.breaker.failedShare, "They were such a part of all calls."),
        .count(
            "BREAKER_ACCOUNTS", .breaker, \.worker.breaker.accounts, 1...10_000,
            "They belonged to so many accounts."),
    ]

    private static let appStore: [Variable] = [
        .address("VERIFY_RECEIPT_PRODUCTION_URL", \.appStore.productionReceiptURL, "Apple's host for receipts."),
        .address(
            "VERIFY_RECEIPT_SANDBOX_URL", \.appStore.sandboxReceiptURL, "Apple's host for receipts of the sandbox."),
        .address("SERVER_API_PRODUCTION_URL", \.appStore.productionAPIURL, "Apple's host for transactions."),
        .address(
            "SERVER_API_SANDBOX_URL", \.appStore.sandboxAPIURL, "Apple's host for transactions of the sandbox."),
        Variable(
            tlsRoots, .appStore, default: nil, allowed: "a file of certificates in PEM",
            meaning: "Authorities trusted for TLS beside the system's, for a simulator or a proxy."
        ) { value, settings in
            settings.appStore.additionalTLSRoots = value
            return true
        },
        Variable(
            extraRoots, .appStore, default: nil, allowed: "file.der=bundle1,bundle2;other.der=bundle3",
            meaning: """
                Root certificates trusted for signed transactions beside Apple's, each for the apps named. Whoever \
                holds their keys can make purchases up: every start warns of them.
                """
        ) { value, settings in
            guard let roots = ExtraRootFile.parse(value) else { return false }
            settings.extraRoots = roots
            return true
        },
        .duration(
            "APP_STORE_CONNECT_TIMEOUT", .appStore, \.appStore.connectTimeout, .milliseconds(100)...(.seconds(60)),
            "How long a connection to Apple may take to be made."),
        .byteCount(
            "APP_STORE_RESPONSE_BYTES", .appStore, \.appStore.maximumResponseBytes, (64 << 10)...(256 << 20),
            "The largest answer that is read."),
    ]

    private static let program: [Variable] = [
        Variable(
            credentialsDirectory, .program, default: "$CREDENTIALS_DIRECTORY", allowed: "a folder that can be read",
            meaning: """
                Where credentials lie, one file each: postgres-password, <bundle id>.shared-secret for each app that \
                has one, and <bundle id>.server-api-key or, for all apps of an account, default.server-api-key, which \
                holds {"issuer_id": "…", "key_id": "…", "private_key": "…"}. systemd sets the default. Names may begin \
                with counterfoil_, as systemd's LoadCredential=counterfoil:<folder> has it.
                """
        ) { value, settings in
            settings.credentialsDirectory = value
            return true
        },
        Variable(
            "WORKER_NAME", .program, default: "the host's name", allowed: "1 to 100 characters",
            meaning: """
                What a worker is called in the database and in the log. The packaged unit sets it for each worker N: set it \
                in worker-N.env only, never in counterfoil.env, which all workers of the machine read.
                """
        ) { value, settings in
            guard (1...100).contains(value.count) else { return false }
            settings.workerName = value
            return true
        },
        Variable(
            metricsAddress, .program, default: nil, allowed: "a numeric address and a port, such as 127.0.0.1:9464",
            meaning: """
                Where a worker answers /metrics (for Prometheus), /healthz and /readyz, over plain HTTP. Without it, it \
                doesn't. Workers of one machine need one each; all of 127.0.0.0/8 is the machine itself. The packaged unit \
                sets it for each worker N: set it in worker-N.env only, never in counterfoil.env, which all workers of the \
                machine read.
                """
        ) { value, settings in
            guard let address = MetricsAddress(value) else { return false }
            settings.metricsAddress = address
            return true
        },
        Variable(
            "LOG_LEVEL", .program, default: "info",
            allowed: "one of " + Logger.Level.allCases.map(\.rawValue).joined(separator: ", "),
            meaning:
                "What is logged, to standard error. Other commands than worker log less by default: migrate and gates open from "
                + "notice on, doctor errors, the others from warning on."
        ) { value, settings in
            guard let level = Logger.Level(rawValue: value) else { return false }
            settings.logLevel = level
            return true
        },
    ]

    /// One of Apple's hosts.
    private static func address(_ name: String, _ path: any SettingsPath<String>, _ meaning: String) -> Variable {
        Variable(
            name, .appStore, default: Settings()[keyPath: path], allowed: "https://host or https://host:port",
            meaning: meaning
        ) { value, settings in
            guard let url = try? SecureBaseURL(value) else { return false }
            settings[keyPath: path] = url.description
            return true
        }
    }
}
