// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import NIOPosix
package import Postgres
import Schema
import ServiceLifecycle
import Synchronization

/// The door for who doesn't speak SQL: HTTP for a shop's servers, and an address for Apple. It holds no state that matters: any
/// number of them may run.
package final class Gateway: Service {
    /// How long requests may go on once it stops.
    private static let longestStop = Duration.seconds(5)

    /// A gateway at one moment.
    package struct Snapshot: Sendable {
        package let isListening: Bool
        package let isStopping: Bool
        /// The database answered the last look, and its schema fits.
        package let reachesDatabase: Bool
        package let waits: Int
        /// When the certificate of each listener with TLS ends, in seconds since 1970.
        package let certificateEnds: [Route.Audience: Int]
    }

    /// An address can't be listened on.
    package struct CannotListen: Error, CustomStringConvertible {
        package let description: String
    }

    private struct State {
        var ports: [Route.Audience: Int] = [:]
        var expected = 0
        var isStopping = false
        var reachesDatabase = false
        /// The log has that the database was away.
        var isTold = false
    }

    private let configuration: GatewayConfiguration
    private let pool: PostgresPool
    private let room: WaitRoom
    private let feed: FeedWatch
    private let handler: CallHandler
    private let identities: [Route.Audience: TLSIdentity]
    private let logger: Logger
    private let state: Mutex<State>
    /// Yields once, when it listens and the database answered.
    package let readiness: AsyncStream<Void>
    private let becomeReady: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - listening: of a direct connection, for the feed's signals.
    ///   - observe: called with each request that was answered; must be quick.
    ///   - isSignedByApple: whether a text is a notification that Apple signed.
    /// - Throws: ``TLSFault`` if a listener is to have TLS, and its files aren't good.
    package init(
        _ configuration: GatewayConfiguration, pool: PostgresPool, listening: PostgresConfiguration, logger: Logger,
        observe: (@Sendable (_ route: String, _ status: Int) -> Void)? = nil,
        isSignedByApple: @escaping @Sendable (String) async -> Bool
    ) throws(TLSFault) {
        self.configuration = configuration
        var identities: [Route.Audience: TLSIdentity] = [:]
        for (audience, files) in configuration.tls { identities[audience] = try TLSIdentity(files) }
        self.identities = identities
        self.pool = pool
        self.logger = logger
        room = WaitRoom(pool: pool, most: configuration.limits.waits, logger: logger)
        feed = FeedWatch(pool: pool, listening: listening, room: room, logger: logger)
        handler = CallHandler(
            pool: pool, room: room, feed: feed, configuration: configuration, logger: logger, observe: observe,
            isSignedByApple: isSignedByApple)
        state = Mutex(State())
        (readiness, becomeReady) = AsyncStream.makeStream()
    }

    package func snapshot() -> Snapshot {
        state.withLock {
            Snapshot(
                isListening: $0.expected > 0 && $0.ports.count == $0.expected, isStopping: $0.isStopping,
                reachesDatabase: $0.reachesDatabase, waits: room.count, certificateEnds: identities.mapValues(\.notAfter))
        }
    }

    /// Reads the files of certificates and keys again. New connections get what is good; a listener whose files aren't good keeps
    /// what it has.
    package func reload() {
        for (audience, identity) in identities {
            do throws(TLSFault) {
                try identity.reload()
                logger.notice("certificate read again", metadata: ["for": "\(audience)"])
            } catch {
                logger.error(
                    "the certificate stays as it was: its new files are refused",
                    metadata: ["for": "\(audience)", "problem": "\(error.name.rawValue)", "file": "\(error.file)"])
            }
        }
    }

    /// The bound port; nil before it is bound, and of a socket's path.
    package func port(of audience: Route.Audience) -> Int? { state.withLock { $0.ports[audience] } }

    /// Listens and answers until graceful shutdown: then waits are answered with what is, and it ends within five seconds.
    ///
    /// - Throws: ``CannotListen``.
    package func run() async throws {
        defer { becomeReady.finish() }
        var listeners: [(Route.Audience, GatewayAddress)] = []
        if let address = configuration.shopAddress { listeners.append((.shop, address)) }
        if let address = configuration.appleAddress { listeners.append((.apple, address)) }
        state.withLock { $0.expected = listeners.count }
        let servers = try listeners.map { ($0.1, try makeServer($0.0, $0.1)) }
        try await withThrowingTaskGroup(of: Part.self) { group in
            group.addTask { [self] in
                try await room.run()
                return .helper
            }
            group.addTask { [self] in
                try await feed.run()
                return .helper
            }
            group.addTask { [self] in
                try await watchDatabase()
                return .helper
            }
            for (address, server) in servers {
                group.addTask {
                    do {
                        try await server.run()
                    } catch let error as IOError {
                        throw CannotListen(description: "can't listen on \(address): \(String(cString: strerror(error.errnoCode)))")
                    }
                    return .listener
                }
            }
            group.addTask { [self] in
                try? await gracefulShutdown()
                guard !Task.isCancelled else { return .helper }
                stop()
                try? await Task.sleep(for: Self.longestStop)
                return .patience
            }
            var listening = servers.count
            while listening > 0, let ended = try await group.next() {
                switch ended {
                // Asked to stop, listeners end by themselves once their requests are answered.
                case .listener: listening -= 1
                case .patience: listening = 0
                case .helper: break
                }
            }
            group.cancelAll()
        }
    }

    /// What runs while it listens.
    private enum Part: Sendable { case listener, helper, patience }

    private func stop() {
        state.withLock { $0.isStopping = true }
        handler.stop()
        room.stop()
    }

    /// Asks the database once in a while: a proxy shall send requests to a gateway that reaches it.
    ///
    /// - Throws: ``PostgresError`` when the database lets this role not in, or not do what a gateway does, from the beginning on.
    private func watchDatabase() async throws {
        var isFirst = true
        while !Task.isCancelled {
            do {
                try await handler.inspect()
                state.withLock { $0.reachesDatabase = true }
                if isFirst {
                    isFirst = false
                    becomeReady.yield()
                }
            } catch let error as PostgresError
                where isFirst && (error.kind == .authentication || error.sqlState == .insufficientPrivilege)
            {
                throw error
            } catch {
                let isNews = state.withLock { state in
                    defer { (state.reachesDatabase, state.isTold) = (false, true) }
                    return state.reachesDatabase || !state.isTold
                }
                if isNews { logger.warning("the gateway can't answer from the database", metadata: ["error": "\(error)"]) }
            }
            try? await Task.sleep(for: isFirst ? .milliseconds(200) : .seconds(2))
        }
    }

    private func makeServer(_ audience: Route.Audience, _ address: GatewayAddress) throws -> any Service {
        var http1 = HTTP1Channel.Configuration(
            additionalChannelHandlers: [ConnectionGuard(self.configuration.deadlines)],
            httpDecoderConfiguration: .init(maxHeaderFieldSize: 16_384, maxHeaderListSize: 16_384, maxHeaderFieldCount: 64))
        http1.idleTimeout = nil
        let bound: BindAddress =
            switch address {
            case .network(let host, let port): .hostname(host, port: port)
            case .unix(let path): .unixDomainSocket(path: path)
            }
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .warning)
        let identity = identities[audience]
        let isReachedByNetwork = address.isReachedByNetwork
        let builder = HTTPServerBuilder { [http1] responder in
            ListenerChannel(base: HTTP1Channel(responder: responder, configuration: http1), identity: identity)
        }
        return try builder.buildServer(
            configuration: ServerConfiguration(
                address: bound, backlog: 4096,
                availableConnectionsDelegate: MaximumAvailableConnections(configuration.limits.connections)),
            eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: quiet,
            responder: { [self] request, writer, channel in
                // A bridge. A task keeps all the memory that its deepest call took, and a connection's task lives as long as the
                // connection: in a task of its own, a request that waits holds little.
                let step = await Task { [self] in
                    let isInClear = if identity == nil { isReachedByNetwork } else { await channel.isInClear() }
                    let isReady = state.withLock { $0.reachesDatabase && !$0.isStopping }
                    return await handler.begin(request, for: audience, on: channel, isInClear: isInClear, isReady: isReady)
                }.value
                let answer =
                    switch step {
                    case .answer(let answer): answer
                    case .wait(let wait): await handler.finish(wait, on: channel)
                    }
                try await writer.write(response: answer.head, body: ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
            },
            onServerRunning: { [self] channel in
                let port = channel.localAddress?.port ?? 0
                state.withLock { $0.ports[audience] = port }
                logger.notice("the gateway listens", metadata: ["for": "\(audience)", "address": "\(address)", "port": "\(port)"])
            })
    }
}
