// SPDX-License-Identifier: Apache-2.0

import AppStore
import CommandSupport
import EventSources
import FoundationEssentials
import Glibc
import Logging
import Observability
import Postgres
import Verification
import VerificationQueue

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
                try await assembly.explainingRefusals(asking: { try await pool.execute($0) }) { try await run(pool, verifier) }
            }
        }
    }

    private func run(_ pool: PostgresPool, _ verifier: AppStoreVerifier) async throws {
        let registry = assembly.makeRegistry(Metric.all)
        let worker = assembly.makeWorker(pool: pool, verifier: verifier, registry: registry)
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
            helper: try assembly.makeJobSignals(for: worker),
            reload: {
                verifier.reloadCredentials()
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
