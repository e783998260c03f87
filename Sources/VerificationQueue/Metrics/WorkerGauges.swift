// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import Postgres
import Synchronization
import Verification

/// What a worker tells of its present state. Set when somebody asks, but for what the database has to be asked about.
final class WorkerGauges: Sendable {
    private struct GateKey: Hashable {
        let endpoint: Endpoint
        let closer: Gate.Closer?
    }

    private let factory: any MetricsFactory
    private let ready: Meter
    private let lastClaim: Meter
    private let lastHeartbeat: Meter
    private let queueReadAt: Meter
    private let slots: Meter
    private let runningJobs: Meter
    private let unsettledAttempts: Meter
    private let proofBytes: Meter
    private let oldestAvailable: Meter
    private let oldestParked: Meter
    private let storedProofs: (jobs: Meter, kept: Meter)
    private let connections: (idle: Meter, lent: Meter, opening: Meter)
    private let gates: [GateKey: Meter]
    private let reservedCalls: [Budget.Endpoint: [AppStoreEnvironment: Meter]]
    /// Kinds of jobs that were counted once: they are set to zero when they are gone.
    private let jobs = Mutex<[QueueCount.Kind: Meter]>([:])
    /// Reasons that rose once: they are set to zero when they are frequent no more.
    private let risingRejections = Mutex<[String: Meter]>([:])

    init(factory: any MetricsFactory) {
        self.factory = factory
        ready = Metric.ready.gauge(factory)
        lastClaim = Metric.lastClaim.gauge(factory)
        lastHeartbeat = Metric.lastHeartbeat.gauge(factory)
        queueReadAt = Metric.queueReadAt.gauge(factory)
        slots = Metric.slots.gauge(factory)
        runningJobs = Metric.runningJobs.gauge(factory)
        unsettledAttempts = Metric.unsettledAttempts.gauge(factory)
        proofBytes = Metric.proofBytes.gauge(factory)
        oldestAvailable = Metric.oldestJobAge.gauge(factory, "available")
        oldestParked = Metric.oldestJobAge.gauge(factory, "parked")
        storedProofs = (Metric.storedProofs.gauge(factory, "jobs"), Metric.storedProofs.gauge(factory, "proofs"))
        connections = (
            Metric.connections.gauge(factory, "idle"), Metric.connections.gauge(factory, "lent"),
            Metric.connections.gauge(factory, "opening")
        )
        gates = Self.makeGates(factory)
        var reservedCalls: [Budget.Endpoint: [AppStoreEnvironment: Meter]] = [:]
        for endpoint in Budget.Endpoint.allCases {
            for environment in AppStoreEnvironment.allCases {
                reservedCalls[endpoint, default: [:]][environment] = Metric.callsReservedAhead.gauge(
                    factory, endpoint.rawValue, environment.rawValue)
            }
        }
        self.reservedCalls = reservedCalls
        for state in ["available", "scheduled", "running", "discarded"] {
            set(QueueCount(kind: .init(state: state, reason: "none"), jobs: 0))
        }
        set(risingRejections: [Reason.malformedProof.rawValue: 0])
    }

    /// - Parameter timestamp: turns an instant into seconds since 1970.
    func set(_ state: WorkerSnapshot, timestamp: (ContinuousClock.Instant) -> Double) {
        ready.set(state.isReady ? 1 : 0)
        lastClaim.set(state.progress.lastClaim.map(timestamp) ?? 0)
        lastHeartbeat.set(state.progress.lastHeartbeat.map(timestamp) ?? 0)
        queueReadAt.set(state.queueReadAt.map(timestamp) ?? 0)
        slots.set(state.slots)
        runningJobs.set(state.running)
        unsettledAttempts.set(state.unsettled)
        proofBytes.set(state.proofBytes)
        connections.idle.set(state.connections.idle)
        connections.lent.set(state.connections.lent)
        connections.opening.set(state.connections.opening)
        var counts: [GateKey: Int] = [:]
        for gate in state.gates {
            counts[GateKey(endpoint: gate.endpoint, closer: gate.closedBy), default: 0] += 1
        }
        for (key, gauge) in gates {
            gauge.set(counts[key] ?? 0)
        }
    }

    func set(_ queue: QueueReading) {
        oldestAvailable.set(queue.oldestAvailable)
        oldestParked.set(queue.oldestParked)
        storedProofs.jobs.set(queue.bytesOfJobs)
        storedProofs.kept.set(queue.bytesOfKeptProofs)
        for (endpoint, gauges) in reservedCalls {
            for (environment, gauge) in gauges {
                gauge.set(queue.callsReservedAhead[endpoint]?[environment] ?? 0)
            }
        }
        let seen = Set(queue.counts.map(\.kind))
        for kind in jobs.withLock({ Array($0.keys) }) where !seen.contains(kind) {
            set(QueueCount(kind: kind, jobs: 0))
        }
        for count in queue.counts {
            set(count)
        }
    }

    /// - Parameter accounts: by each reason that has become more frequent.
    func set(risingRejections accounts: [String: Double]) {
        risingRejections.withLock { gauges in
            for reason in accounts.keys where gauges[reason] == nil {
                gauges[reason] = Metric.risingRejections.gauge(factory, reason)
            }
            for (reason, gauge) in gauges { gauge.set(accounts[reason] ?? 0) }
        }
    }

    private func set(_ count: QueueCount) {
        let gauge = jobs.withLock { gauges in
            let gauge = gauges[count.kind] ?? Metric.jobs.gauge(factory, count.kind.state, count.kind.reason)
            gauges[count.kind] = gauge
            return gauge
        }
        gauge.set(count.jobs)
    }

    private static func makeGates(_ factory: any MetricsFactory) -> [GateKey: Meter] {
        var gates: [GateKey: Meter] = [:]
        let closers: [Gate.Closer?] = [nil, .breaker, .budget, .configuration, .operator]
        for route in Route.allCases {
            let environments: [AppStoreEnvironment?] = route == .local ? [nil] : [.production, .sandbox]
            for environment in environments {
                for closer in closers {
                    let key = GateKey(endpoint: Endpoint(route: route, environment: environment), closer: closer)
                    gates[key] = Metric.gates.gauge(
                        factory, route.rawValue, environment?.rawValue ?? "any", closer?.rawValue ?? "open")
                }
            }
        }
        return gates
    }
}
