// SPDX-License-Identifier: Apache-2.0

import CommandSupport
import EventSources
import Glibc
import Logging
import Observability
import ServiceLifecycle

/// The life of a worker or a deliverer as a process: it runs until it is asked to stop.
///
/// | Signal | What happens |
/// |---|---|
/// | `SIGTERM`, `SIGINT` | ends what it is at, with status 0 |
/// | a second one | ends at once, with 128 and the signal's number |
/// | `SIGHUP` | as `reload` does; ends the process where there is none |
struct ProgramRun: Sendable {
    let assembly: Assembly
    let service: any Service
    let readiness: AsyncStream<Void>
    let state: @Sendable () -> ProgramState
    /// What it counts into; nil unless metrics can be read.
    let registry: PrometheusRegistry?
    let updateGauges: @Sendable () -> Void
    /// Of the log of services that begin, fail and end.
    let serviceLogLevel: Logger.Level
    /// What it does once it is asked to stop, such as "draining".
    let stopping: String
    /// What becomes of its work when it ends at once.
    let stoppedAtOnce: String
    /// What runs beside it, and ends before it.
    var helpers: [any Service] = []
    var reload: (@Sendable () -> Void)?

    private var logger: Logger { assembly.logger }

    func run() async throws {
        // They stop in the other order: what tells of the service goes on until it has ended.
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = []
        if let listener = makeListener() {
            services.append(.init(service: listener, failureTerminationBehavior: .gracefullyShutdownGroup))
        }
        if let manager = assembly.manager {
            let watchdog = assembly.settings.watchdogInterval
            services.append(
                .init(service: ManagerReports(manager: manager, readiness: readiness, state: state, watchdogInterval: watchdog)))
        }
        services.append(
            .init(
                service: service, successTerminationBehavior: .gracefullyShutdownGroup,
                failureTerminationBehavior: .gracefullyShutdownGroup))
        services += helpers.map { .init(service: $0, successTerminationBehavior: .ignore) }
        var serviceLogger = logger
        serviceLogger.logLevel = serviceLogLevel
        let group = ServiceGroup(configuration: .init(services: services, logger: serviceLogger))
        let signals = SignalSource(reload == nil ? [.terminate, .interrupt] : [.terminate, .interrupt, .hangup])
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
        for await signal in signals {
            switch signal {
            case .hangup: reload?()
            case .terminate, .interrupt:
                guard !isStopping else {
                    logger.warning("stopped at once; \(stoppedAtOnce)")
                    _exit(128 + (signal == .interrupt ? SIGINT : SIGTERM))
                }
                isStopping = true
                logger.notice("\(stopping)", metadata: ["signal": "\(signal)"])
                assembly.manager?.tell(.stopping, .status(stopping))
                await group.triggerGracefulShutdown()
            }
        }
    }

    private func makeListener() -> MetricsListener? {
        guard let address = assembly.settings.metricsAddress, let registry else { return nil }
        if !address.isLoopback {
            logger.warning("metrics are readable by whoever reaches their address", metadata: ["address": "\(address)"])
        }
        return MetricsListener(
            address: address, logger: logger,
            metrics: {
                updateGauges()
                return registry.text() + ProcessStatistics.text()
            },
            liveness: {
                let now = state()
                return MetricsListener.Health(isGood: now.isAlive, why: now.summary)
            },
            readiness: {
                let now = state()
                return MetricsListener.Health(isGood: now.isReady, why: now.summary)
            })
    }
}
