// SPDX-License-Identifier: Apache-2.0

import Glibc
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import ServiceLifecycle

/// Answers Prometheus and health checks over plain HTTP, on an address that only this machine should reach.
///
/// | Path | Answer |
/// |---|---|
/// | `/metrics` | all metrics, in Prometheus's text format |
/// | `/healthz` | 200 while the process makes progress, also while it drains or waits for the database; else 503 |
/// | `/readyz` | 200 while it claims and the database answers; else 503 |
package struct MetricsListener: Service {
    /// What a health check is told: yes or no, and a line that says why.
    package struct Health: Sendable {
        package let isGood: Bool
        package let why: String

        package init(isGood: Bool, why: String) {
            self.isGood = isGood
            self.why = why
        }
    }

    /// The address can't be listened on.
    package struct CannotListen: Error, CustomStringConvertible {
        package let description: String
    }

    /// Clients at once; further ones wait.
    private static let connections = 16
    /// Nobody who reads metrics is silent for longer.
    private static let idleTimeout = TimeAmount.seconds(30)

    private let address: MetricsAddress
    private let logger: Logger
    private let metrics: @Sendable () -> String
    private let liveness: @Sendable () -> Health
    private let readiness: @Sendable () -> Health

    /// - Parameters:
    ///   - metrics: renders all metrics; called for each scrape.
    ///   - liveness: whether the process should go on running.
    ///   - readiness: whether it does its work at this moment.
    package init(
        address: MetricsAddress, logger: Logger, metrics: @escaping @Sendable () -> String,
        liveness: @escaping @Sendable () -> Health, readiness: @escaping @Sendable () -> Health
    ) {
        self.address = address
        self.logger = logger
        self.metrics = metrics
        self.liveness = liveness
        self.readiness = readiness
    }

    /// Listens until graceful shutdown or cancellation.
    ///
    /// - Throws: ``CannotListen`` when the address is taken or isn't this machine's.
    package func run() async throws {
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        let application = Application(
            router: makeRouter(),
            server: .http1(configuration: .init(idleTimeout: Self.idleTimeout)),
            configuration: ApplicationConfiguration(
                address: .hostname(address.host, port: address.port),
                availableConnectionsDelegate: MaximumAvailableConnections(Self.connections)),
            onServerRunning: { [address, logger] channel in
                let bound = MetricsAddress(host: address.host, port: channel.localAddress?.port ?? address.port)
                logger.notice("metrics can be read", metadata: ["address": "\(bound)"])
            },
            logger: quiet)
        do {
            try await application.run()
        } catch let error as IOError {
            throw CannotListen(description: "can't listen on \(address): \(Self.problem(error))")
        }
    }

    private func makeRouter() -> Router<BasicRequestContext> {
        let router = Router(options: .autoGenerateHeadEndpoints)
        router.get("/metrics") { [metrics] _, _ in
            Self.response(.ok, metrics(), PrometheusText.contentType)
        }
        router.get("/healthz") { [liveness] _, _ in Self.response(liveness()) }
        router.get("/readyz") { [readiness] _, _ in Self.response(readiness()) }
        return router
    }

    private static func response(_ health: Health) -> Response {
        response(health.isGood ? .ok : .serviceUnavailable, health.why + "\n", "text/plain; charset=utf-8")
    }

    private static func response(_ status: HTTPResponse.Status, _ text: String, _ type: String) -> Response {
        Response(
            status: status, headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }

    private static func problem(_ error: IOError) -> String {
        String(cString: strerror(error.errnoCode))
    }
}
