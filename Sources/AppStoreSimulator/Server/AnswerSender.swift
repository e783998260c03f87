// SPDX-License-Identifier: Apache-2.0

import Glibc
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOSSL
import ServiceLifecycle

/// Sends answers, well or badly.
struct AnswerSender: Sendable {
    /// Thrown to make the server drop a connection on which nothing more may be sent.
    private struct ConnectionDropped: Error {}

    private static let pieceSize = 64 * 1024
    private static let dribbledPieces = 20

    let clock: any Clock<Duration>

    /// Sends `answer` in the way of `delivery`; returns when all of it is handed to the network, and throws where the
    /// connection is not to be used again.
    @concurrent
    func send(
        _ answer: Answer,
        by delivery: Delivery,
        with writer: consuming ResponseWriter,
        on channel: any Channel
    ) async throws {
        switch delivery {
        case .whole:
            try await sendWhole(answer, with: writer)
        case .delayed(let duration):
            try await clock.sleep(for: duration)
            try await sendWhole(answer, with: writer)
        case .dribbled(let duration):
            try await sendDribbled(answer, over: duration, with: writer)
        case .cut:
            var body = try await writer.writeHead(head(of: answer))
            try await body.write(ByteBuffer(bytes: answer.body.prefix(answer.body.count / 2)))
            try await reset(channel)
            throw ConnectionDropped()
        case .disconnected:
            try await reset(channel)
            throw ConnectionDropped()
        case .withheld:
            await waitForClose(of: channel)
            throw ConnectionDropped()
        }
    }

    @concurrent
    private func sendWhole(_ answer: Answer, with writer: consuming ResponseWriter) async throws {
        guard answer.padding > 0 else {
            let body = ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body))
            try await writer.write(response: head(of: answer), body: body)
            return
        }
        var body = try await writer.writeHead(head(of: answer))
        var remaining = answer.padding
        let piece = ByteBuffer(repeating: UInt8(ascii: " "), count: Self.pieceSize)
        while remaining > 0 {
            let size = min(remaining, Self.pieceSize)
            try await body.write(piece.getSlice(at: 0, length: size) ?? piece)
            remaining -= size
        }
        try await body.write(ByteBuffer(bytes: answer.body))
        try await body.finish(nil)
    }

    @concurrent
    private func sendDribbled(
        _ answer: Answer, over duration: Duration, with writer: consuming ResponseWriter
    ) async throws {
        var body = try await writer.writeHead(head(of: answer))
        let pieceSize = max(1, (answer.body.count + Self.dribbledPieces - 1) / Self.dribbledPieces)
        var rest = answer.body[...]
        while !rest.isEmpty {
            try await clock.sleep(for: duration / Self.dribbledPieces)
            try await body.write(ByteBuffer(bytes: rest.prefix(pieceSize)))
            rest = rest.dropFirst(pieceSize)
        }
        try await body.finish(nil)
    }

    private func head(of answer: Answer) -> HTTPResponse {
        var fields = HTTPFields()
        fields[.contentType] = answer.contentType
        fields[.contentLength] = String(answer.padding + answer.body.count)
        if let location = answer.location { fields[.location] = location }
        if let retryAfter = answer.retryAfter { fields[.retryAfter] = retryAfter }
        return HTTPResponse(status: HTTPResponse.Status(code: answer.httpStatus), headerFields: fields)
    }

    /// Closes the connection with a TCP reset and without TLS's farewell. A stream of HTTP/2 is reset alone.
    private func reset(_ channel: any Channel) async throws {
        if let socket = channel as? any SocketOptionProvider {
            try await socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        }
        try await channel.eventLoop.submit {
            // Closing from the TLS handler's place passes it by, and with it the alert that it would send.
            let pipeline = channel.pipeline.syncOperations
            if let context = try? pipeline.context(handlerType: NIOSSLServerHandler.self) {
                context.close(promise: nil)
            } else {
                pipeline.close(promise: nil)
            }
        }.get()
    }

    /// Returns when the client has gone, or when the simulator is to stop.
    private func waitForClose(of channel: any Channel) async {
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        channel.closeFuture.whenComplete { _ in continuation.finish() }
        await cancelWhenGracefulShutdown {
            for await _ in stream {}
        }
    }
}

/// How an answer goes out.
enum Delivery: Sendable, Equatable {
    case whole
    /// Whole, but begun only after a while.
    case delayed(Duration)
    /// The head at once, the body in pieces over the time.
    case dribbled(Duration)
    /// Head and half of the body, then a reset.
    case cut
    /// Not at all; the connection is cut.
    case disconnected
    /// Not at all; the connection stays open.
    case withheld
}
