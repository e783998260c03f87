// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import VerificationQueue

/// What one of the schema's own checks found: rows that must not be.
struct CheckResult: Equatable, Sendable {
    var name: String
    var rows: [String]

    /// Runs all checks.
    static func all(_ database: PostgresPool) async throws -> [CheckResult] {
        var results: [CheckResult] = []
        for check in SQLFile.checks {
            let rows = try await database.execute(check.statement).map { row in
                (0..<row.columnCount).map { "\(row.columnName($0))=\(row.textDescription($0) ?? "null")" }
                    .joined(separator: " ")
            }
            results.append(CheckResult(name: check.name, rows: rows))
        }
        return results
    }
}
