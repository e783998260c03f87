// SPDX-License-Identifier: Apache-2.0

import AppStore
import FoundationEssentials
import Logging
import Observability
import Verification
import VerificationQueue
import Webhooks

extension Variable {
    /// Every variable that the programs read: the help prints them, and the packaged defaults list them.
    package static let all = database + worker + retention + retries + appStore + webhooks + program

    private static let database = [
        Variable(
            databaseURL, .database, default: nil, allowed: "a connection URI of libpq, postgresql://user@host/database",
            meaning: """
                The database. Several hosts and target_session_attrs=read-write follow a failover (for counterfoil_reader: \
                target_session_attrs=primary). The credential postgres-password replaces the password of the URI.
                """,
            isSecret: true
        ) { value, settings in
            settings.databaseURL = value
            return true
        },
        Variable(
            listenURL, .database, default: nil, allowed: "a connection URI of libpq, postgresql://user@host/database",
            meaning: "A direct connection for migrate and for signals, where a pooler stands before the database.",
            isSecret: true
        ) { value, settings in
            settings.listenURL = value
            return true
        },
        Variable(
            "LISTEN", .database, default: "yes", allowed: "yes or no",
            meaning: "Whether a worker listens for signals of new jobs. Without them the next poll finds the jobs."
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
            "Jobs that a worker runs at once. No lane takes more than half of the slots."),
        .duration(
            "LEASE_DURATION", .worker, \.worker.leaseDuration, .seconds(2)...(.seconds(3600)),
            "How long a worker holds a claimed job: at least 5s longer than the attempt's deadline, or twice as long."),
        .duration(
            "ATTEMPT_DEADLINE", .worker, \.worker.attemptDeadline, .seconds(1)...(.seconds(3000)),
            "The time from a claim to the end of its attempt, even if Apple has not answered."),
        .duration(
            "POLL_INTERVAL", .worker, \.worker.pollInterval, .milliseconds(5)...(.seconds(60)),
            "The longest time between two claims of an idle worker."),
        .duration(
            "DRAIN_DURATION", .worker, \.worker.drainDuration, .zero...(.seconds(3600)),
            "How long a stopping worker waits for running attempts. Then it releases their jobs."),
        .byteCount(
            "PROOF_BYTES", .worker, \.worker.proofBytes, (1 << 20)...(16 << 30),
            "The most bytes of proofs that a worker holds at once."),
        .count("CLAIM_BATCH", .worker, \.worker.claimBatch, 1...1000, "The most jobs that one claim takes."),
        .count(
            "SETTLEMENT_BATCH", .worker, \.worker.settlementBatch, 1...1000,
            "The most attempts that one settlement ends."),
        .count(
            "SETTLERS", .worker, \.worker.settlers, 1...16,
            "Settlements that run at once. A worker has three database connections more, and another one that listens."),
    ]

    private static let retention: [Variable] = [
        .duration(
            "PROOF_RETENTION", .retention, \.worker.proofRetention, .seconds(86_400)...(.seconds(3650 * 86_400)),
            "How long the proofs of rejected, reviewed and refunded orders are kept."),
        .duration(
            "ATTEMPT_RETENTION", .retention, \.worker.attemptRetention, .seconds(31 * 86_400)...(.seconds(3650 * 86_400)),
            "How long the history of attempts is kept. It is dropped by the month."),
        .duration(
            "CHANGE_RETENTION", .retention, \.worker.changeRetention, .seconds(30 * 86_400)...(.seconds(3650 * 86_400)),
            "How long the changes of the feed are kept. They are dropped by the month."),
    ]

    private static let retries: [Variable] = [
        .duration(
            "RETRY_DELAY_CAP", .retries, \.worker.retry.delayCap, .milliseconds(10)...(.seconds(6 * 3600)),
            "The longest delay between two attempts of a job, unless Apple asks for a longer one. For tests: with less than 1h an "
                + "incident of Apple's can reject honest purchases."),
        .duration(
            "RETRY_HORIZON", .retries, \.worker.retry.horizon, .seconds(1)...(.seconds(90 * 86_400)),
            "The age at which a failing job ends and its order goes to review: Apple can't be reached, or the database refuses."),
        .duration(
            "MISSING_HORIZON", .retries, \.worker.retry.missingHorizon, .seconds(1)...(.seconds(90 * 86_400)),
            "How long workers check for a purchase that Apple does not show. The time begins with the first check."),
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
                Root certificates trusted for signed transactions beside Apple's, each for the named apps. Whoever holds \
                their keys can forge purchases: a worker warns of them at each start.
                """
        ) { value, settings in
            guard let roots = ExtraRootFile.parse(value) else { return false }
            settings.extraRoots = roots
            return true
        },
    ]

    private static let webhooks: [Variable] = [
        Variable(
            webhookTLSRoots, .webhooks, default: nil, allowed: "a file of certificates in PEM",
            meaning: "Authorities trusted for TLS with endpoints of webhooks beside the system's."
        ) { value, settings in
            settings.webhooks.additionalTLSRoots = value
            return true
        },
        Variable(
            webhookPrivateNetworks, .webhooks, default: nil, allowed: "networks separated by commas, such as 10.1.0.0/16,fd00:1::/32",
            meaning: """
                Networks that endpoints of webhooks may be in though they aren't public. Whoever may add an endpoint reaches all of \
                them through the workers, which warn of it at each start.
                """
        ) { value, settings in
            let networks = value.split(separator: ",", omittingEmptySubsequences: false).map { NetworkRange(String($0)) }
            guard networks.allSatisfy({ $0 != nil }) else { return false }
            settings.webhooks.privateNetworks = networks.compactMap(\.self)
            return true
        },
    ]

    private static let program: [Variable] = [
        Variable(
            credentialsDirectory, .program, default: "$CREDENTIALS_DIRECTORY", allowed: "a folder that can be read",
            meaning: """
                The folder of the credentials, one file each: postgres-password; <bundle id>.shared-secret for each app that \
                has one; <bundle id>.server-api-key, or default.server-api-key for all apps of an account; NAME.webhook-secret for each \
                endpoint of webhooks. A key's file holds {"issuer_id": "…", "key_id": "…", "private_key": "…"}. systemd sets the default. Names may begin with \
                counterfoil_, which systemd's LoadCredential=counterfoil:<folder> puts there.
                """
        ) { value, settings in
            settings.credentialsDirectory = value
            return true
        },
        Variable(
            "WORKER_NAME", .program, default: "the host's name", allowed: "1 to 100 characters",
            meaning: """
                The worker's name in the database and in the log. The packaged unit sets it for each worker N. Set it \
                in worker-N.env only: all workers of the machine read counterfoil.env.
                """
        ) { value, settings in
            guard (1...100).contains(value.count) else { return false }
            settings.workerName = value
            return true
        },
        Variable(
            metricsAddress, .program, default: nil, allowed: "a numeric address and a port, such as 127.0.0.1:9464",
            meaning: """
                The address at which a worker answers /metrics (for Prometheus), /healthz and /readyz, over plain HTTP. Each \
                worker of a machine needs an address of its own; all of 127.0.0.0/8 is the machine itself. The packaged unit \
                sets it for each worker N. Set it in worker-N.env only: all workers of the machine read counterfoil.env.
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
                "The least level that is logged, to standard error. The default is a worker's. migrate and gates open log from "
                + "notice on, doctor from error on, all others from warning on."
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
