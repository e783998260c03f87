// SPDX-License-Identifier: Apache-2.0

import CPostgres

/// What the server has said so far in answer to one query.
struct PartialAnswer {
    enum Progress {
        case more
        case complete
        /// Nothing more can be read, although not all was said.
        case incomplete
    }

    /// The statements whose answers are awaited, by their names.
    private let names: [String]
    /// The place of the statement whose rows are the answer.
    private let answering: Int
    /// How many of them have ended.
    private var ended = 0
    /// Reports of the server that are still to come, where several statements went out together.
    private var reports = 0
    /// The last result without an error, up to the statement that answers: a script has several.
    private var result: PostgresResult?
    /// The first error; nothing is carried out after it.
    private(set) var error: PostgresError?

    init() {
        names = []
        answering = 0
    }

    init(to query: Query) {
        switch query {
        case .statements(let statements):
            names = statements.map(\.statement.name)
            answering = statements.count - 1
            reports = statements.isReportedOnEach ? statements.count : 1
        case .transaction(let statements, let place):
            names = statements.map(\.statement.name)
            answering = place
            reports = 1
        case .script, .preparation:
            names = [query.name]
            answering = 0
        }
    }

    /// Takes over a result of libpq.
    mutating func add(_ pointer: OpaquePointer) -> Progress {
        let status = PQresultStatus(pointer)
        switch status {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
            if ended <= answering { result = PostgresResult(pointer) } else { PQclear(pointer) }
            return .more
        case PGRES_PIPELINE_SYNC:
            PQclear(pointer)
            reports -= 1
            return reports == 0 ? .complete : .more
        default:
            defer { PQclear(pointer) }
            switch status {
            case PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE, PGRES_NONFATAL_ERROR:
                error = error ?? PostgresError(result: pointer, statementName: name)
                return .more
            case PGRES_PIPELINE_ABORTED:
                error = error ?? PostgresError(.protocolViolation, message: "it was not carried out", statementName: name)
                return .more
            default:
                error = PostgresError(
                    .protocolViolation, message: "a statement began a copy, which this client cannot do", statementName: name)
                return .incomplete
            }
        }
    }

    /// libpq has no more results of one statement.
    mutating func statementEnded() -> Progress {
        ended += 1
        guard names.count > 1 else { return .complete }
        return ended <= names.count ? .more : .incomplete
    }

    /// The whole answer, once the server has nothing more to say.
    func completed() -> Result<PostgresResult, PostgresError> {
        if let error {
            return .failure(error)
        }
        guard let result else {
            return .failure(
                PostgresError(.protocolViolation, message: "the server gave no answer", statementName: names.last))
        }
        return .success(result)
    }

    private var name: String? {
        ended < names.count ? names[ended] : names.last
    }
}
