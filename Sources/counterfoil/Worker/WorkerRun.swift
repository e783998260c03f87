// SPDX-License-Identifier: Apache-2.0

import AppStore
import CommandSupport
import EventSources
import Glibc
import Logging
import Observability
import Postgres
import ServiceLifecycle
import Verification
import VerificationQueue

/// A worker's life as a process: it runs until it is asked to stop, drains, and closes what it opened.
///
/// | Signal | What happens |
/// |---|---|
/// | `SIGTERM`, `SIGINT` | drains: claims nothing more, settles or hands back what runs, ends with status 0 |
/// | a second one | ends at once, with 128 and the signal's number; leases run out by themselves |
/// | `SIGHUP` | reads the credentials again; the packaged unit's are copies that systemd made at the start, so a restart is needed there |
struct WorkerRun {
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
        try await endingLast { try? await verifier.shutdown() } _: {
            try await endingLast(pool.close) { try await run(pool, verifier) }
        }
    }

    private func run(_ pool: PostgresPool, _ verifier: AppStoreVerifier) async throws {
        let registry = assembly.makeRegistry()
        let worker = assembly.makeWorker(pool: pool, verifier: verifier, registry: registry)
        // They stop in the other order: what tells of the worker goes on until it is drained.
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = []
        if let listener = assembly.makeListener(for: worker, registry: registry) {
            services.append(.init(service: listener, failureTerminationBehavior: .gracefullyShutdownGroup))
        }
        if let manager = assembly.manager {
            let watchdog = assembly.settings.watchdogInterval
            services.append(.init(service: ManagerReports(manager: manager, worker: worker, watchdogInterval: watchdog)))
        }
        services.append(
            .init(
                service: worker, successTerminationBehavior: .gracefullyShutdownGroup,
                failureTerminationBehavior: .gracefullyShutdownGroup))
        if let notifications = try assembly.makeJobNotifications(for: worker) {
            services.append(.init(service: notifications, successTerminationBehavior: .ignore))
        }
        var serviceLogger = logger
        serviceLogger.logLevel = max(logger.logLevel, .warning)
        let group = ServiceGroup(configuration: .init(services: services, logger: serviceLogger))
        let signals = SignalSource([.terminate, .interrupt, .hangup])
        await signals.ready()

        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await heed(signals, group, verifier) }
            defer { tasks.cancelAll() }
            try await group.run()
        }
    }

    /// Until it is cancelled.
    private func heed(_ signals: SignalSource, _ group: ServiceGroup, _ verifier: AppStoreVerifier) async {
        var isStopping = false
        for await signal in signals {
            switch signal {
            case .hangup:
                verifier.reloadCredentials()
                logger.notice("credentials read again")
                tellMissingCredentials(verifier)
            case .terminate, .interrupt:
                guard !isStopping else {
                    logger.warning("stopped at once; what ran is rescued when its leases run out")
                    _exit(128 + (signal == .interrupt ? SIGINT : SIGTERM))
                }
                isStopping = true
                logger.notice("draining", metadata: ["signal": "\(signal)"])
                assembly.manager?.tell(.stopping, .status("draining"))
                await group.triggerGracefulShutdown()
            }
        }
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
        for name in verifier.credentials.unusableCredentials {
            logger.error("a credential can't be read or used", metadata: ["credential": "\(name)"])
        }
    }
}
