// SPDX-License-Identifier: Apache-2.0

// Whoever may make functions in a schema of our path could have us call them, with our rights. So names are looked up in the
// server's own schema. Nothing is sent for it where the role's settings say so already, as those that `counterfoil migrate` makes.
extension PostgresConnection {
    /// Which sessions of the server carry the statements out.
    enum ServerSession {
        case unknown
        /// One, from the start to the end. It is pinned, unless the configuration wants none that is.
        case same
        /// Each database transaction may have another, behind a pooler. All have the settings that are needed, by their role.
        case changing
        /// As before, and each database transaction must be pinned.
        case changingUnpinned
    }

    /// Asks which session answers and what its settings are, and sets those that differ.
    ///
    /// - Throws: ``PostgresError`` as connecting does; the connection is closed then.
    func pin() async throws(PostgresError) {
        do throws(PostgresError) {
            session = try await findSession(until: .now + configuration.connectTimeout)
        } catch {
            await close()
            switch error.kind {
            case .timedOut: throw error.with(kind: .connectTimedOut)
            case .server where error.mayPass: throw error.with(kind: .unavailable)
            default: throw error
            }
        }
    }

    private func findSession(until deadline: ContinuousClock.Instant) async throws(PostgresError) -> ServerSession {
        let answer = try await run(
            .statements([BoundStatement(.whoAnswers)]), until: deadline, heedsCancellation: true
        ).get()[0]
        let (path, level) = (try answer.string(1), try answer.string(2))
        let isPinned = path == Self.pinnedPath && level == Self.pinnedLevel || !configuration.isPinned
        // A pooler that lends server connections by the transaction gives its clients cancel keys of its own, because no client
        // owns a server process. The process that answers then is another than the start-up named.
        guard try answer.int32(0) == serverProcessID else { return isPinned ? .changing : .changingUnpinned }
        if !isPinned {
            _ = try await run(.script(Self.pinSession), until: deadline, heedsCancellation: true).get()
        }
        return .same
    }

    /// As ``withTransaction(_:)``, for statements of this client alone, whose errors are ours.
    func withOwnTransaction(
        _ body: @Sendable (isolated PostgresConnection) async throws(PostgresError) -> PostgresResult
    ) async throws(PostgresError) -> PostgresResult {
        do {
            return try await withTransaction(body)
        } catch let error as PostgresError {
            throw error
        } catch {
            fatalError("a database transaction throws what its body throws, and PostgresError: \(error)")
        }
    }

    /// As the server shows it. `pg_temp` comes last: the server would look for types and tables there first.
    private static let pinnedPath = "pg_catalog, pg_temp"
    private static let pinnedLevel = "read committed"
    private static let pinSession =
        "set search_path = \(pinnedPath); set default_transaction_isolation = '\(pinnedLevel)'"
}

extension PostgresStatement {
    /// Names all with their schema, since nothing is pinned yet, and compares nothing: an operator is looked up as well.
    fileprivate static let whoAnswers = PostgresStatement(
        name: "session",
        sql: """
            select pg_catalog.pg_backend_pid(), pg_catalog.current_setting('search_path'),
                pg_catalog.current_setting('default_transaction_isolation')
            """, isReading: true)
    static let pinTransaction = PostgresStatement(name: "pin", sql: "set local search_path = pg_catalog, pg_temp")
}
