// SPDX-License-Identifier: Apache-2.0

import AppStore
import CommandSupport
import EventSources
import Gateway
import Glibc
import Logging
import Observability
import Postgres
import VerificationQueue

/// A gateway's life as a process: asked to stop, it answers those who wait, and ends what it has begun.
struct GatewayRun {
    private static let connections = 16

    let assembly: Assembly
    let configuration: GatewayConfiguration

    func run() async throws {
        // Whoever reads the log may go away; that is no reason to stop.
        signal(SIGPIPE, SIG_IGN)
        assembly.warnOfUnknownVariables()
        try checkDescriptors()
        let pool = try assembly.makePool(size: Self.connections, named: "counterfoil gateway")
        let verifier = NotificationVerifier(anchors: try assembly.makeTrustAnchors())
        let registry = assembly.makeRegistry(Metric.ofGateways)
        let metrics = registry.map { GatewayMetrics($0, withTLS: Array(configuration.tls.keys)) }
        let gateway: Gateway
        do {
            gateway = try Gateway(
                configuration, pool: pool, listening: try assembly.makeDatabaseConfiguration(direct: true), logger: assembly.logger,
                observe: { route, status in metrics?.count(route, status) },
                isSignedByApple: { text in (try? await verifier.verify(text)) != nil })
        } catch let fault as TLSFault {
            throw CommandFailure(.configuration, "the certificate or its key is refused: \(fault)")
        }
        try await endingLast(pool.close) {
            try await assembly.explainingRefusals(asking: { try await pool.execute($0) }) {
                try await ProgramRun(
                    assembly: assembly, service: gateway, readiness: gateway.readiness, state: { ProgramState(gateway.snapshot()) },
                    registry: registry, updateGauges: { metrics?.set(gateway.snapshot()) }, serviceLogLevel: .critical,
                    stopping: "stopping", stoppedAtOnce: "requests that were not answered may have been carried out",
                    reload: { gateway.reload() }
                ).run()
            }
        }
    }

    /// Each connection is a descriptor: a gateway that runs out of them answers nobody.
    private func checkDescriptors() throws {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        let listeners = [configuration.shopAddress, configuration.appleAddress].compactMap(\.self).count
        let wanted = rlim_t(configuration.limits.connections * listeners + 1_000)
        if limit.rlim_cur < wanted, limit.rlim_max >= wanted {
            limit.rlim_cur = wanted
            _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        guard limit.rlim_cur >= wanted else {
            throw CommandFailure(
                .configuration,
                "\(configuration.limits.connections) connections of each address need \(wanted) descriptors, and the limit is "
                    + "\(limit.rlim_max): raise it, or give --connections")
        }
    }
}

extension ProgramState {
    init(_ snapshot: Gateway.Snapshot) {
        let problem = snapshot.reachesDatabase ? "" : ", the database does not answer"
        self.init(
            isAlive: true, isReady: snapshot.isListening && snapshot.reachesDatabase && !snapshot.isStopping,
            isBetweenStates: !snapshot.isListening || snapshot.isStopping,
            summary: (snapshot.isStopping ? "stopping" : "listening") + ", \(snapshot.waits) requests wait" + problem)
    }
}
