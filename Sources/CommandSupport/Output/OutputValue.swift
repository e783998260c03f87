// SPDX-License-Identifier: Apache-2.0

/// What a command shows: for programs as JSON, for people as text.
package indirect enum OutputValue: Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    /// A moment in ISO 8601, in UTC.
    case time(String)
    case text(String)
    case array([OutputValue])
    /// Fields in the order in which they are shown.
    case object([Field])

    package struct Field: Equatable, Sendable {
        package let name: String
        package let value: OutputValue

        package init(name: String, value: OutputValue) {
            self.name = name
            self.value = value
        }
    }

    /// As people read it; empty for a null. What could move a terminal's cursor, or turn the direction of writing, is escaped.
    package var plainText: String {
        switch self {
        case .null: ""
        case .bool(let value): value ? "yes" : "no"
        case .integer(let value): String(value)
        case .number(let value): "\(value)"
        case .time(let text), .text(let text): Self.printable(text)
        case .array(let values): values.map(\.plainText).joined(separator: ", ")
        case .object(let fields): fields.map { "\($0.name)=\($0.value.plainText)" }.joined(separator: " ")
        }
    }

    /// Whether it is lined up on the right.
    package var isNumeric: Bool {
        switch self {
        case .integer, .number: true
        default: false
        }
    }

    private static func printable(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if scalar.movesText {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

extension Unicode.Scalar {
    /// Whether it could move a terminal's cursor, end a line, or turn or hide what stands around it.
    package var movesText: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
