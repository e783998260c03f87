// SPDX-License-Identifier: Apache-2.0

/// One SQL statement with `$1…` for its parameters.
///
/// One that is prepared is parsed and planned once a connection, under its name, where it is certain that no pooler gives
/// each database transaction another server connection. Elsewhere, and always when it isn't, it goes out unnamed.
package struct PostgresStatement: Sendable, Hashable {
    /// For logs and errors, such as the name of the file that holds the statement; of those that are prepared each has a
    /// name of its own.
    package let name: String
    package let sql: String
    package let isPrepared: Bool
    /// Whether it changes nothing, whoever calls it. Only such a statement may be cancelled while it runs outside of a database
    /// transaction: any other commits at its end, and a commit is never cancelled.
    package let isReading: Bool

    package init(name: String, sql: String, isPrepared: Bool = false, isReading: Bool = false) {
        self.name = name
        self.sql = sql
        self.isPrepared = isPrepared
        self.isReading = isReading
    }
}
