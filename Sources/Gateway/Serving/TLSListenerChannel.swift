// SPDX-License-Identifier: Apache-2.0

import HummingbirdCore
import Logging
import NIOCore
import NIOSSL

/// The connections of a listener with TLS. Each shows the identity as it is when the connection begins to speak.
///
/// A connection that speaks in clear is passed on as it is: its requests are refused by name, and a key that came with one is noted
/// (``isInClear(_:)``).
struct TLSListenerChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let identity: TLSIdentity

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        channel.eventLoop.makeCompletedFuture { [identity] in
            try channel.pipeline.syncOperations.addHandler(FirstByteHandler(identity))
        }.flatMap { base.setup(channel: channel, logger: logger) }
    }

    func handle(value: Base.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}

extension ServerChildChannel {
    func behindTLS(_ identity: TLSIdentity) -> any ServerChildChannel { TLSListenerChannel(base: self, identity: identity) }
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
