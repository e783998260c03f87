// SPDX-License-Identifier: Apache-2.0

/// Rows as aligned text: a line of headings, then one line a row; numbers to the right. Columns that are empty in all rows are left
/// out.
///
/// No line is wider than the screen, whatever the values are. The columns that have no room stand below their row, each with its
/// name. A cell of more than ``widestCell`` columns is cut in its row, and stands whole below it, in several lines if it must.
package struct TextTable {
    /// A UUID, Apple's ids and most names are shorter.
    package static let widestCell = 40

    private let headings: [String]
    private let rows: [[OutputValue]]
    private let screen: Screen

    /// - Parameter values: objects with the same fields.
    package init(_ values: [OutputValue], on screen: Screen = Screen()) {
        self.screen = screen
        var headings: [String] = []
        let rows = values.map { value in
            guard case .object(let fields) = value else { return [value] }
            if headings.isEmpty {
                headings = fields.map(\.name)
            }
            return fields.map(\.value)
        }
        let used = headings.indices.filter { column in
            rows.contains { column < $0.count && !$0[column].plainText.isEmpty }
        }
        self.headings = used.map { headings[$0] }
        self.rows = rows.map { row in used.map { $0 < row.count ? row[$0] : .null } }
    }

    package var text: String {
        let cells = rows.map { $0.map(screen.text) }
        let widths = headings.indices.map { column in
            cells.reduce(headings[column].count) { max($0, min($1[column].columns, Self.widestCell)) }
        }
        let shown = columnsWithRoom(widths)
        let isNumeric = headings.indices.map { column in
            rows.contains { $0[column].isNumeric } && rows.allSatisfy { $0[column].isNumeric || $0[column] == .null }
        }
        func line(_ cells: [String], isHeading: Bool) -> String {
            let padded = (0..<shown).map { column in
                let cut = cells[column].columns > Self.widestCell && !isHeading
                let cell = cut ? cells[column].prefix(columns: Self.widestCell - 1) + "…" : cells[column]
                let space = String(repeating: " ", count: max(0, widths[column] - cell.columns))
                let isLast = column == shown - 1
                let coloured = isHeading ? cell : screen.coloured(cell, column: headings[column])
                return isNumeric[column] ? space + coloured : isLast ? coloured : coloured + space
            }
            let joined = padded.joined(separator: "  ")
            return String(joined[..<(joined.lastIndex { $0 != " " }.map { joined.index(after: $0) } ?? joined.startIndex)])
        }
        return
            ([line(headings, isHeading: true)]
            + cells.flatMap { row in [line(row, isHeading: false)] + rest(of: row, after: shown) })
            .joined(separator: "\n")
    }

    /// How many of the first columns stand in the row's own line.
    private func columnsWithRoom(_ widths: [Int]) -> Int {
        var total = 0
        for (column, width) in widths.enumerated() {
            total += (column > 0 ? 2 : 0) + width
            if column > 0, total > screen.width { return column }
        }
        return widths.count
    }

    /// The values that a row's line doesn't hold, or holds cut.
    private func rest(of row: [String], after shown: Int) -> [String] {
        let values = row.indices.filter { column in
            column < shown ? row[column].columns > Self.widestCell : !row[column].isEmpty
        }
        var lines: [String] = []
        for column in values {
            let value = headings[column] + "=" + row[column]
            if let last = lines.last, last.columns + 2 + value.columns <= screen.width {
                lines[lines.count - 1] = last + "  " + value
            } else {
                lines += WrappedText(value, indent: 4, width: screen.width, breaksWords: true).lines
            }
        }
        return lines
    }

    /// One object as a line a field.
    package static func details(_ value: OutputValue, on screen: Screen = Screen()) -> String {
        guard case .object(let fields) = value else { return value.plainText }
        let width = fields.map(\.name.count).max() ?? 0
        return fields.map { field in
            let text = screen.text(field.value)
            let space = String(repeating: " ", count: width - field.name.count + 2)
            return text.isEmpty ? field.name : field.name + space + screen.coloured(text, column: field.name)
        }.joined(separator: "\n")
    }
}
