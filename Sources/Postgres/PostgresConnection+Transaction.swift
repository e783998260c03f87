// SPDX-License-Identifier: Apache-2.0

extension PostgresConnection {
    private static let begin = PostgresStatement(name: "begin", sql: "begin")
    private static let commit = PostgresStatement(name: "commit", sql: "commit")
    private static let rollback = PostgresStatement(name: "rollback", sql: "rollback")

    /// Runs `body` in one database transaction and commits it, or rolls it back when `body` throws.
    ///
    /// Rolling back and committing are not stopped by a cancellation of the task: once `body` has returned, the commit
    /// is tried. Should the process die before, the server rolls back. Transactions don't nest.
    ///
    /// `body` runs on the connection's own queue, so that its statements go out without a change of threads.
    ///
    /// - Throws: what `body` throws; ``PostgresError`` of kind `outcomeUnknown` when the connection broke at commit:
    ///   look whether it happened before deciding; of kind `rolledBack` when `body` hid the error of a statement.
    package func withTransaction<Success: Sendable>(
        _ body: @Sendable (isolated PostgresConnection) async throws -> Success
    ) async throws -> Success {
        guard condition != .inTransaction else {
            throw PostgresError(.protocolViolation, message: "a database transaction is open already")
        }
        _ = try await execute(Self.begin)
        let success: Success
        do {
            success = try await body(self)
        } catch {
            await rollBack()
            throw error
        }
        try await commit()
        return success
    }

    private func commit() async throws(PostgresError) {
        if machine.isClosed {
            // Nothing was sent: the server has rolled back.
            throw closingError ?? PostgresError(.connectionLost, message: "the connection was lost before the commit")
        }
        switch await run(.statement(Self.commit, .none), until: deadline(after: nil), heedsCancellation: false) {
        case .success(let result) where result.commandTag == "ROLLBACK":
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
        guard !machine.isClosed else { return }
        let result = await run(.statement(Self.rollback, .none), until: deadline(after: nil), heedsCancellation: false)
        if case .failure(let error) = result {
            close(because: error.with(kind: .connectionLost))
        }
    }
}
