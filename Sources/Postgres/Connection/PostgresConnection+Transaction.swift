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
            // With the server's own refusal it is known that nothing was committed.
            guard error.kind != .server && (error.kind != .timedOut || error.sqlState == nil) else { throw error }
            throw error.with(kind: .outcomeUnknown)
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

extension PostgresStatement {
    /// Whatever the database's default is: a settlement reads the ledger again after it has its locks, in a snapshot of its own.
    static let begin = PostgresStatement(name: "begin", sql: "begin isolation level read committed")
    static let commit = PostgresStatement(name: "commit", sql: "commit")
    static let rollback = PostgresStatement(name: "rollback", sql: "rollback")
}
