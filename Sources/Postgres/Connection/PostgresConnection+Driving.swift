// SPDX-License-Identifier: Apache-2.0

import CPostgres
import EventSources
import Logging

// How the connection does what its state machine decides. All of it runs on the connection's queue.
extension PostgresConnection {
    /// Called for every event of the socket: an answer, a signal, or the end.
    func socketIsReadable() {
        guard let handle else { return }
        var isReadable = PQconsumeInput(handle.pointer) == 1
        if isReadable && PQsslInUse(handle.pointer) == 1 {
            // A TLS record holds up to 16 KB, of which libpq makes sure to have room for 8; the rest would stay in
            // OpenSSL's buffer, of which no event of the socket tells.
            isReadable = PQconsumeInput(handle.pointer) == 1
        }
        if isWaitingToWrite {
            // libpq's manual: the server may have to be read before it takes more.
            flush(handle)
        }
        readSignals(handle)
        readAnswer(handle)
        guard !isReadable || PQstatus(handle.pointer) == CONNECTION_BAD, self.handle != nil else { return }
        connectionBroke(handle)
    }

    /// A deadline of a query or the grace of a cancelled one is over.
    func deadlinePassed() {
        let now = ContinuousClock.now
        if let graceDeadline, graceDeadline <= now {
            self.graceDeadline = nil
            perform(machine.graceEnded())
        }
        for (id, query) in pending {
            if let deadline = query.deadline, deadline <= now {
                stop(id, .deadline)
            }
        }
        scheduleTimer()
    }

    func stop(_ id: QueryStateMachine.QueryID, _ reason: QueryStateMachine.StopReason) {
        pending[id]?.deadline = nil
        perform(machine.stop(id, reason, mayCommit: mayCommit))
    }

    /// Sets the timer to the first deadline of all.
    func scheduleTimer() {
        var first = graceDeadline
        for query in pending.values {
            if let deadline = query.deadline {
                first = first.map { min($0, deadline) } ?? deadline
            }
        }
        timer.schedule(at: first)
    }

    func close(because error: PostgresError) {
        guard !machine.isClosed else { return }
        closingError = error
        perform(machine.close())
    }

    func perform(_ action: QueryStateMachine.Action) {
        switch action {
        case .none:
            break
        case .send(let id):
            send(id)
        case .finish(let id, let stop, let next):
            finish(id, stop)
            if let next, handle != nil {
                send(next)
            }
        case .cancelOnServer:
            cancelOnServer()
        case .awaitGrace:
            startGrace()
        case .abandon(let id):
            setCondition(.unanswered)
            resume(id, .failure(PostgresError(.outcomeUnknown, message: Self.unanswered)))
        case .proceed(let next):
            answerCame()
            if let next, handle != nil {
                send(next)
            }
        case .refuse(let id, let reason):
            // Without what it was to take along the database transaction must not go on.
            let isWithoutHeld = pending[id]?.carriesHeld == true
            resume(id, .failure(Self.error(for: reason, message: "it was still waiting to be sent")))
            if isWithoutHeld {
                close(because: PostgresError(.connectionLost, message: "dropped, since a statement was not sent"))
            }
        case .refuseClosed(let id):
            resume(id, .failure(closingError ?? PostgresError(.connectionLost, message: "the connection is closed")))
        case .close(let current, let stop, let isAnswered, let waiting):
            shutDown(current, stop, isAnswered ? wholeAnswer(stop) : nil, waiting)
        }
    }

    private func send(_ id: QueryStateMachine.QueryID) {
        guard let handle, let query = pending[id]?.query else { return }
        setCondition(.busy)
        mayCommit = query.mayCommit(isInTransaction: handle.isInTransaction)
        answer = PartialAnswer(to: query)
        let isSent =
            switch query {
            case .script(let sql):
                PQsendQuery(handle.pointer, sql) == 1
            case .statements(let statements) where statements.count == 1:
                send(statements[0], handle)
            case .statements(let statements), .transaction(let statements, _):
                sendTogether(statements, handle)
            case .preparation(let statement, let parameters):
                parameters.withArguments { count, types, _, _, _ in
                    PQsendPrepare(handle.pointer, statement.name, statement.sql, count, types)
                } == 1
            }
        guard isSent else {
            connectionBroke(handle)
            return
        }
        flush(handle)
    }

    private func sendTogether(_ statements: [BoundStatement], _ handle: ConnectionHandle) -> Bool {
        guard PQenterPipelineMode(handle.pointer) == 1 else { return false }
        for (index, statement) in statements.enumerated() {
            guard send(statement, handle) else { return false }
            guard index == statements.count - 1 || statements.isReportedOnEach else { continue }
            guard PQpipelineSync(handle.pointer) == 1 else { return false }
        }
        return true
    }

    private func send(_ bound: BoundStatement, _ handle: ConnectionHandle) -> Bool {
        let statement = bound.statement
        return bound.parameters.withArguments { count, types, values, lengths, formats in
            switch preparations[statement.name] {
            case .done(statement.sql):
                PQsendQueryPrepared(handle.pointer, statement.name, count, values, lengths, formats, 1)
            default:
                PQsendQueryParams(handle.pointer, statement.sql, count, types, values, lengths, formats, 1)
            }
        } == 1
    }

    private func flush(_ handle: ConnectionHandle) {
        switch PQflush(handle.pointer) {
        case 0:
            break
        case 1 where isWaitingToWrite:
            break
        case 1:
            isWaitingToWrite = true
            readiness.onceWritable { [weak self] in
                self?.assumeIsolated { $0.socketIsWritable() }
            }
        default:
            // What the server said before it went may still be there to read, and tells more.
            if PQconsumeInput(handle.pointer) == 1 {
                readAnswer(handle)
            }
            if self.handle != nil {
                connectionBroke(handle)
            }
        }
    }

    private func socketIsWritable() {
        isWaitingToWrite = false
        guard let handle else { return }
        flush(handle)
    }

    private func readAnswer(_ handle: ConnectionHandle) {
        while self.handle != nil, machine.isAwaitingAnswer, PQisBusy(handle.pointer) == 0 {
            guard let result = PQgetResult(handle.pointer) else {
                switch answer.statementEnded() {
                case .more: continue
                case .complete: perform(machine.answered())
                case .incomplete: connectionBroke(handle)
                }
                // The next query, if there was one, has just been sent.
                return
            }
            switch answer.add(result) {
            case .more: continue
            case .complete where PQexitPipelineMode(handle.pointer) == 1: perform(machine.answered())
            case .complete, .incomplete:
                close(because: answer.error ?? PostgresError(.protocolViolation, message: "unexpected answer"))
            }
            return
        }
    }

    /// The message of a commit whose caller has no more time.
    static let unanswered = """
        the server has not answered in time, and goes on with the commit; it may wait for a synchronous standby. The connection is \
        kept until it answers
        """

    private static let endedWait = """
        the server ended the wait for a synchronous standby: the commit is on this server alone, and a failover may take it back
        """

    private func finish(_ id: QueryStateMachine.QueryID, _ stop: QueryStateMachine.StopReason?) {
        graceDeadline = nil
        var result = wholeAnswer(stop)
        answer = PartialAnswer()
        if handle?.takeEndOfReplicationWait() == true, case .success = result {
            result = .failure(PostgresError(.outcomeUnknown, message: Self.endedWait))
        }
        if case .failure(let error) = result {
            if isInBody, let handle, !handle.isInTransaction {
                // It didn't begin, or is over: what comes next must not be carried out without it.
                close(because: error.with(kind: .connectionLost))
            }
            isRetired = isRetired || error.sqlState.map(Self.retiring.contains) == true
            if error.kind == .connectionLost {
                close(because: error)
            }
        }
        setConditionAtRest()
        resume(id, result)
    }

    /// The server answered a query whose caller has gone on.
    private func answerCame() {
        _ = handle?.takeEndOfReplicationWait()
        answer = PartialAnswer()
        setConditionAtRest()
        tellOfAnswer()
    }

    private func setConditionAtRest() {
        if let handle {
            setCondition(isRetired ? .retired : handle.isInTransaction ? .inTransaction : .idle)
        }
    }

    private func tellOfAnswer() {
        let handler = answerHandler
        answerHandler = nil
        handler?()
    }

    /// Calls `handler`, on the connection's queue, once it doesn't wait any more for the answer that its caller went on without:
    /// the answer came, or the connection broke. At once if it doesn't.
    nonisolated func whenAnswered(_ handler: @escaping @Sendable () -> Void) {
        executor.perform {
            self.assumeIsolated { connection in
                if connection.condition == .unanswered {
                    connection.answerHandler = handler
                } else {
                    handler()
                }
            }
        }
    }

    /// The server's whole answer; a cancelled query's says why it was cancelled.
    private func wholeAnswer(_ stop: QueryStateMachine.StopReason?) -> Result<PostgresResult, PostgresError> {
        answer.completed().mapError { error in
            guard let stop, error.sqlState == .queryCanceled else { return error }
            return error.with(kind: stop.kind)
        }
    }

    /// Refusals that another connection mends: the server turned read-only, or what it prepared is not there any more or
    /// has other columns since the schema changed.
    private static let retiring: Set<SQLState> = [
        .readOnlyTransaction, .invalidStatementName, .featureNotSupported,
    ]

    private func startGrace() {
        graceDeadline = ContinuousClock.now + configuration.cancellationGrace
        scheduleTimer()
    }

    private func cancelOnServer() {
        startGrace()
        guard let handle, let request = CancelRequest(handle) else {
            perform(machine.cancelRequestEnded())
            return
        }
        let executor = executor
        cancelQueue.perform { [weak self] in
            request.send()
            executor.perform { [weak self] in
                self?.assumeIsolated { $0.perform($0.machine.cancelRequestEnded()) }
            }
        }
    }

    /// libpq has lost the connection: remember what the server said last, or what libpq says.
    private func connectionBroke(_ handle: ConnectionHandle) {
        let lastWord = answer.error.map { $0.with(kind: .connectionLost) }
        let error = lastWord ?? PostgresError(.connectionLost, message: handle.errorMessage)
        logger.debug("the database connection broke", metadata: ["error": "\(error)"])
        close(because: error)
    }

    private func shutDown(
        _ current: QueryStateMachine.QueryID?,
        _ stop: QueryStateMachine.StopReason?,
        _ answer: Result<PostgresResult, PostgresError>?,
        _ waiting: [QueryStateMachine.QueryID]
    ) {
        let error =
            closingError ?? PostgresError(.connectionLost, message: "dropped, since a cancelled statement did not end")
        closingError = error
        setCondition(.closed)
        readiness.cancel()
        timer.cancel()
        handle = nil
        signalWaiter?.finish(with: .closed(error))
        if let current {
            let stopped = stop.map {
                Self.error(for: $0, message: "the server did not answer; the connection was dropped")
            }
            resume(current, answer ?? .failure(stopped ?? error))
        }
        for id in waiting {
            resume(id, .failure(error))
        }
        tellOfAnswer()
    }

    private func resume(_ id: QueryStateMachine.QueryID, _ result: Result<PostgresResult, PostgresError>) {
        guard let query = pending.removeValue(forKey: id) else { return }
        query.continuation.resume(returning: result.mapError { $0.naming(query.query.name) })
    }

    private static func error(for reason: QueryStateMachine.StopReason, message: String) -> PostgresError {
        PostgresError(reason.kind, message: message)
    }
}

extension QueryStateMachine.StopReason {
    var kind: PostgresError.Kind {
        switch self {
        case .deadline: .timedOut
        case .cancellation: .cancelled
        }
    }
}
