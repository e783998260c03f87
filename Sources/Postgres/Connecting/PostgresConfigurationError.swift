// SPDX-License-Identifier: Apache-2.0

/// Why a connection string cannot be used. It never shows the string, which may hold a password.
package enum PostgresConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Neither a URI nor `key=value` pairs as libpq reads them, or a key that libpq doesn't know.
    case malformed
    /// As many ports (or numeric addresses) as hosts are needed, or one port for all.
    case hostsDoNotMatch
    /// The value of this key of libpq is not one that it allows.
    case invalidValue(key: String)

    package var description: String {
        switch self {
        case .malformed: "the database URL is not a connection string of libpq (postgres://user@host/database)"
        case .hostsDoNotMatch: "the database URL has not as many ports or numeric addresses as hosts"
        case .invalidValue(let key): "the database URL has a value for \(key) that is not allowed"
        }
    }
}
