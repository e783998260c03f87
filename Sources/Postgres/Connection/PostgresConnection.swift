// SPDX-License-Identifier: Apache-2.0

package import EventSources
package import Logging
import Synchronization

/// One connection to the server, driven by libpq's non-blocking calls on a serial queue.
///
/// Calls may come from several tasks; they are sent one after the other, in order. Every call has a deadline. When it
/// passes, or the calling task is cancelled, the statement is cancelled on the server and the call waits shortly for
/// the answer, which is also how it becomes known whether the statement took effect: an answer that comes in spite of
/// the request is returned as usual. Without an answer the connection is dropped. A connection that broke stays broken;
/// ``PostgresPool`` makes new ones.
///
/// A commit is never cancelled, nor a statement that commits at its own end: one that runs outside of a database transaction,
/// unless ``PostgresStatement/isReading``. Without an answer its call throws `outcomeUnknown`, and the connection is kept, because
/// the server's session and its locks outlast a closed socket while a commit waits for a synchronous standby.
package actor PostgresConnection {
    /// A caller that waits for its query.
    struct Pending {
        let query: Query
        /// Whether it takes along what was held back.
        let carriesHeld: Bool
        let continuation: CheckedContinuation<Result<PostgresResult, PostgresError>, Never>
        /// Nil once it passed or the query was stopped for another reason.
        var deadline: ContinuousClock.Instant?
    }

    nonisolated let executor: SerialQueueExecutor
    nonisolated let configuration: PostgresConfiguration
    nonisolated let logger: Logger
    private nonisolated let conditionValue = Atomic<UInt8>(ConnectionCondition.idle.rawValue)
    let readiness: SocketReadiness
    let timer: DeadlineTimer
    let cancelQueue = BlockingQueue(label: "counterfoil.postgres.cancel")

    /// Nil once the connection is closed.
    var handle: ConnectionHandle?
    var machine = QueryStateMachine()
    var pending: [QueryStateMachine.QueryID: Pending] = [:]
    var nextQueryID: QueryStateMachine.QueryID = 1
    /// The parts of the answer to the query on its way.
    var answer = PartialAnswer()
    /// Inside of a database transaction's call, its commit included.
    var isTransacting = false
    /// Inside of the body of a database transaction.
    var isInBody = false
    /// Statements that go out with the next one, whose answer is theirs too.
    var pipelined: [BoundStatement] = []
    var isWaitingToWrite = false
    /// When the connection is dropped because a cancelled query has not ended.
    var graceDeadline: ContinuousClock.Instant?
    var isRetired = false
    /// Whether the query on its way may commit.
    var mayCommit = false
    /// Called once an answer has come that its caller went on without.
    var answerHandler: (@Sendable () -> Void)?
    /// By the statement's name.
    var preparations: [String: Preparation] = [:]
    /// The server's session, as connecting found it.
    var session = ServerSession.unknown
    var signals = SignalBuffer()
    var signalWaiter: ContinuationRace<SignalWait>?
    /// The error of all later calls.
    var closingError: PostgresError?

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    private init(
        handle: ConnectionHandle,
        readiness: SocketReadiness,
        executor: SerialQueueExecutor,
        configuration: PostgresConfiguration,
        logger: Logger
    ) {
        self.handle = handle
        self.readiness = readiness
        self.executor = executor
        timer = DeadlineTimer(executor: executor)
        self.configuration = configuration
        self.logger = logger
    }

    deinit {
        timer.cancel()
        readiness.cancel()
    }

    /// Connects to the first host of the configuration that answers and is what its URL asks for, and pins the session
    /// (``PostgresConfiguration/isPinned``).
    ///
    /// - Parameter executor: what it runs on; connections may share one.
    /// - Throws: ``PostgresError`` of kind `authentication`, `connect`, `connectTimedOut`, `unavailable` or
    ///   `cancelled`.
    package static func connect(
        _ configuration: PostgresConfiguration,
        executor: SerialQueueExecutor = SerialQueueExecutor(label: "counterfoil.postgres.connection"),
        logger: Logger
    ) async throws(PostgresError) -> PostgresConnection {
        let connector = Connector(configuration: configuration, executor: executor, logger: logger)
        let handle = try await connector.connect()
        let readiness: SocketReadiness
        do {
            readiness = try SocketReadiness(descriptor: handle.socket, executor: executor)
        } catch {
            throw PostgresError(.connect, message: error.description)
        }
        let connection = PostgresConnection(
            handle: handle,
            readiness: readiness,
            executor: executor,
            configuration: configuration,
            logger: logger
        )
        await connection.start()
        try await connection.pin()
        return connection
    }

    /// The server's process as the start-up named it, 0 once closed. Behind a pooler it isn't the one of `pg_backend_pid()`.
    package var serverProcessID: Int32 { handle?.serverProcessID ?? 0 }

    nonisolated var condition: ConnectionCondition {
        ConnectionCondition(rawValue: conditionValue.load(ordering: .acquiring)) ?? .closed
    }

    /// Sends one statement and waits for its rows.
    ///
    /// - Parameter timeout: until the answer, the wait for earlier calls of this connection included; nil:
    ///   ``PostgresConfiguration/statementTimeout``.
    /// - Throws: ``PostgresError`` of kind `server` (see its `sqlState`), `timedOut`, `cancelled`, `connectionLost`, …;
    ///   `outcomeUnknown` if it commits by itself and its answer didn't come in time.
    package nonisolated func execute(
        _ statement: PostgresStatement,
        _ parameters: [PostgresParameter] = [],
        timeout: Duration? = nil
    ) async throws(PostgresError) -> PostgresResult {
        let encoded = try EncodedParameters(parameters, statementName: statement.name)
        return try await execute(statement, encoded, until: deadline(after: timeout))
    }

    private func execute(
        _ statement: PostgresStatement, _ parameters: EncodedParameters, until deadline: ContinuousClock.Instant
    ) async throws(PostgresError) -> PostgresResult {
        guard isTransacting || session != .changingUnpinned else {
            return try await withOwnTransaction { connection async throws(PostgresError) in
                try await connection.execute(statement, parameters, until: deadline)
            }
        }
        try await prepareOnce(statement, parameters, until: deadline)
        let query = Query.statements([BoundStatement(statement, parameters)])
        return try await run(query, until: deadline, heedsCancellation: true).get()
    }

    /// Executes a statement whose rows nobody needs, without waiting: it goes out with the next one, or with the commit, in one
    /// round trip and within its deadline.
    ///
    /// Only inside of ``withTransaction(_:)``. Should it fail, nothing after it is carried out, and the call that it went out with
    /// throws its error, under its name.
    package func enqueue(
        _ statement: PostgresStatement, _ parameters: [PostgresParameter] = []
    ) async throws(PostgresError) {
        let encoded = try EncodedParameters(parameters, statementName: statement.name)
        if isInBody { try await prepareOnce(statement, encoded, until: deadline(after: nil)) }
        guard !machine.isClosed else {
            throw closingError ?? PostgresError(.connectionLost, message: "the connection is closed")
        }
        guard isInBody else {
            throw PostgresError(
                .protocolViolation, message: "no database transaction is open", statementName: statement.name)
        }
        pipelined.append(BoundStatement(statement, encoded))
    }

    /// Sends what is held back now, where something else must come after it.
    private func sendHeld(until deadline: ContinuousClock.Instant) async throws(PostgresError) {
        guard !pipelined.isEmpty else { return }
        _ = try await run(.statements([]), until: deadline, heedsCancellation: true).get()
    }

    /// Whether nothing has to be prepared before it can be sent.
    func isReady(_ statement: PostgresStatement) -> Bool {
        !statement.isPrepared || session != .same || preparations[statement.name] != nil
    }

    private func prepareOnce(
        _ statement: PostgresStatement, _ parameters: EncodedParameters, until deadline: ContinuousClock.Instant
    ) async throws(PostgresError) {
        guard !isReady(statement) else { return }
        try await sendHeld(until: deadline)
        try await prepare(statement, parameters, until: deadline)
    }

    /// Sends several statements at once, without parameters, and drops their rows.
    ///
    /// The server runs them as one database transaction, unless the script has its own; the first error ends it.
    package func executeScript(_ sql: String, timeout: Duration? = nil) async throws(PostgresError) {
        guard isTransacting || session != .changingUnpinned else {
            throw PostgresError(
                .protocolViolation, message: "a pooler stands between: this needs a connection to the server itself")
        }
        let deadline = deadline(after: timeout)
        try await sendHeld(until: deadline)
        _ = try await run(.script(sql), until: deadline, heedsCancellation: true).get()
    }

    /// Ends the connection; calls that wait fail with kind `closed`. A second call does nothing.
    package func close() async {
        close(because: PostgresError(.closed, message: "the connection was closed"))
    }

    /// Ends the connection as ``close()`` does, without waiting for it.
    nonisolated func closeSoon() {
        executor.perform {
            self.assumeIsolated { $0.close(because: PostgresError(.closed, message: "the connection was closed")) }
        }
    }

    /// Runs a query when its turn comes.
    ///
    /// - Parameter heedsCancellation: false for what must be sent also by a cancelled task, such as a rollback.
    func run(
        _ query: Query,
        until deadline: ContinuousClock.Instant,
        heedsCancellation: Bool
    ) async -> Result<PostgresResult, PostgresError> {
        if heedsCancellation && Task.isCancelled {
            return .failure(
                PostgresError(.cancelled, message: "cancelled before it was sent", statementName: query.name))
        }
        guard deadline > .now else {
            return .failure(PostgresError(.timedOut, message: "no time was left to send it", statementName: query.name))
        }
        var query = query
        var carriesHeld = false
        if case .statements(let statements) = query, !pipelined.isEmpty {
            query = .statements(pipelined + statements)
            pipelined = []
            carriesHeld = true
        }
        let id = nextQueryID
        nextQueryID += 1
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                pending[id] = Pending(
                    query: query, carriesHeld: carriesHeld, continuation: continuation, deadline: deadline)
                perform(machine.submit(id))
                scheduleTimer()
            }
        } onCancel: {
            guard heedsCancellation else { return }
            executor.perform {
                self.assumeIsolated { $0.stop(id, .cancellation) }
            }
        }
    }

    nonisolated func deadline(after timeout: Duration?) -> ContinuousClock.Instant {
        .now + (timeout ?? configuration.statementTimeout)
    }

    func setCondition(_ condition: ConnectionCondition) {
        conditionValue.store(condition.rawValue, ordering: .releasing)
    }

    private func start() {
        timer.setHandler { [weak self] in
            self?.assumeIsolated { $0.deadlinePassed() }
        }
        readiness.whenReadable { [weak self] in
            self?.assumeIsolated { $0.socketIsReadable() }
        }
    }
}
