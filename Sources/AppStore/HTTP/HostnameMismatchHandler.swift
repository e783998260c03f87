// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOSSL

/// Stands between a connection's encryption and its socket when the server has another name: fails the first write and
/// closes the connection.
final class HostnameMismatchHandler: ChannelOutboundHandler {
    typealias OutboundIn = NIOAny

    private var isClosing = false

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        promise?.fail(NIOSSLExtraError.failedToValidateHostname)
        guard !isClosing else { return }
        isClosing = true
        context.fireErrorCaught(NIOSSLExtraError.failedToValidateHostname)
        context.close(promise: nil)
    }

    func flush(context: ChannelHandlerContext) {
        // Nothing was let through that could be flushed.
    }
}
