// SPDX-License-Identifier: Apache-2.0

import CommandSupport
import Postgres

extension OutputValue {
    /// A row of any statement: its columns under their names.
    init(_ row: PostgresRow) {
        self = .object(
            (0..<row.columnCount).map { column in
                Field(name: row.columnName(column), value: OutputValue(row, column))
            })
    }

    /// The same row without some of its columns.
    func dropping(_ names: Set<String>) -> OutputValue {
        guard case .object(let fields) = self else { return self }
        return .object(fields.filter { !names.contains($0.name) })
    }

    /// One column: numbers and truth values stay what they are, times become ISO 8601, anything else text.
    private init(_ row: PostgresRow, _ column: Int) {
        if row.isNull(column) {
            self = .null
        } else if let value = try? row.bool(column) {
            self = .bool(value)
        } else if let value = try? row.int64(column) {
            self = .integer(value)
        } else if let value = try? row.double(column) {
            self = .number(value)
        } else if let value = try? row.decimal(column), let number = Self.jsonNumber(value.text) {
            self = number
        } else if let value = try? row.timestamp(column) {
            self = .time(Self.iso8601(value))
        } else {
            self = .text(row.textDescription(column) ?? "")
        }
    }

    /// Nil for what JSON has no number for.
    private static func jsonNumber(_ text: String) -> OutputValue? {
        if let whole = Int64(text) { return .integer(whole) }
        guard let number = Double(text), number.isFinite else { return nil }
        return .number(number)
    }

    /// `2026-03-01T09:30:00.25Z`; the infinities as the database writes them.
    private static func iso8601(_ timestamp: PostgresTimestamp) -> String {
        let text = timestamp.description
        guard text.hasSuffix("+00") else { return text }
        return text.dropLast(3).replacing(" ", with: "T") + "Z"
    }
}
