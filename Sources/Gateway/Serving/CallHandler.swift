// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Postgres
import Schema
import Synchronization
import VerificationQueue

/// Takes each request from its arrival to its answer: path, route, key, limits, and the route's own work.
final class CallHandler: Sendable {
    static let timeout = Duration.seconds(5)

    let pool: PostgresPool
    let room: WaitRoom
    let feed: FeedWatch
    let configuration: GatewayConfiguration
    let logger: Logger
    let bodies: BodyReader
    let isSignedByApple: @Sendable (String) async -> Bool
    private let observe: (@Sendable (String, Int) -> Void)?
    private let keys: KeyBook
    private let problems = Mutex(ProblemTable([:]))
    private let stopping = Atomic<Bool>(false)

    init(
        pool: PostgresPool, room: WaitRoom, feed: FeedWatch, configuration: GatewayConfiguration, logger: Logger,
        observe: (@Sendable (String, Int) -> Void)?, isSignedByApple: @escaping @Sendable (String) async -> Bool
    ) {
        self.pool = pool
        self.room = room
        self.feed = feed
        self.configuration = configuration
        self.logger = logger
        self.observe = observe
        self.isSignedByApple = isSignedByApple
        bodies = BodyReader(most: configuration.limits.bodyBytes)
        keys = KeyBook(pool: pool, limits: configuration.limits)
    }

    var isStopping: Bool { stopping.load(ordering: .acquiring) }

    func stop() { stopping.store(true, ordering: .releasing) }

    func readProblems() async throws {
        let table = try ProblemTable(try await pool.execute(SQLFile.readProblems.statement, [], timeout: Self.timeout))
        problems.withLock { $0 = table }
    }

    /// - Parameters:
    ///   - isInClear: it came over a network without TLS.
    ///   - isReady: whether a proxy shall send requests here.
    func answer(
        _ request: Request, for audience: Route.Audience, on channel: any Channel, isInClear: Bool, isReady: Bool
    ) async -> Answer {
        let requestID = RequestID.make()
        let began = ContinuousClock.now
        var routeName = "unknown"
        var keyPrefix = "-"
        let answer: Answer
        do {
            let path = try RequestPath(request.head.path ?? "/")
            let route = try Route(path, for: audience)
            routeName = route.name
            let method = request.method.rawValue
            guard route.methods.contains(method) else {
                var problem = Problem(.methodNotAllowed)
                problem.allow = route.methods
                throw problem
            }
            try check(request, isInClear: isInClear)
            switch route {
            case .liveness: answer = Answer(200, text: "alive\n", requestID: requestID)
            case .readiness: answer = Answer(isReady ? 200 : 503, text: isReady ? "ready\n" : "not ready\n", requestID: requestID)
            case .openAPI: answer = Answer(200, text: OpenAPIDocument.text, type: "application/json", requestID: requestID)
            case .problem(let name): answer = try page(of: name, requestID)
            case .notifications: answer = try await take(notification: request, requestID)
            default:
                let address = channel.remoteAddress?.ipAddress ?? "unix"
                let facts = try await keys.find(GatewayKey(authorization: request.headers[.authorization]), from: address)
                keyPrefix = facts.prefix
                if let scope = route.scope(method) { try facts.require(scope) }
                try keys.count(facts, isUpload: Self.isUpload(route, method))
                let call = Call(
                    request: request, route: route, method: method, query: path.query, requestID: requestID, key: facts,
                    onDeparture: { leave in channel.closeFuture.whenComplete { _ in leave() } })
                answer = try await self.answer(call)
            }
        } catch {
            answer = Answer(problem(error, requestID), requestID: requestID)
        }
        observe?(routeName, answer.status)
        logger.debug(
            "answered",
            metadata: [
                "route": "\(routeName)", "status": "\(answer.status)", "key": "\(keyPrefix)", "request": "\(requestID)",
                "duration_ms": "\(Int((ContinuousClock.now - began) / .milliseconds(1)))",
            ])
        return answer
    }

    private static func isUpload(_ route: Route, _ method: String) -> Bool {
        if case .proofs = route { return true }
        return false
    }

    /// Plain HTTP from a network is never taken, and a key that came so is known to others from then on.
    private func check(_ request: Request, isInClear: Bool) throws {
        guard isInClear else { return }
        if let key = GatewayKey(authorization: request.headers[.authorization]) {
            let (keys, logger) = (keys, logger)
            logger.warning("a key came over a network in clear", metadata: ["key": "\(key.prefix)"])
            markExposed(key, keys)
        }
        throw Problem(.tlsRequired)
    }

    /// Without waiting for it: the answer is the same.
    private func markExposed(_ key: GatewayKey, _ keys: KeyBook) {
        // A bridge: the refusal is answered whether or not the database is there.
        Task { await keys.markExposed(key) }
    }

    private func answer(_ call: Call) async throws -> Answer {
        switch call.route {
        case .order(let id) where call.method == "PUT": try await put(order: id, call)
        case .order(let id): try await read(order: id, call)
        case .proofs(let id): try await add(proofOf: id, call)
        case .cancellation(let id): try await cancel(order: id, call)
        case .orders: try await listOrders(call)
        case .upload(let job): try await read(upload: job, call)
        case .transactions: try await readTransaction(call)
        case .subscriptions: try await readSubscription(call)
        case .changes: try await readChanges(call)
        case .changesStart: try await startChanges(call)
        case .openAPI, .problem, .notifications, .liveness, .readiness: throw Problem(.routeUnknown)
        }
    }

    private func page(of name: String, _ requestID: String) throws(Problem) -> Answer {
        let names = problems.withLock { $0.names }.union(Problem.Name.allCases.map(\.rawValue))
        guard names.contains(name) else { throw Problem(.routeUnknown) }
        return Answer(200, text: "\(name): see the page http.md of Counterfoil.\n", requestID: requestID)
    }

    private func problem(_ error: any Error, _ requestID: String) -> Problem {
        switch error {
        case let problem as Problem: return problem
        case let error as PostgresError:
            let problem = problems.withLock { $0 }.problem(error)
            if problem.status == 500 {
                logger.error("a request failed by a bug", metadata: ["request": "\(requestID)", "error": "\(error)"])
            }
            return problem
        case is CancellationError: return Problem(.stopping)
        default:
            logger.error("a request failed by a bug", metadata: ["request": "\(requestID)", "error": "\(type(of: error))"])
            return Problem(.internalError)
        }
    }
}
