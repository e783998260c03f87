// SPDX-License-Identifier: Apache-2.0

import CPostgres

/// What the server has said so far in answer to one query.
struct PartialAnswer {
    /// The last result without an error: a script has several.
    private var result: PostgresResult?
    /// The first error; the server ignores the rest of a script after it.
    private(set) var error: PostgresError?

    /// Takes over a result of libpq.
    ///
    /// - Returns: false for a result that means a state (a copy) which this client cannot leave.
    mutating func add(_ pointer: OpaquePointer, statementName: String?) -> Bool {
        switch PQresultStatus(pointer) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY:
            result = PostgresResult(pointer)
            return true
        case PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE, PGRES_NONFATAL_ERROR:
            if error == nil {
                error = PostgresError(result: pointer, statementName: statementName)
            }
            PQclear(pointer)
            return true
        default:
            PQclear(pointer)
            error = PostgresError(
                .protocolViolation,
                message: "a statement began a copy, which this client cannot do",
                statementName: statementName
            )
            return false
        }
    }

    /// The whole answer, once the server has nothing more to say.
    func completed(statementName: String?) -> Result<PostgresResult, PostgresError> {
        if let error {
            return .failure(error)
        }
        guard let result else {
            return .failure(
                PostgresError(.protocolViolation, message: "the server gave no answer", statementName: statementName)
            )
        }
        return .success(result)
    }
}
