// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import HummingbirdCore
import HummingbirdTLS
import Logging
import NIOCore
import NIOPosix
import NIOSSL
import ServiceLifecycle

/// An address of the shop's: HTTPS on a free port of loopback.
final class LoopbackAddress: Service {
    private let tls: TLSConfiguration
    private let logger: Logger
    private let responder: HTTPChannelHandler.Responder
    private let (ports, bound) = AsyncStream.makeStream(of: Int.self)

    private init(tls: TLSConfiguration, logger: Logger, responder: @escaping HTTPChannelHandler.Responder) {
        self.tls = tls
        self.logger = logger
        self.responder = responder
    }

    /// Answers for as long as `body` takes, which gets the port.
    static func withRunning<Success: Sendable>(
        tls: TLSConfiguration, logger: Logger, responder: @escaping HTTPChannelHandler.Responder,
        _ body: @Sendable (_ port: Int) async throws -> Success
    ) async throws -> Success {
        let address = LoopbackAddress(tls: tls, logger: logger, responder: responder)
        let group = ServiceGroup(configuration: .init(services: [address], logger: logger))
        return try await group.run {
            guard let port = await address.port() else { throw RehearsalError("an address of the shop has no port") }
            return try await body(port)
        }
    }

    /// Nil when the server ended before it was bound.
    private func port() async -> Int? {
        for await port in ports { return port }
        return nil
    }

    func run() async throws {
        // A connection that is open when everything is cancelled is no error.
        var quiet = logger
        quiet.logLevel = .critical
        let server = try HTTPServerBuilder.tls(.http1(), tlsConfiguration: tls).buildServer(
            configuration: ServerConfiguration(address: .hostname("127.0.0.1", port: 0)),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: quiet, responder: responder,
            onServerRunning: { [bound] channel in
                bound.yield(channel.localAddress?.port ?? 0)
            })
        try await server.run()
    }
}
