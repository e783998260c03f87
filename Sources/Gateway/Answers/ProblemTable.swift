// SPDX-License-Identifier: Apache-2.0

package import Postgres

/// Which problem an error of the database is: the rows of `counterfoil.problems` by rule, and the states that are no rules.
package struct ProblemTable: Sendable {
    package struct Row: Hashable, Sendable {
        package let name: String
        package let status: Int

        package init(name: String, status: Int) {
            self.name = name
            self.status = status
        }
    }

    private let rows: [String: Row]

    package init(_ rows: [String: Row]) {
        self.rows = rows
    }

    package init(_ result: PostgresResult) throws {
        var rows: [String: Row] = [:]
        for row in result {
            rows[try row.string(0)] = Row(name: try row.string(1), status: Int(try row.int32(2)))
        }
        self.rows = rows
    }

    package var names: Set<String> { Set(rows.values.map(\.name)) }

    /// Never the server's text where it isn't a rule's: it may quote what was sent.
    package func problem(_ error: PostgresError) -> Problem {
        if let rule = error.constraint, error.kind == .server {
            let row = rows[rule] ?? Row(name: Problem.Name.internalError.rawValue, status: 500)
            var problem = Problem(name: row.name, status: row.status, detail: row.status < 500 ? error.message : nil)
            problem.rule = rule
            problem.code = error.sqlState?.rawValue
            return problem
        }
        var problem = Problem(name(error))
        problem.code = error.sqlState?.rawValue
        return problem
    }

    private func name(_ error: PostgresError) -> Problem.Name {
        if error.sqlState == .readOnlyTransaction { return .notPrimary }
        switch error.kind {
        case .connect, .connectTimedOut, .unavailable, .authentication, .timedOut, .cancelled, .connectionLost, .outcomeUnknown,
            .closed:
            return .databaseUnavailable
        case .server:
            if error.mayPass { return .databaseUnavailable }
            // Text or a number that the database can't have.
            return error.sqlState?.classCode == "22" ? .malformedRequest : .internalError
        case .rolledBack, .encoding, .decoding, .protocolViolation: return .internalError
        }
    }
}
