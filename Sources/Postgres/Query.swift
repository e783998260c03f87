// SPDX-License-Identifier: Apache-2.0

/// What a connection sends: one statement with parameters, or a script of several without.
enum Query: Sendable {
    case statement(PostgresStatement, EncodedParameters)
    /// Has the server parse a statement and keep it under its name; of the parameters only the types matter.
    case preparation(PostgresStatement, EncodedParameters)
    /// By the simple protocol, which alone takes several statements at once.
    case script(String)

    var name: String {
        switch self {
        case .statement(let statement, _), .preparation(let statement, _): statement.name
        case .script: "script"
        }
    }
}
