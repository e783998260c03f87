// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Closes a connection as soon as the client has closed its side.
///
/// The HTTP server allows half-closed connections, so that its own side would stay open, and a call that is never
/// answered would never learn that nobody waits for it. Streams of HTTP/2 are half closed by every finished request and
/// are left alone; they are reset when the client goes.
final class DepartureHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event, context.channel is any SocketOptionProvider {
            context.close(promise: nil)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }
}
