// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import Postgres

extension JSONValue {
    /// A row's columns by their names, without some of them. Ids are strings; times are RFC 3339 in UTC with milliseconds.
    package init(_ row: PostgresRow, without left: Set<String> = []) {
        var members: [String: JSONValue] = [:]
        for column in 0..<row.columnCount {
            let name = row.columnName(column)
            if !left.contains(name) { members[name] = JSONValue(row, column) }
        }
        self = .object(members)
    }

    private init(_ row: PostgresRow, _ column: Int) {
        if row.isNull(column) {
            self = .null
        } else if let value = try? row.bool(column) {
            self = .bool(value)
        } else if let value = try? row.int32(column) {
            self = .integer(Int64(value))
        } else if let value = try? row.int64(column) {
            // An id: JavaScript's numbers have 53 bits.
            self = .string(String(value))
        } else if let value = try? row.decimal(column), let number = Double(value.text), number.isFinite {
            self = Int64(exactly: number).map(JSONValue.integer) ?? .number(number)
        } else if let value = try? row.timestamp(column) {
            self = .string(RFC3339.text(value))
        } else {
            let text = row.textDescription(column) ?? ""
            // What Apple says of a change is JSON, and begins so; no other text of ours is parsed.
            if row.columnName(column) == "details", let value = try? JSONDecoder().decode(JSONValue.self, from: Data(text.utf8)) {
                self = value
            } else {
                self = .string(text)
            }
        }
    }
}

/// Times as the gateway writes and reads them.
package enum RFC3339 {
    /// `2026-03-01T09:30:00.250Z`; the infinities as PostgreSQL has them.
    package static func text(_ timestamp: PostgresTimestamp) -> String {
        let whole = PostgresTimestamp(microsecondsSince1970: timestamp.microsecondsSince1970 / 1000 * 1000)
        let text = (timestamp == .distantPast || timestamp == .distantFuture ? timestamp : whole).description
        guard text.hasSuffix("+00") else { return text }
        var parts = text.dropLast(3).replacing(" ", with: "T").split(separator: ".").map(String.init)
        if parts.count == 1 { parts.append("") }
        return parts[0] + "." + parts[1] + String(repeating: "0", count: 3 - parts[1].count) + "Z"
    }

    /// Whether a text has the form of a time with an offset; PostgreSQL reads it.
    package static func isTime(_ text: String) -> Bool {
        text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)/) != nil
    }
}
