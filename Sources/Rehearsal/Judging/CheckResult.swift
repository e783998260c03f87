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

extension CheckResult {
    /// Apple was told that a transaction is finished if, and only if, it was granted in an app that wants that.
    package static func followUps(_ observation: Observation) -> CheckResult {
        let apps = Set(ShopApp.allCases.filter(\.finishesTransactions).map(\.bundleID))
        let granted = Set(observation.grants.keys.filter { apps.contains($0.bundleID) }.map(\.id))
        let rows =
            granted.subtracting(observation.finished).sorted().map { "transaction_id=\($0) granted, and not finished" }
            + observation.finished.subtracting(granted).sorted().map { "transaction_id=\($0) finished, and not granted" }
        return CheckResult(name: "granted_transactions_are_finished_and_no_others", rows: rows)
    }
}
