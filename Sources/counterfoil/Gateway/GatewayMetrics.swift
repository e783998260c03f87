// SPDX-License-Identifier: Apache-2.0

import CommandSupport
import CoreMetrics
import Gateway
import VerificationQueue

/// What a gateway tells of itself.
struct GatewayMetrics: Sendable {
    private static let unknown = "unknown"

    private let ready: Meter
    private let waits: Meter
    private let certificateEnds: [Route.Audience: Meter]
    private let requests: [String: [Counter]]

    /// - Parameters:
    ///   - factory: makes the handles for ``Metric/ofGateways``.
    ///   - listeners: those that have a certificate.
    init(_ factory: any MetricsFactory, withTLS listeners: [Route.Audience]) {
        ready = Metric.gatewayReady.gauge(factory)
        waits = Metric.gatewayWaits.gauge(factory)
        certificateEnds = Dictionary(
            uniqueKeysWithValues: listeners.map { ($0, Metric.gatewayCertificateEnd.gauge(factory, $0.rawValue)) })
        let routes = Route.all.map(\.name) + [Self.unknown]
        requests = Dictionary(
            uniqueKeysWithValues: routes.map { route in
                (route, (1...5).map { Metric.gatewayRequests.counter(factory, route, "\($0)xx") })
            })
        Metric.buildInfo.gauge(factory, Version.current).set(1)
    }

    func count(_ route: String, _ status: Int) {
        requests[route]?[max(0, min(4, status / 100 - 1))].increment()
    }

    func set(_ snapshot: Gateway.Snapshot) {
        ready.set(snapshot.isListening && snapshot.reachesDatabase && !snapshot.isStopping ? 1 : 0)
        waits.set(snapshot.waits)
        for (audience, end) in snapshot.certificateEnds { certificateEnds[audience]?.set(end) }
    }
}
