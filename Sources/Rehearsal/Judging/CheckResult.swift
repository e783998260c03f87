// SPDX-License-Identifier: Apache-2.0

package import Postgres
import Schema
import VerificationQueue

/// What one of the schema's own checks found: rows that must not be.
package struct CheckResult: Equatable, Sendable {
    package var name: String
    package var rows: [String]

    package init(name: String, rows: [String]) {
        self.name = name
        self.rows = rows
    }

    /// Runs all checks.
    package static func all(_ database: PostgresPool) async throws -> [CheckResult] {
        var results: [CheckResult] = []
        for check in SQLFile.checks { results.append(try await of(check.statement, database)) }
        return results
    }

    /// Runs one check: a statement that returns no row when all is well.
    package static func of(_ check: PostgresStatement, _ database: PostgresPool) async throws -> CheckResult {
        CheckResult(name: check.name, rows: try await database.execute(check).map(\.summary))
    }
}

extension PostgresRow {
    /// All columns with their names, in a line.
    package var summary: String {
        (0..<columnCount).map { "\(columnName($0))=\(textDescription($0) ?? "null")" }.joined(separator: " ")
    }
}
