// SPDX-License-Identifier: Apache-2.0

/// One SQL statement with `$1…` for its parameters.
///
/// It is always sent unnamed, parsed anew by the server each time, so that it works through a transaction-mode pooler.
package struct PostgresStatement: Sendable, Hashable {
    /// For logs and errors only, such as the name of the file that holds the statement.
    package let name: String
    package let sql: String

    package init(name: String, sql: String) {
        self.name = name
        self.sql = sql
    }
}
