// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import HummingbirdCore
import HummingbirdHTTP2
import HummingbirdTLS
package import Logging
import NIOCore
import NIOSSL
import ServiceLifecycle

/// A fake App Store over real HTTPS on the loopback.
///
/// It listens on three ports: production, sandbox, and one whose certificate a client must refuse. A call that names
/// one of Apple's hosts goes to that host's environment on whichever port it comes in; any other name, such as
/// `localhost`, goes to the port's. Clients trust it by adding ``tlsCertificateAuthorityPEM`` to their roots; the
/// signed data that it makes is trusted by adding ``authority``'s root. All certificates and keys are made in the
/// initializer and are gone with the simulator.
///
/// What it answers, and what goes wrong, can be changed while it runs. All methods may be called from any task, before
/// ``run()`` too.
package final class AppStoreSimulator: Service {
    /// Signs transactions as Apple would.
    package let authority: SimulatedCertificateAuthority
    /// The authority of the TLS certificate for Apple's host names, `localhost` and 127.0.0.1.
    package let tlsCertificateAuthorityPEM: String

    let book = ReceiptBook()
    let serverAPIBook = ServerAPIBook()
    let subscriptions: SubscriptionBook
    let reports = ReportBook()
    let notifications = NotificationBook()
    let desk: NotificationDesk
    let keys = KeyRing()
    let limiter = RateLimiter()
    let counters = CallCounters()
    let faults: FaultInjector
    private let configuration: SimulatorConfiguration
    private let transport: TransportIdentity
    private let foreignTransport: TransportIdentity
    private let logger: Logger
    private let startSignal = StartSignal()

    /// Makes the certificates; nothing listens yet.
    ///
    /// - Parameters:
    ///   - authority: to share one with other simulators or with data that is already signed; a new one when nil.
    ///   - logger: gets `debug` and below of the simulator, and the HTTP server's warnings.
    package init(
        configuration: SimulatorConfiguration = SimulatorConfiguration(),
        authority: SimulatedCertificateAuthority? = nil,
        logger: Logger = Logger(label: "app-store-simulator", factory: { _ in SwiftLogNoOpLogHandler() })
    ) throws {
        let now = configuration.now()
        self.configuration = configuration
        self.authority = try authority ?? SimulatedCertificateAuthority(now: now)
        self.logger = logger
        // Clients compare these with the real time, whatever time the simulator is told.
        transport = try TransportIdentity(now: Date())
        foreignTransport = try TransportIdentity(now: Date())
        tlsCertificateAuthorityPEM = transport.authorityPEM
        let post = NotificationPost(
            book: notifications, group: configuration.eventLoopGroup, trustRoot: transport.authorityPEM,
            hour: configuration.notificationHour, now: configuration.now)
        desk = NotificationDesk(book: serverAPIBook, notifications: notifications, post: post, authority: self.authority)
        subscriptions = SubscriptionBook(records: serverAPIBook)
        faults = FaultInjector(seed: configuration.seed)
    }

    /// Listens and answers until graceful shutdown or cancellation. Shutdown lets calls in flight finish, except those
    /// that are never to be answered.
    ///
    /// - Throws: ``CannotListen`` when a port is taken.
    package func run() async throws {
        defer { startSignal.ended() }
        let handler = makeHandler()
        let servers = try Listener.allCases.map { try makeServer($0, handler: handler) }
        try await ServiceGroup(configuration: .init(services: servers + [desk.post], logger: logger(atLeast: .warning))).run()
    }

    /// Returns when all ports are bound.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, or ``run()`` ended, before that.
    package func started() async throws {
        try await startSignal.wait()
    }

    /// The bound port that stands for production. To be read after ``started()``.
    package var productionPort: Int { port(of: .production) }

    /// The bound port that stands for sandbox. To be read after ``started()``.
    package var sandboxPort: Int { port(of: .sandbox) }

    /// The bound port with a certificate of an unknown authority. To be read after ``started()``.
    package var foreignCertificatePort: Int { port(of: .foreignCertificate) }

    private func port(of listener: Listener) -> Int {
        guard let port = startSignal.port(of: listener) else {
            preconditionFailure("a port of the simulator was read before started() returned")
        }
        return port
    }

    private func makeHandler() -> CallHandler {
        let reader = ReceiptReader(limits: configuration.receiptLimits, size: configuration.receiptMemory)
        return CallHandler(
            counters: counters,
            faults: faults,
            verifyReceipt: VerifyReceiptEndpoint(book: book, subscriptions: subscriptions, reader: reader),
            serverAPI: ServerAPIEndpoint(
                book: serverAPIBook, receipts: book, subscriptions: subscriptions, reports: reports, desk: desk,
                bearer: BearerCheck(keys: keys), limiter: limiter, authority: authority),
            control: ControlInterface(simulator: self),
            sender: AnswerSender(clock: configuration.clock),
            clock: configuration.clock,
            now: configuration.now,
            maximumRequestSize: configuration.maximumRequestSize
        )
    }

    private func makeServer(_ listener: Listener, handler: CallHandler) throws -> any Service {
        let tls = (listener == .foreignCertificate ? foreignTransport : transport).serverConfiguration
        let http1 = HTTP1Channel.Configuration(additionalChannelHandlers: [DepartureHandler()])
        let builder: HTTPServerBuilder =
            configuration.offersHTTP2
            ? try .http2Upgrade(tlsConfiguration: tls, configuration: .init(streamConfiguration: http1))
            : try .tls(.http1(configuration: http1), tlsConfiguration: tls)
        let address = (host: "127.0.0.1", port: listener.port(in: configuration))
        let server = try builder.buildServer(
            configuration: ServerConfiguration(
                address: .hostname(address.host, port: address.port), backlog: 4096),
            eventLoopGroup: configuration.eventLoopGroup,
            // A connection that is cancelled, as when another port can't be had, is no error.
            logger: logger(atLeast: .critical),
            responder: { request, writer, channel in
                try await handler.respond(to: request, with: writer, on: channel, at: listener)
            },
            onServerRunning: { [startSignal, logger] channel in
                let port = channel.localAddress?.port ?? 0
                logger.debug("simulator listens", metadata: ["listener": "\(listener)", "port": "\(port)"])
                startSignal.bound(listener, to: port)
            }
        )
        return AddressedServer(server: server, address: "\(address.host):\(address.port)")
    }

    /// How a server on the loopback presents itself to who sends notifications.
    package var receiverIdentity: TransportIdentity { transport }

    /// The simulator's logger without a library's lines below a level, which are of no interest here.
    func logger(atLeast level: Logger.Level) -> Logger {
        var quiet = logger
        quiet.logLevel = max(quiet.logLevel, level)
        return quiet
    }
}
