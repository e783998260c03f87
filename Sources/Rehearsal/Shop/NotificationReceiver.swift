// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import HTTPTypes
import HummingbirdCore
import HummingbirdTLS
package import Logging
import NIOCore
import NIOPosix
package import NIOSSL
package import Postgres
import ServiceLifecycle
import Synchronization

/// The shop's address for Apple's notifications: takes each body over HTTPS and passes it on by SQL, as a shop does that has no
/// gateway.
///
/// | Situation | Answer |
/// |---|---|
/// | stored, or known | 200 |
/// | not in Apple's form, too large | 400, 413 |
/// | the database is away, too many wait, or another call is storing the same | 503: Apple comes again |
package final class NotificationReceiver: Service {
    /// The largest body that is read, in bytes: a little more than a notification may have.
    private static let largestBody = 300_000

    private let pool: PostgresPool
    private let tls: TLSConfiguration
    private let logger: Logger
    private let refusal: @Sendable () -> Bool
    private let (ports, bound) = AsyncStream.makeStream(of: Int.self)

    /// - Parameters:
    ///   - pool: with the privileges of a backend.
    ///   - refusal: whether the next one is answered 503 without a look, as by a receiver in trouble.
    private init(
        pool: PostgresPool, tls: TLSConfiguration, logger: Logger, refusal: @escaping @Sendable () -> Bool
    ) {
        self.pool = pool
        self.tls = tls
        self.logger = logger
        self.refusal = refusal
    }

    /// Runs a receiver for as long as `body` takes, which gets the address for the App Store.
    ///
    /// - Parameters: as of ``init(pool:tls:logger:refusal:)``.
    package static func withRunning<Success: Sendable>(
        pool: PostgresPool, tls: TLSConfiguration, logger: Logger, refusal: @escaping @Sendable () -> Bool = { false },
        _ body: @Sendable (_ url: String) async throws -> Success
    ) async throws -> Success {
        let receiver = NotificationReceiver(pool: pool, tls: tls, logger: logger, refusal: refusal)
        let group = ServiceGroup(configuration: .init(services: [receiver], logger: logger))
        return try await group.run {
            guard let port = await receiver.port() else { throw RehearsalError("the receiver of notifications has no port") }
            return try await body("https://localhost:\(port)/notifications")
        }
    }

    /// The port on loopback, once it is bound.
    private func port() async -> Int? {
        for await port in ports { return port }
        return nil
    }

    package func run() async throws {
        // A connection that is open when everything is cancelled is no error.
        var quiet = logger
        quiet.logLevel = .critical
        let server = try HTTPServerBuilder.tls(.http1(), tlsConfiguration: tls).buildServer(
            configuration: ServerConfiguration(address: .hostname("127.0.0.1", port: 0)),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: quiet,
            responder: { [self] request, writer, _ in
                let status = await answer(request)
                let body = try await writer.writeHead(HTTPResponse(status: status))
                try await body.finish(nil)
            },
            onServerRunning: { [bound] channel in
                bound.yield(channel.localAddress?.port ?? 0)
            })
        try await server.run()
    }

    private func answer(_ request: Request) async -> HTTPResponse.Status {
        guard request.method == .post else { return .badRequest }
        guard !refusal() else { return .serviceUnavailable }
        let text: String
        do {
            text = String(buffer: try await request.body.collect(upTo: Self.largestBody))
        } catch {
            return .contentTooLarge
        }
        do {
            let taken = try await pool.execute(RehearsalSQL.receiveNotification, [.text(text)])[0].string(0)
            if taken == "being_stored" { return .serviceUnavailable }
            if taken.hasPrefix("unreadable") { return .badRequest }
            _ = try? await pool.execute(RehearsalSQL.signalWorkers, [.text("counterfoil_jobs")])
            return .ok
        } catch {
            switch error.constraint {
            case "notification_has_at_most_256_kib": return .contentTooLarge
            default: return .serviceUnavailable
            }
        }
    }
}
