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
    /// Why this program can't answer from this database; nil where it can.
    private let misfit = Mutex<SchemaMisfit?>(nil)
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

    /// Those who wait are answered with what is.
    func stop() {
        stopping.store(true, ordering: .releasing)
        feed.news.ringForAll()
    }

    /// Looks at what answers depend on.
    ///
    /// - Throws: ``SchemaMisfit``; what the database throws.
    func inspect() async throws {
        let rows = try await pool.execute(
            SQLFile.judgeSchema.statement, [.int4Array(Migration.all.map(\.id))], timeout: Self.timeout)
        let found = try rows.first.flatMap { try SchemaMisfit($0) }
        misfit.withLock { $0 = found }
        if let found { throw found }
        let table = try ProblemTable(try await pool.execute(SQLFile.readProblems.statement, [], timeout: Self.timeout))
        problems.withLock { $0 = table }
    }

    /// A request's answer, or what it waits for before ``finish(_:on:)`` has it.
    enum Step: Sendable {
        case answer(Answer)
        case wait(OrderWait)
    }

    /// The facts of one request that the log and the metrics have.
    struct Record: Sendable {
        let requestID = RequestID.make()
        let began = ContinuousClock.now
        var route = "unknown"
        var keyPrefix = "-"
    }

    /// - Parameters:
    ///   - isInClear: it came over a network without TLS.
    ///   - isReady: whether a proxy shall send requests here.
    func begin(
        _ request: Request, for audience: Route.Audience, on channel: any Channel, isInClear: Bool, isReady: Bool
    ) async -> Step {
        var record = Record()
        let requestID = record.requestID
        let address = channel.remoteAddress?.ipAddress ?? "unix"
        let answer: Answer
        do {
            try check(request, from: address, isInClear: isInClear)
            let path = try RequestPath(request.head.path ?? "/")
            let route = try Route(path, for: audience)
            record.route = route.name
            let method = request.method.rawValue
            guard route.methods.contains(method) else {
                var problem = Problem(.methodNotAllowed)
                problem.allow = route.methods
                throw problem
            }
            switch route {
            case .liveness: answer = Answer(200, text: "alive\n", requestID: requestID)
            case .readiness: answer = Answer(isReady ? 200 : 503, text: isReady ? "ready\n" : "not ready\n", requestID: requestID)
            case .openAPI: answer = Answer(200, text: OpenAPIDocument.text, type: "application/json", requestID: requestID)
            case .problem(let name): answer = try page(of: name, requestID)
            case .notifications:
                try checkSchema()
                answer = try await take(notification: request, requestID)
            default:
                try checkSchema()
                let facts = try await keys.find(GatewayKey(authorization: request.headers[.authorization]), from: address)
                record.keyPrefix = facts.prefix
                if let scope = route.scope(method) { try facts.require(scope) }
                try keys.count(facts, isUpload: Self.isUpload(route, method))
                let call = Call(
                    request: request, route: route, method: method, query: path.query, requestID: requestID, key: facts)
                if case .order(let id) = route, method == "GET" {
                    switch try await read(order: id, call) {
                    case .answer(let found): answer = found
                    case .wait(var wait):
                        wait.record = record
                        return .wait(wait)
                    }
                } else {
                    answer = try await self.answer(call)
                }
            }
        } catch {
            answer = Answer(problem(error, requestID), requestID: requestID)
        }
        tell(of: record, answer)
        return .answer(answer)
    }

    /// Waits for the order's news.
    func finish(_ wait: OrderWait, on channel: any Channel) async -> Answer {
        let answer: Answer
        do {
            answer = try wait.answer(
                await room.wait(for: wait.order, of: wait.account, known: wait.known, until: wait.deadline) { leave in
                    channel.closeFuture.whenComplete { _ in leave() }
                })
        } catch {
            answer = Answer(problem(error, wait.record.requestID), requestID: wait.record.requestID)
        }
        tell(of: wait.record, answer)
        return answer
    }

    private func tell(of record: Record, _ answer: Answer) {
        observe?(record.route, answer.status)
        logger.debug(
            "answered",
            metadata: [
                "route": "\(record.route)", "status": "\(answer.status)", "key": "\(record.keyPrefix)",
                "request": "\(record.requestID)", "duration_ms": "\(Int((ContinuousClock.now - record.began) / .milliseconds(1)))",
            ])
    }

    /// Another program's tables may mean something else.
    private func checkSchema() throws(Problem) {
        if let misfit = misfit.withLock({ $0 }) { throw misfit.problem }
    }

    private static func isUpload(_ route: Route, _ method: String) -> Bool {
        if case .proofs = route { return true }
        return false
    }

    /// Plain HTTP from a network is never taken, and a key that came so is known to others from then on.
    private func check(_ request: Request, from address: String, isInClear: Bool) throws(Problem) {
        guard isInClear else { return }
        if let key = GatewayKey(authorization: request.headers[.authorization]) {
            // A bridge: the refusal is answered whether or not the database is there.
            Task { [keys, logger] in
                guard await keys.markExposed(key, from: address) else { return }
                logger.error(
                    "a key came over a network in clear: counterfoil keys rotate, then counterfoil keys revoke --exposed",
                    metadata: ["key": "\(key.prefix)"])
            }
        }
        throw Problem(.tlsRequired)
    }

    private func answer(_ call: Call) async throws -> Answer {
        switch call.route {
        case .order(let id): try await put(order: id, call)
        case .proofs(let id): try await add(proofOf: id, call)
        case .cancellation(let id): try await cancel(order: id, call)
        case .orders: try await listOrders(call)
        case .upload(let job): try await read(upload: job, call)
        case .transactions: try await readTransaction(call)
        case .subscriptions: try await readSubscriptions(call)
        case .consumptionRequests: try await listConsumptionRequests(call)
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
