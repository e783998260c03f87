// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// One client's connection and the one to the server that belongs to it.
///
/// Unchecked: both channels are of the client's event loop, and everything happens there; others come in by ``onLoop(_:)``.
final class ProxyConnection: @unchecked Sendable {
    private let proxy: WireProxy
    private let client: any Channel
    private var server: (any Channel)?
    private var conversation = Conversation()
    private var isSilent = false

    init(_ client: any Channel, of proxy: WireProxy) {
        self.client = client
        self.proxy = proxy
        conversation.rewritten = proxy.rewritten
    }

    /// The other end is reached; bytes pass from now on.
    func connected(to server: any Channel) {
        self.server = server
    }

    func onLoop(_ body: @escaping @Sendable (ProxyConnection) -> Void) {
        client.eventLoop.execute { body(self) }
    }

    func cut() {
        isSilent = true
        client.close(promise: nil)
        server?.close(promise: nil)
    }

    func silence() {
        isSilent = true
    }

    // MARK: Relaying

    func received(_ bytes: ByteBuffer, from side: RelayHandler.Side) {
        guard !isSilent else { return }
        let events =
            switch side {
            case .client: conversation.clientSent(bytes)
            case .server: conversation.serverSent(bytes)
            }
        for event in events {
            switch event {
            case .bytes(let bytes):
                send(bytes, from: side)
            case .point(let point):
                guard let trap = proxy.takeTrap(at: point) else { continue }
                spring(trap)
                return
            }
        }
    }

    func ended(_ side: RelayHandler.Side) {
        // A network that is gone tells nobody that a side has left.
        guard !isSilent else { return }
        if side == .server {
            let rest = conversation.serverEnded()
            if rest.readableBytes > 0 { client.writeAndFlush(rest, promise: nil) }
        }
        cut()
    }

    private func spring(_ trap: Trap) {
        trap.action()
        switch trap.ending {
        case .cut: cut()
        case .silence: silence()
        }
        trap.report.yield(.now)
        trap.report.finish()
    }

    private func send(_ bytes: ByteBuffer, from side: RelayHandler.Side) {
        guard let target = side == .client ? server : client else { return }
        let delay = proxy.delay
        guard delay > .nanoseconds(0) else { return target.writeAndFlush(bytes, promise: nil) }
        client.eventLoop.scheduleTask(in: delay) {
            if !self.isSilent { target.writeAndFlush(bytes, promise: nil) }
        }
    }
}
