// SPDX-License-Identifier: Apache-2.0

/// Rows as aligned text: a line of headings, then one line a row; numbers to the right.
package struct TextTable {
    private let headings: [String]
    private let rows: [[OutputValue]]

    /// - Parameter values: objects with the same fields.
    package init(_ values: [OutputValue]) {
        var headings: [String] = []
        rows = values.map { value in
            guard case .object(let fields) = value else { return [value] }
            if headings.isEmpty {
                headings = fields.map(\.name)
            }
            return fields.map(\.value)
        }
        self.headings = headings
    }

    package var text: String {
        let cells = rows.map { $0.map(\.plainText) }
        let widths = headings.indices.map { column in
            cells.reduce(headings[column].count) { max($0, column < $1.count ? $1[column].count : 0) }
        }
        let isNumeric = headings.indices.map { column in
            rows.contains { $0[column].isNumeric } && rows.allSatisfy { $0[column].isNumeric || $0[column] == .null }
        }
        return ([headings] + cells).map { line in
            let padded = line.indices.map { column in
                let space = String(repeating: " ", count: max(0, widths[column] - line[column].count))
                return isNumeric[column] ? space + line[column] : line[column] + space
            }
            let joined = padded.joined(separator: "  ")
            return String(joined[..<(joined.lastIndex { $0 != " " }.map { joined.index(after: $0) } ?? joined.startIndex)])
        }.joined(separator: "\n")
    }

    /// One object as a line a field.
    package static func details(_ value: OutputValue) -> String {
        guard case .object(let fields) = value else { return value.plainText }
        let width = fields.map(\.name.count).max() ?? 0
        return fields.map { field in
            let text = field.value.plainText
            let space = String(repeating: " ", count: width - field.name.count + 2)
            return text.isEmpty ? field.name : field.name + space + text
        }.joined(separator: "\n")
    }
}
