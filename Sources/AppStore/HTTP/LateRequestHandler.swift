// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// The latest time at which a request may be written, and the answer to one that comes later.
///
/// A call takes its turn before the HTTP client finds a connection for it. Connecting, the handshake, a wait for a free connection,
/// or a suspended process may take longer than the turn lasts, and afterwards all these calls would leave at once.
/// ``LateRequestHandler`` therefore looks at the clock once more when the request is about to be written. The client knows nothing
/// of a request but its head, so that the time travels as a header, which the handler removes.
enum LatestStart {
    private static let header = "Counterfoil-Latest-Start"

    /// Marks the answer. No server can send it: the name is none that HTTP allows.
    private static let mark = "too late"

    private static let origin = ContinuousClock.now

    static func write(_ instant: ContinuousClock.Instant, to headers: inout HTTPHeaders) {
        headers.replaceOrAdd(name: header, value: String(origin.duration(to: instant) / .nanoseconds(1)))
    }

    /// Removes the time from a request's headers; returns whether it is over.
    static func hasPassed(takenFrom headers: inout HTTPHeaders, at now: ContinuousClock.Instant) -> Bool {
        guard let text = headers.first(name: header) else { return false }
        headers.remove(name: header)
        guard let nanoseconds = Double(text) else { return true }
        return now > origin + .nanoseconds(1) * nanoseconds
    }

    /// Whether the answer is not the server's: the request was late, and nothing of it was written.
    static func isMarked(_ headers: HTTPHeaders) -> Bool { headers.contains(name: mark) }

    fileprivate static let answer = HTTPResponseHead(
        version: .http1_1, status: .requestTimeout, headers: [mark: "", "Content-Length": "0"])
}

/// Answers a request whose turn is over in place of the server, so that its connection stays, and is there when the call comes
/// again.
final class LateRequestHandler: ChannelDuplexHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    private var isLate = false

    /// Puts one into a connection of the HTTP client, between the client and what encodes its requests. Without it, the connection
    /// is closed.
    static func add(to channel: any Channel) {
        do {
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
            try pipeline.addHandler(LateRequestHandler(), position: .after(decoder))
        } catch {
            channel.close(promise: nil)
        }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(var head):
            isLate = LatestStart.hasPassed(takenFrom: &head.headers, at: .now)
            guard isLate else { return context.write(wrapOutboundOut(.head(head)), promise: promise) }
        case .body, .end:
            guard isLate else { return context.write(data, promise: promise) }
            if case .end = unwrapOutboundIn(data) { answer(context) }
        }
        promise?.succeed()
    }

    /// After the client has noted that its request is sent.
    private func answer(_ context: ChannelHandlerContext) {
        context.eventLoop.assumeIsolated().execute {
            // A call that was cancelled has closed its connection.
            guard context.channel.isActive else { return }
            context.fireChannelRead(self.wrapInboundOut(.head(LatestStart.answer)))
            context.fireChannelRead(self.wrapInboundOut(.end(nil)))
            context.fireChannelReadComplete()
        }
    }
}
