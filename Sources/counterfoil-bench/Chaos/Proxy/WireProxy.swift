// SPDX-License-Identifier: Apache-2.0

import EventSources
import NIOCore
import NIOPosix
import Synchronization

/// The network between one worker and its database, on loopback: passes everything on, until it is told to delay, to cut, to
/// go silent, or to do something when a certain statement passes.
final class WireProxy: Sendable {
    /// What becomes of new connections.
    enum Mode: Sendable {
        case forward
        /// They are ended at once.
        case refuse
    }

    private struct State {
        var mode = Mode.forward
        var delay = TimeAmount.zero
        var traps: [Trap] = []
        var trapsSet = 0
        /// All that ever were: what was silenced stays open on one side until the end.
        var connections: [ProxyConnection] = []
    }

    private struct Refused: Error {}

    /// By a statement's name, the text that the server gets in place of its own.
    let rewritten: [String: String]
    private let serverPort: Int
    private let state = Mutex(State())
    private let listener = Mutex<(any Channel)?>(nil)

    private init(to serverPort: Int, rewriting rewritten: [String: String]) {
        self.serverPort = serverPort
        self.rewritten = rewritten
    }

    /// Runs `body` with a number of proxies that lead to a port of 127.0.0.1.
    ///
    /// - Parameter rewritten: by a statement's name, the text that the server gets in place of its own.
    static func withProxies<Success: Sendable>(
        _ count: Int, to serverPort: Int, rewriting rewritten: [String: String] = [:],
        _ body: ([WireProxy]) async throws -> Success
    ) async throws -> Success {
        let proxies = (0..<count).map { _ in WireProxy(to: serverPort, rewriting: rewritten) }
        return try await endingLast {
            for proxy in proxies { await proxy.end() }
        } _: {
            for proxy in proxies { try await proxy.listen() }
            return try await body(proxies)
        }
    }

    /// The port on 127.0.0.1 that clients connect to.
    var port: Int { listener.withLock { $0?.localAddress?.port ?? 0 } }

    /// How long everything takes in each direction; what is on its way already comes in time.
    var delay: TimeAmount {
        get { state.withLock { $0.delay } }
        set { state.withLock { $0.delay = newValue } }
    }

    /// Changes what becomes of new connections; those that stand are left alone.
    func setMode(_ mode: Mode) {
        state.withLock { $0.mode = mode }
    }

    /// Ends all connections, on both sides.
    func cutAll() {
        for connection in connections { connection.onLoop { $0.cut() } }
    }

    /// Lets nothing pass on the connections that stand, and tells neither side.
    func silenceAll() {
        for connection in connections { connection.onLoop { $0.silence() } }
    }

    /// Waits for the next connection that comes to a point, does `action` there, and ends the connection.
    ///
    /// - Returns: when that was; nil when none came there in time.
    func spring(
        at point: NamedPoint, _ ending: Trap.Ending, within limit: Duration, action: @escaping @Sendable () -> Void = {}
    ) async -> ContinuousClock.Instant? {
        let (reports, report) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
        let number = state.withLock { state in
            state.trapsSet += 1
            state.traps.append(
                Trap(number: state.trapsSet, point: point, ending: ending, action: action, report: report))
            return state.trapsSet
        }
        return await withTaskGroup { group in
            group.addTask { await reports.first { _ in true } }
            group.addTask {
                try? await Task.sleep(for: limit)
                // Whoever takes the trap at this very moment reports all the same.
                self.state.withLock { state in
                    let left = state.traps.firstIndex { $0.number == number }
                    if let left { state.traps.remove(at: left).report.finish() }
                }
                return nil
            }
            let first = await group.next() ?? nil
            if first == nil { return await group.next() ?? nil }
            group.cancelAll()
            return first
        }
    }

    /// The trap at a point, which is no longer set then.
    func takeTrap(at point: NamedPoint) -> Trap? {
        state.withLock { state in
            state.traps.firstIndex { $0.point == point }.map { state.traps.remove(at: $0) }
        }
    }

    // MARK: Connections

    private var connections: [ProxyConnection] { state.withLock { $0.connections } }

    private func listen() async throws {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 256)
            .childChannelInitializer { self.accept($0) }
            .bind(host: "127.0.0.1", port: 0).get()
        listener.withLock { $0 = channel }
    }

    private func accept(_ client: any Channel) -> EventLoopFuture<Void> {
        let connection = ProxyConnection(client, of: self)
        let mode = state.withLock { state in
            state.connections.append(connection)
            return state.mode
        }
        switch mode {
        case .refuse:
            return client.eventLoop.makeFailedFuture(Refused())
        case .forward:
            return ClientBootstrap(group: client.eventLoop)
                .channelInitializer { Self.relay(.server, $0, connection) }
                .connect(host: "127.0.0.1", port: serverPort)
                .flatMap { server in
                    connection.connected(to: server)
                    return Self.relay(.client, client, connection)
                }
        }
    }

    private static func relay(
        _ side: RelayHandler.Side, _ channel: any Channel, _ connection: ProxyConnection
    ) -> EventLoopFuture<Void> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(RelayHandler(side, of: connection))
        }
    }

    private func end() async {
        setMode(.refuse)
        let channel = listener.withLock { $0.take() }
        try? await channel?.close()
        cutAll()
    }
}
