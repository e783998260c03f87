// SPDX-License-Identifier: Apache-2.0

import CPostgres

/// libpq's own reader of connection strings.
enum ConnectionString {
    /// The keys that the string sets, and their values.
    static func parse(_ text: String) throws(PostgresConfigurationError) -> [String: String] {
        // A NUL would silently end the string for C.
        guard !text.utf8.contains(0) else { throw .malformed }
        var message: UnsafeMutablePointer<CChar>?
        // The message quotes the string, so it is thrown away.
        let parsed = PQconninfoParse(text, &message)
        PQfreemem(message)
        guard let options = parsed else { throw .malformed }
        defer { PQconninfoFree(options) }
        var result: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val, value.pointee != 0 {
                result[String(cString: keyword)] = String(cString: value)
            }
            option = option.advanced(by: 1)
        }
        return result
    }
}
