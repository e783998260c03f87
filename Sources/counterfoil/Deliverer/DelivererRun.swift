// SPDX-License-Identifier: Apache-2.0

import CommandSupport
import Delivering
import EventSources
import Glibc
import Logging
import Observability
import ServiceLifecycle
import VerificationQueue

/// A deliverer's life as a process: it runs until it is asked to stop, and ends the step that it is at.
///
/// | Signal | What happens |
/// |---|---|
/// | `SIGTERM`, `SIGINT` | ends after the step that runs, with status 0 |
/// | a second one | ends at once, with 128 and the signal's number; the server rolls back what isn't committed |
struct DelivererRun {
    let assembly: Assembly
    let plan: DeliveryPlan

    private var logger: Logger { assembly.logger }

    func run() async throws {
        // Whoever reads the log may go away; that is no reason to stop.
        signal(SIGPIPE, SIG_IGN)
        assembly.warnOfUnknownVariables()
        let registry = assembly.settings.metricsAddress.map { _ in
            PrometheusRegistry(Metric.ofDeliverers.map(PrometheusFamily.init))
        }
        let metrics = registry.map { DelivererMetrics(factory: $0, version: Version.current) }
        let deliverer = Deliverer(try assembly.makeDatabaseConfiguration(), plan: plan, logger: logger, metrics: metrics)
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = []
        if let listener = makeListener(deliverer, registry) {
            services.append(.init(service: listener, failureTerminationBehavior: .gracefullyShutdownGroup))
        }
        if let manager = assembly.manager {
            let watchdog = assembly.settings.watchdogInterval
            services.append(.init(service: DelivererReports(manager: manager, deliverer: deliverer, watchdogInterval: watchdog)))
        }
        services.append(
            .init(
                service: deliverer, successTerminationBehavior: .gracefullyShutdownGroup,
                failureTerminationBehavior: .gracefullyShutdownGroup))
        var serviceLogger = logger
        serviceLogger.logLevel = .critical
        let group = ServiceGroup(configuration: .init(services: services, logger: serviceLogger))
        let signals = SignalSource([.terminate, .interrupt])
        await signals.ready()

        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { await heed(signals, group) }
            defer { tasks.cancelAll() }
            try await group.run()
        }
    }

    /// Until it is cancelled.
    private func heed(_ signals: SignalSource, _ group: ServiceGroup) async {
        var isStopping = false
        for await signal in signals where signal != .hangup {
            guard !isStopping else {
                logger.warning("stopped at once; the database rolls back what isn't committed")
                _exit(128 + (signal == .interrupt ? SIGINT : SIGTERM))
            }
            isStopping = true
            logger.notice("stopping", metadata: ["signal": "\(signal)"])
            assembly.manager?.tell(.stopping, .status("stopping"))
            await group.triggerGracefulShutdown()
        }
    }

    private func makeListener(_ deliverer: Deliverer, _ registry: PrometheusRegistry?) -> MetricsListener? {
        guard let address = assembly.settings.metricsAddress, let registry else { return nil }
        return MetricsListener(
            address: address, logger: logger,
            metrics: {
                deliverer.updateGauges()
                return registry.text() + ProcessStatistics.text()
            },
            liveness: {
                let snapshot = deliverer.snapshot()
                return MetricsListener.Health(isGood: snapshot.isAlive, why: snapshot.summary)
            },
            readiness: {
                let snapshot = deliverer.snapshot()
                return MetricsListener.Health(isGood: snapshot.isReady, why: snapshot.summary)
            })
    }
}
