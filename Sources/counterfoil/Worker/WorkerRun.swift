// SPDX-License-Identifier: Apache-2.0

import AppStore
import CommandSupport
import EventSources
import FoundationEssentials
import Glibc
import Logging
import Observability
import Postgres
import ServiceLifecycle
import Verification
import VerificationQueue
import Webhooks

/// A worker's life as a process: asked to stop, it drains (claims nothing more, settles or hands back what runs), and closes what
/// it opened. `SIGHUP` reads the credentials again; the packaged unit's are copies that systemd made at the start, so that a
/// restart is needed there.
struct WorkerRun: Sendable {
    let assembly: Assembly

    private var logger: Logger { assembly.logger }

    func run() async throws {
        // Whoever reads the log may go away; that is no reason to stop.
        signal(SIGPIPE, SIG_IGN)
        assembly.warnOfUnknownVariables()
        let pool = try assembly.makePool(size: assembly.workerConnections)
        let verifier = try assembly.makeVerifier(connections: assembly.settings.worker.slots)
        warnOfFurtherRoots()
        tellMissingCredentials(verifier)
        try await endingLast {
            try? await verifier.shutdown()
        } _: {
            try await endingLast(pool.close) {
                // Events and settlements don't wait for each other.
                let webhooks = try assembly.makePool(size: 1, named: "counterfoil webhooks")
                try await endingLast(webhooks.close) {
                    try await assembly.explainingRefusals(asking: { try await pool.execute($0) }) {
                        try await run(pool, verifier, webhooks: webhooks)
                    }
                }
            }
        }
    }

    private func run(_ pool: PostgresPool, _ verifier: AppStoreVerifier, webhooks: PostgresPool) async throws {
        let registry = assembly.makeRegistry(Metric.all)
        let worker = assembly.makeWorker(pool: pool, verifier: verifier, registry: registry)
        let secrets = WebhookSecretFiles(directory: assembly.settings.credentialsDirectory)
        let sender = try assembly.makeWebhookSender(pool: webhooks, secrets: secrets, registry: registry)
        let signals: (any Service)? = try assembly.makeJobSignals(for: worker)
        try await ProgramRun(
            assembly: assembly, service: worker, readiness: worker.readiness, state: { ProgramState(worker.snapshot()) },
            registry: registry,
            updateGauges: {
                let now = ContinuousClock.now
                let time = Date().timeIntervalSince1970
                worker.updateGauges { time - $0.duration(to: now).seconds }
            },
            serviceLogLevel: max(logger.logLevel, .warning), stopping: "draining",
            stoppedAtOnce: "what ran is rescued when its leases run out",
            helpers: [sender] + (signals.map { [$0] } ?? []),
            reload: {
                verifier.reloadCredentials()
                secrets.reload()
                logger.notice("credentials read again")
                tellMissingCredentials(verifier)
            }
        ).run()
    }

    private func warnOfFurtherRoots() {
        for root in assembly.settings.extraRoots {
            logger.warning(
                "a root beside Apple's is trusted: whoever holds its key can make purchases up",
                metadata: [
                    "file": "\(root.path)",
                    "apps": "\(root.bundleIDs.map(\.rawValue).sorted().joined(separator: ","))",
                ])
        }
    }

    /// One app's credential must not stop the others: its jobs wait, and this says why.
    private func tellMissingCredentials(_ verifier: AppStoreVerifier) {
        for (name, problem) in verifier.credentials.faults {
            logger.error("a credential can't be read or used", metadata: ["credential": "\(name)", "problem": "\(problem)"])
        }
    }
}
