// SPDX-License-Identifier: Apache-2.0

import Postgres

/// Makes the text of statements that pgbench sends.
enum ScriptText {
    /// An array with the same value for each job.
    static func all(_ value: String) -> String {
        "array_fill(\(value), array[:n::integer])"
    }

    /// A statement's text with expressions for its parameters, and without comments, which pgbench would have to skip.
    ///
    /// Its name comes before it, so that the server's counts of statements can be read.
    static func fill(_ statement: PostgresStatement, _ expressions: [String]) -> String {
        var text = statement.sql.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("--") }.joined(separator: "\n")
        precondition(!text.contains("$\(expressions.count + 1)"), "\(statement.name) has more parameters than expressions")
        // The last first: $1 is the beginning of $10.
        for (index, expression) in expressions.enumerated().reversed() {
            text = text.replacing("$\(index + 1)", with: expression)
        }
        return "/* \(statement.name) */ \(text)"
    }

    /// The same up to the last select, which hands out what was claimed.
    static func fillClaim(_ statement: PostgresStatement, _ expressions: [String]) -> String {
        let text = fill(statement, expressions)
        guard let select = text.ranges(of: "\nselect ").last else { preconditionFailure("the claim hands nothing out") }
        return String(text[..<select.lowerBound])
    }
}
