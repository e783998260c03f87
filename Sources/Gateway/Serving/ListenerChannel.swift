// SPDX-License-Identifier: Apache-2.0

import HummingbirdCore
import Logging
import NIOCore
import NIOSSL

/// The connections of a listener. With TLS each shows the identity as it is when the connection begins to speak.
///
/// Of a listener with TLS, a connection that speaks in clear is passed on as it is: its requests are refused by name, and a key
/// that came with one is noted.
struct ListenerChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let identity: TLSIdentity?

    /// A connection keeps its first buffer. Most requests are short; for others the next buffers grow.
    private static var buffers: AdaptiveRecvByteBufferAllocator {
        AdaptiveRecvByteBufferAllocator(minimum: 512, initial: 512, maximum: 65_536)
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        channel.setOption(.recvAllocator, value: Self.buffers).flatMapThrowing { [identity] in
            if let identity { try channel.pipeline.syncOperations.addHandler(FirstByteHandler(identity)) }
        }.flatMap { base.setup(channel: channel, logger: logger) }
    }

    func handle(value: Base.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}

extension Channel {
    /// Whether a connection of a listener with TLS speaks without it.
    func isInClear() async -> Bool {
        (try? await pipeline.containsHandler(type: NIOSSLServerHandler.self).get()) == nil
    }
}

/// Puts TLS into a connection whose first byte begins a handshake (RFC 8446, 5.1). No request in HTTP begins with that byte.
private final class FirstByteHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private static let handshake: UInt8 = 22
    private let identity: TLSIdentity
    private var isDecided = false

    init(_ identity: TLSIdentity) {
        self.identity = identity
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !isDecided, let first = unwrapInboundIn(data).readableBytesView.first {
            isDecided = true
            if first == Self.handshake {
                do {
                    let tls = NIOSSLServerHandler(context: identity.context)
                    try context.pipeline.syncOperations.addHandler(tls, position: .after(self))
                } catch {
                    return context.close(promise: nil)
                }
            }
        }
        context.fireChannelRead(data)
    }
}
