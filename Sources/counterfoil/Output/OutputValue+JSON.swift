// SPDX-License-Identifier: Apache-2.0

import CommandSupport

extension OutputValue {
    /// JSON in one line (RFC 8259).
    var json: String {
        var text = ""
        appendJSON(to: &text)
        return text
    }

    private func appendJSON(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .number(let value): text += value.isFinite ? "\(value)" : "null"
        case .time(let value), .text(let value): Self.appendString(value, to: &text)
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                text += index > 0 ? "," : ""
                value.appendJSON(to: &text)
            }
            text += "]"
        case .object(let fields):
            text += "{"
            for (index, field) in fields.enumerated() {
                text += index > 0 ? "," : ""
                Self.appendString(field.name, to: &text)
                text += ":"
                field.value.appendJSON(to: &text)
            }
            text += "}"
        }
    }

    private static func appendString(_ value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.movesText:
                // A program reads the same text; a terminal that shows the JSON isn't moved by it.
                for unit in UTF16.encode(scalar)! {
                    let digits = String(unit, radix: 16)
                    text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
