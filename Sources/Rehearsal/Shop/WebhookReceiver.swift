// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import HummingbirdCore
package import Logging
import NIOCore
package import NIOSSL
import Synchronization

/// A shop's address for webhooks. It keeps each call, and answers it as its caller in the rehearsal decides.
package final class WebhookReceiver: Sendable {
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

    /// The answer to one call.
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

    private let reply: @Sendable (Call) -> Reply
    private let received = Mutex<[Call]>([])

    private init(reply: @escaping @Sendable (Call) -> Reply) {
        self.reply = reply
    }

    /// All calls so far.
    package var calls: [Call] { received.withLock { $0 } }

    /// Runs a receiver on loopback for as long as `body` takes, which gets its port.
    package static func withRunning<Success: Sendable>(
        tls: TLSConfiguration, logger: Logger, reply: @escaping @Sendable (Call) -> Reply = { _ in Reply() },
        _ body: @Sendable (_ receiver: WebhookReceiver, _ port: Int) async throws -> Success
    ) async throws -> Success {
        let receiver = WebhookReceiver(reply: reply)
        return try await LoopbackAddress.withRunning(
            tls: tls, logger: logger,
            responder: { request, writer, _ in
                let reply = receiver.reply(await receiver.note(request))
                if reply.delay > .zero { try await Task.sleep(for: reply.delay) }
                var response = HTTPResponse(status: .init(code: reply.status))
                for (name, value) in reply.headers {
                    if let name = HTTPField.Name(name) { response.headerFields[name] = value }
                }
                var body = try await writer.writeHead(response)
                if !reply.body.isEmpty { try await body.write(ByteBuffer(string: reply.body)) }
                if reply.drip > .zero { try await Task.sleep(for: reply.drip) }
                try await body.finish(nil)
            }
        ) { port in
            try await body(receiver, port)
        }
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
