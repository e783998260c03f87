// SPDX-License-Identifier: Apache-2.0

package import Postgres
package import Schema

extension SQLFile {
    /// The file as a statement to send, again and again.
    package var statement: PostgresStatement {
        PostgresStatement(name: name, sql: text, isPrepared: true, isReading: isReading)
    }
}
