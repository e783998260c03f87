// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Hands what one side sends to its connection.
final class RelayHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    enum Side: Sendable {
        case client
        case server
    }

    private let side: Side
    private let connection: ProxyConnection

    init(_ side: Side, of connection: ProxyConnection) {
        self.side = side
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.received(unwrapInboundIn(data), from: side)
    }

    func channelInactive(context: ChannelHandlerContext) {
        connection.ended(side)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A reset is an end like any other.
        connection.ended(side)
    }
}
