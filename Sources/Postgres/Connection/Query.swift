// SPDX-License-Identifier: Apache-2.0

/// What a connection sends and the server answers as one.
enum Query: Sendable {
    /// One statement, or several of one database transaction together, by libpq's pipeline mode: nothing is carried out after the
    /// first that fails, and the rows of the last are the answer.
    case statements([BoundStatement])
    /// A whole database transaction, its beginning and its commit included, sent together: nothing is carried out after the first
    /// statement that fails, and the rows of the one at this place are the answer.
    case transaction([BoundStatement], answeredBy: Int)
    /// Has the server parse a statement and keep it under its name; of the parameters only the types matter.
    case preparation(PostgresStatement, EncodedParameters)
    /// By the simple protocol, which alone takes several statements in one text.
    case script(String)

    /// Whether its end may be the end of a database transaction that wrote something.
    ///
    /// - Parameter isInTransaction: whether one is open already.
    func mayCommit(isInTransaction: Bool) -> Bool {
        switch self {
        case .preparation:
            false
        case .script, .transaction:
            // A script may hold a commit of its own.
            true
        case .statements(let statements):
            statements.contains { $0.statement == .commit }
                || !isInTransaction && statements.first?.statement != .begin && !statements.allSatisfy(\.statement.isReading)
        }
    }

    /// Of the statement that is answered.
    var name: String {
        switch self {
        case .statements(let statements): statements.last?.statement.name ?? "pipelined statements"
        case .transaction(let statements, let place): statements[place].statement.name
        case .preparation(let statement, _): statement.name
        case .script: "script"
        }
    }
}

/// A statement with the values of its parameters.
struct BoundStatement: Sendable {
    let statement: PostgresStatement
    let parameters: EncodedParameters

    init(_ statement: PostgresStatement, _ parameters: EncodedParameters = .none) {
        self.statement = statement
        self.parameters = parameters
    }
}

extension [BoundStatement] {
    /// Whether the server reports after each of them, and not only after all.
    ///
    /// The time until the next counts as idle then, which bounds how long locks are held for a client that falls silent halfway
    /// (`idle_in_transaction_session_timeout`). But after a report it goes on also where the one before failed; only in a failed
    /// database transaction does that do nothing. So what goes out with the beginning is reported on as a whole.
    var isReportedOnEach: Bool { first?.statement != .begin }
}
