// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import HTTPTypes
import HummingbirdCore
import HummingbirdTLS
package import Logging
import NIOCore
import NIOPosix
package import NIOSSL
import ServiceLifecycle
import Synchronization

/// A shop's address for webhooks: notes each call, and answers as it is told.
package final class WebhookReceiver: Service {
    /// One call, as it came.
    package struct Call: Sendable {
        package let path: String
        package let id: String
        package let timestamp: String
        package let signature: String
        package let contentType: String
        package let body: String
        package let at: ContinuousClock.Instant
    }

    /// What a call is answered.
    package struct Reply: Sendable {
        package var status = 204
        package var headers: [String: String] = [:]
        package var body = ""
        /// Before the answer's head.
        package var delay: Duration = .zero
        /// Before the last byte of the body.
        package var drip: Duration = .zero

        package init(_ status: Int = 204) {
            self.status = status
        }
    }

    private static let largestBody = 64 * 1024

    private let tls: TLSConfiguration
    private let logger: Logger
    private let reply: @Sendable (Call) -> Reply
    private let received = Mutex<[Call]>([])
    private let (ports, bound) = AsyncStream.makeStream(of: Int.self)

    private init(tls: TLSConfiguration, logger: Logger, reply: @escaping @Sendable (Call) -> Reply) {
        self.tls = tls
        self.logger = logger
        self.reply = reply
    }

    /// All calls so far.
    package var calls: [Call] { received.withLock { $0 } }

    /// Runs a receiver on loopback for as long as `body` takes, which gets its port.
    package static func withRunning<Success: Sendable>(
        tls: TLSConfiguration, logger: Logger, reply: @escaping @Sendable (Call) -> Reply = { _ in Reply() },
        _ body: @Sendable (_ receiver: WebhookReceiver, _ port: Int) async throws -> Success
    ) async throws -> Success {
        let receiver = WebhookReceiver(tls: tls, logger: logger, reply: reply)
        let group = ServiceGroup(configuration: .init(services: [receiver], logger: logger))
        return try await group.run {
            guard let port = await receiver.port() else { throw RehearsalError("the receiver of webhooks has no port") }
            return try await body(receiver, port)
        }
    }

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
                let reply = reply(await note(request))
                if reply.delay > .zero { try await Task.sleep(for: reply.delay) }
                var response = HTTPResponse(status: .init(code: reply.status))
                for (name, value) in reply.headers {
                    if let name = HTTPField.Name(name) { response.headerFields[name] = value }
                }
                var body = try await writer.writeHead(response)
                if !reply.body.isEmpty { try await body.write(ByteBuffer(string: reply.body)) }
                if reply.drip > .zero { try await Task.sleep(for: reply.drip) }
                try await body.finish(nil)
            },
            onServerRunning: { [bound] channel in
                bound.yield(channel.localAddress?.port ?? 0)
            })
        try await server.run()
    }

    private func note(_ request: Request) async -> Call {
        func header(_ name: String) -> String { HTTPField.Name(name).flatMap { request.headers[$0] } ?? "" }
        let body = try? await request.body.collect(upTo: Self.largestBody)
        let call = Call(
            path: request.uri.path, id: header("webhook-id"), timestamp: header("webhook-timestamp"),
            signature: header("webhook-signature"), contentType: header("content-type"),
            body: body.map { String(buffer: $0) } ?? "",
            at: .now)
        received.withLock { $0.append(call) }
        return call
    }
}
