// SPDX-License-Identifier: Apache-2.0

package import PrivatePostgres

extension PrivatePostgresServer {
    /// A connection string for the port on loopback; nothing listens there unless it was asked for.
    ///
    /// - Parameters: letters and digits.
    package func loopbackURL(database: String = "postgres", user: String = "postgres", password: String? = nil) -> String {
        "postgresql://\(user)\(password.map { ":" + $0 } ?? "")@127.0.0.1:\(port)/\(database)"
    }
}
