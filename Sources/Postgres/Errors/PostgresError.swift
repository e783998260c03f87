// SPDX-License-Identifier: Apache-2.0

/// What went wrong between us and the database, without anything secret.
///
/// Of the server's report it keeps the primary message, the SQLSTATE and the constraint's name. DETAIL, HINT and
/// CONTEXT are dropped because they print the values of rows; a connection string or password is never part of it.
package struct PostgresError: Error, Sendable, CustomStringConvertible {
    /// What a caller can do about it, coarsely. ``PostgresError/sqlState`` is the finer answer for `server`.
    package enum Kind: String, Sendable, Hashable {
        /// No connection could be made; the database may be away, or the address wrong.
        case connect
        /// A server did not answer within the connect timeout, or a pool had no connection to lend in time.
        case connectTimedOut
        /// The database is away, starting, stopping or full; it is worth trying later.
        case unavailable
        /// The server refused the user, the password or the host (SQLSTATE class 28).
        case authentication
        /// The server refused the statement; the connection is fine.
        case server
        /// The deadline passed. The statement was cancelled on the server or the connection was dropped; it may have
        /// taken effect only in the latter case.
        case timedOut
        /// The calling task was cancelled; otherwise as `timedOut`.
        case cancelled
        /// The connection broke before the answer came.
        case connectionLost
        /// The connection broke at commit, the commit had no answer in time, or it is on no synchronous standby: look whether it
        /// happened before deciding anything.
        case outcomeUnknown
        /// The database transaction had failed before, so the commit rolled it back: its body hid an error.
        case rolledBack
        /// The connection or the pool was closed by us.
        case closed
        /// A value could not be sent: too large, or too many parameters.
        case encoding
        /// A column is missing, null or of another type than was asked for.
        case decoding
        /// The server did what this client has no use for, such as starting a copy.
        case protocolViolation
    }

    // One word, so that it stays cheap as the typed error of asynchronous functions.
    private final class Storage: Sendable {
        let kind: Kind
        let message: String
        let sqlState: SQLState?
        let constraint: String?
        let statementName: String?

        init(kind: Kind, message: String, sqlState: SQLState?, constraint: String?, statementName: String?) {
            self.kind = kind
            self.message = message
            self.sqlState = sqlState
            self.constraint = constraint
            self.statementName = statementName
        }
    }

    private let storage: Storage

    package init(
        _ kind: Kind,
        message: String,
        sqlState: SQLState? = nil,
        constraint: String? = nil,
        statementName: String? = nil
    ) {
        storage = Storage(
            kind: kind,
            message: message,
            sqlState: sqlState,
            constraint: constraint,
            statementName: statementName
        )
    }

    package var kind: Kind { storage.kind }

    /// The server's primary message, or ours.
    package var message: String { storage.message }

    /// The server's code, when the server is where it comes from.
    package var sqlState: SQLState? { storage.sqlState }

    /// The constraint that was violated; constraints are named for the rule they keep.
    package var constraint: String? { storage.constraint }

    /// ``PostgresStatement/name`` of the statement that failed.
    package var statementName: String? { storage.statementName }

    /// The connection is gone and the work was not committed through it: try again on another.
    ///
    /// False for `outcomeUnknown`, where trying again blindly may do the work twice, and for the time-outs, where the
    /// caller's time is up.
    package var isConnectionLoss: Bool {
        switch kind {
        case .connectionLost, .connect, .connectTimedOut, .unavailable: true
        case .server: sqlState == .readOnlyTransaction || sqlState?.classCode == "08"
        default: false
        }
    }

    /// A statement that commits by itself may have been carried out all the same: its answer was lost. False for an answer that
    /// came and can't be decoded, which would be as bad the next time.
    package var mayHaveHappened: Bool {
        switch kind {
        case .timedOut, .cancelled, .connectionLost, .outcomeUnknown, .closed, .protocolViolation: true
        case .connect, .connectTimedOut, .unavailable, .authentication, .server, .rolledBack, .encoding, .decoding: false
        }
    }

    /// A server was reached and let nobody in, for a reason that only a person mends: user, password, host, or no such database.
    package var isRefusal: Bool {
        kind == .authentication || kind == .connect && sqlState != nil
    }

    /// Of the moment: the same statement may succeed later, on the same connection. Conflicts with others, locks, resources, an
    /// operator, the server's system (SQLSTATE classes 40, 53, 55, 57, 58), and a statement that took too long.
    package var mayPass: Bool {
        switch kind {
        case .timedOut: true
        case .server: ["40", "53", "55", "57", "58"].contains(sqlState?.classCode ?? "")
        default: false
        }
    }

    package var description: String {
        var text = statementName.map { "\($0): " } ?? ""
        text += kind.rawValue
        if let sqlState {
            text += " \(sqlState)"
        }
        if let constraint {
            text += " (\(constraint))"
        }
        return text + ": " + message
    }

    /// The same error as another kind.
    func with(kind: Kind) -> PostgresError {
        PostgresError(
            kind,
            message: message,
            sqlState: sqlState,
            constraint: constraint,
            statementName: statementName
        )
    }

    /// The same error of a statement, unless it has one already.
    func naming(_ statementName: String) -> PostgresError {
        PostgresError(
            kind,
            message: message,
            sqlState: sqlState,
            constraint: constraint,
            statementName: self.statementName ?? statementName
        )
    }
}
