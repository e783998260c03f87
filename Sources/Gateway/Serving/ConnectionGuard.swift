// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTPTypes

/// How long a connection may take over what it sends and reads.
package struct ConnectionDeadlines: Sendable {
    /// Of a new connection's first header; default 10 s.
    package var header = Duration.seconds(10)
    /// Between an answer and the end of the next header; default 75 s.
    package var idle = Duration.seconds(75)
    /// Between two looks at how much of a body came; default 5 s.
    package var bodyInterval = Duration.seconds(5)
    /// Bytes a second of a body, in each interval; default 4,000.
    package var bodyRate = 4_000
    /// Of a whole body; default 5 min.
    package var body = Duration.seconds(300)
    /// Until an answer is taken; default 30 s.
    package var write = Duration.seconds(30)
    /// Bytes of a body that are read, and thrown away, after the answer; default 16 MiB.
    package var mostBodyBytes = 16 * 1_048_576

    package init() {}
}

/// Ends connections that take too long, and answers what is no HTTP. It stands behind the decoder: a header that is not complete
/// has not reached it.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let deadlines: ConnectionDeadlines
    private var timer: Scheduled<Void>?
    private var isReadingBody = false
    private var bodyBytes = 0
    private var bytesAtLastLook = 0
    private var bodyBegan = NIODeadline.now()
    /// Requests whose answer isn't whole.
    private var unanswered = 0
    private var isAnswerBegun = false

    init(_ deadlines: ConnectionDeadlines) {
        self.deadlines = deadlines
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { awaitHeader(context, deadlines.header) }
    }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func channelActive(context: ChannelHandlerContext) {
        awaitHeader(context, deadlines.header)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            unanswered += 1
            isReadingBody = true
            (bodyBytes, bytesAtLastLook, bodyBegan) = (0, 0, .now())
            schedule(context, deadlines.bodyInterval) { $0.lookAtBody($1) }
        case .body(let buffer):
            bodyBytes += buffer.readableBytes
            if bodyBytes > deadlines.mostBodyBytes { return context.close(promise: nil) }
        case .end:
            isReadingBody = false
            timer?.cancel()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head:
            isAnswerBegun = true
        case .body: break
        case .end:
            isAnswerBegun = false
            unanswered -= 1
            let written = promise ?? context.eventLoop.makePromise()
            schedule(context, deadlines.write) { _, context in context.close(promise: nil) }
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            written.futureResult.whenSuccess {
                let (handler, context) = bound.value
                if handler.unanswered == 0, !handler.isReadingBody { handler.awaitHeader(context, handler.deadlines.idle) }
            }
            return context.write(data, promise: written)
        }
        context.write(data, promise: promise)
    }

    /// The client has gone: nobody hears an answer.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event {
            context.close(promise: nil)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    /// What isn't HTTP is answered here: behind this nobody knows of a request.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard unanswered == 0 else { return context.fireErrorCaught(error) }
        refuse(context, Problem(.malformedRequest, "this is no HTTP/1.1"))
    }

    private func awaitHeader(_ context: ChannelHandlerContext, _ duration: Duration) {
        schedule(context, duration) { handler, context in
            // A connection on which nothing was asked yet is slow; one after an answer is only idle.
            handler.refuse(context, Problem(.requestTooSlow, "the header did not come in time"))
        }
    }

    private func lookAtBody(_ context: ChannelHandlerContext) {
        guard isReadingBody else { return }
        let least = Double(deadlines.bodyRate) * (deadlines.bodyInterval / .seconds(1))
        let isSlow = Double(bodyBytes - bytesAtLastLook) < least
        if isSlow || NIODeadline.now() - bodyBegan > TimeAmount(deadlines.body) {
            return refuse(context, Problem(.requestTooSlow, "the body did not come in time"))
        }
        bytesAtLastLook = bodyBytes
        schedule(context, deadlines.bodyInterval) { $0.lookAtBody($1) }
    }

    private func schedule(
        _ context: ChannelHandlerContext, _ duration: Duration, _ act: @escaping (ConnectionGuard, ChannelHandlerContext) -> Void
    ) {
        timer?.cancel()
        let bound = NIOLoopBound((self, context, act), eventLoop: context.eventLoop)
        timer = context.eventLoop.scheduleTask(in: TimeAmount(duration)) {
            let (handler, context, act) = bound.value
            act(handler, context)
        }
    }

    /// Answers, unless an answer has begun, and closes.
    private func refuse(_ context: ChannelHandlerContext, _ problem: Problem) {
        timer?.cancel()
        guard !isAnswerBegun, context.channel.isActive else { return context.close(promise: nil) }
        isAnswerBegun = true
        let answer = Answer(problem, requestID: RequestID.make())
        var head = answer.head
        head.headerFields[.connection] = "close"
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(ByteBuffer(bytes: answer.body))), promise: nil)
        let written = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        written.futureResult.whenComplete { _ in bound.value.close(promise: nil) }
        // Nothing is written before the end of a handshake, nor to whoever doesn't read.
        schedule(context, deadlines.write) { _, context in context.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
    }
}
