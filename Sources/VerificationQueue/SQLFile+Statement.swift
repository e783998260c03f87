// SPDX-License-Identifier: Apache-2.0

package import Postgres
package import Schema

extension SQLFile {
    /// The file as a statement to send.
    package var statement: PostgresStatement {
        PostgresStatement(name: name, sql: text)
    }
}
