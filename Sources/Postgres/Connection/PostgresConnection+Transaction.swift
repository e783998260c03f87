// SPDX-License-Identifier: Apache-2.0

extension PostgresConnection {
    /// Runs `body` in one database transaction and commits it, or rolls it back when `body` throws.
    ///
    /// Rolling back and committing are not stopped by a cancellation of the task: once `body` has returned, the commit
    /// is tried. Should the process die before, the server rolls back. Transactions don't nest.
    ///
    /// `body` runs on the connection's queue, so that its statements go out without a change of threads. The beginning goes out
    /// with its first statement.
    ///
    /// Its level is `read committed`, and its names are looked up as ``PostgresConfiguration/isPinned`` has it.
    ///
    /// - Throws: what `body` throws; ``PostgresError`` of kind `outcomeUnknown` when the connection broke at commit, when the
    ///   server didn't answer in time, or when it ended the wait for a synchronous standby: look whether it happened before
    ///   deciding; of kind `rolledBack` when `body` hid the error of a statement.
    package func withTransaction<Success: Sendable>(
        _ body: @Sendable (isolated PostgresConnection) async throws -> Success
    ) async throws -> Success {
        guard !isTransacting, condition != .inTransaction else {
            throw PostgresError(.protocolViolation, message: "a database transaction is open already")
        }
        isTransacting = true
        defer { isTransacting = false }
        isInBody = true
        pipelined = [BoundStatement(.begin)]
        if session == .changingUnpinned { pipelined.append(BoundStatement(.pinTransaction)) }
        do {
            let success = try await body(self)
            isInBody = false
            try await commit()
            return success
        } catch {
            isInBody = false
            await rollBack()
            throw error
        }
    }

    /// Runs a whole database transaction of which every statement is known, in one round trip, its commit included.
    ///
    /// From its sending on nothing stops it but the server: neither a cancellation nor the deadline, since it may commit at any
    /// moment. The server's `statement_timeout` bounds each of its statements. If one fails, nothing is carried out after it, and
    /// nothing was written.
    ///
    /// Its level is `read committed`, as that of ``withTransaction(_:)``. Where a statement of it isn't prepared on this connection
    /// yet, it takes several round trips, as that does.
    ///
    /// - Parameters:
    ///   - statements: without beginning and commit.
    ///   - place: of the statement whose rows are returned, from 0.
    ///   - timeout: of the wait for the answer.
    /// - Throws: ``PostgresError`` with the name of the statement that failed; of kind `outcomeUnknown` as ``withTransaction(_:)``
    ///   throws it.
    package func executeTransaction(
        _ statements: [(statement: PostgresStatement, parameters: [PostgresParameter])], answeredBy place: Int,
        timeout: Duration? = nil
    ) async throws(PostgresError) -> PostgresResult {
        guard statements.indices.contains(place) else {
            throw PostgresError(.protocolViolation, message: "no statement stands at the place that is to answer")
        }
        guard !isTransacting, condition != .inTransaction else {
            throw PostgresError(.protocolViolation, message: "a database transaction is open already")
        }
        guard !machine.isClosed else {
            throw closingError ?? PostgresError(.connectionLost, message: "the connection is closed")
        }
        guard statements.allSatisfy({ isReady($0.statement) }) else {
            return try await executePreparing(statements, answeredBy: place, timeout: timeout)
        }
        isTransacting = true
        defer { isTransacting = false }
        let deadline = deadline(after: timeout)
        var sent = [BoundStatement(.begin)]
        if session == .changingUnpinned { sent.append(BoundStatement(.pinTransaction)) }
        let first = sent.count
        for (statement, parameters) in statements {
            sent.append(BoundStatement(statement, try EncodedParameters(parameters, statementName: statement.name)))
        }
        sent.append(BoundStatement(.commit))
        if Task.isCancelled { throw PostgresError(.cancelled, message: "cancelled before it was sent") }
        do throws(PostgresError) {
            return try await run(
                .transaction(sent, answeredBy: first + place), until: deadline, heedsCancellation: false
            ).get()
        } catch {
            await rollBack()
            throw error.atCommit
        }
    }

    /// The same in several round trips: what isn't prepared yet is prepared within the database transaction. Preparing locks the
    /// tables of a statement, and waits for that as long as the statements before allow.
    private func executePreparing(
        _ statements: [(statement: PostgresStatement, parameters: [PostgresParameter])], answeredBy place: Int, timeout: Duration?
    ) async throws(PostgresError) -> PostgresResult {
        try await withOwnTransaction { connection async throws(PostgresError) in
            for (statement, parameters) in statements[..<place] { try await connection.enqueue(statement, parameters) }
            let answering = statements[place]
            let rows = try await connection.execute(answering.statement, answering.parameters, timeout: timeout)
            for (statement, parameters) in statements[(place + 1)...] { try await connection.enqueue(statement, parameters) }
            return rows
        }
    }

    private func commit() async throws(PostgresError) {
        if machine.isClosed {
            // Nothing was sent: the server has rolled back.
            throw closingError ?? PostgresError(.connectionLost, message: "the connection was lost before the commit")
        }
        switch await run(.statements([BoundStatement(.commit)]), until: deadline(after: nil), heedsCancellation: false) {
        case .success(let result) where result.commandTag != "COMMIT":
            throw PostgresError(.rolledBack, message: "a statement had failed, so the server rolled back at commit")
        case .success:
            return
        case .failure(let error):
            throw error.atCommit
        }
    }

    /// Leaves the connection without a transaction, or closed.
    private func rollBack() async {
        pipelined = []
        // While the server works on an abandoned commit, nothing can be rolled back.
        guard condition != .unanswered, handle?.isInTransaction == true else { return }
        let query = Query.statements([BoundStatement(.rollback)])
        if case .failure(let error) = await run(query, until: deadline(after: nil), heedsCancellation: false) {
            close(because: error.with(kind: .connectionLost))
        }
    }
}

extension PostgresError {
    /// As it counts for what went out with a commit: only the server's own refusal says that nothing was committed.
    fileprivate var atCommit: PostgresError {
        kind == .server || kind == .timedOut && sqlState != nil ? self : with(kind: .outcomeUnknown)
    }
}

extension PostgresStatement {
    /// Whatever the database's default is: a settlement reads the ledger again after it has its locks, in a snapshot of its own.
    static let begin = PostgresStatement(name: "begin", sql: "begin isolation level read committed")
    static let commit = PostgresStatement(name: "commit", sql: "commit")
    static let rollback = PostgresStatement(name: "rollback", sql: "rollback")
}
