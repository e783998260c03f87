// SPDX-License-Identifier: Apache-2.0

/// Reads the order of fields, which decoders don't show.
enum FieldNames {
    /// The names of the outer fields of a JSON object without spaces and without quotes in its texts.
    static func outer(of json: [UInt8]) -> [String] {
        var names: [String] = []
        var depth = 0
        var text: [UInt8]?
        var last: [UInt8] = []
        for byte in json {
            if byte == UInt8(ascii: "\"") {
                if let ended = text { last = ended }
                text = text == nil ? [] : nil
            } else if text != nil {
                text?.append(byte)
            } else if byte == UInt8(ascii: ":"), depth == 1 {
                names.append(String(decoding: last, as: UTF8.self))
            } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
                depth += 1
            } else if byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
                depth -= 1
            }
        }
        return names
    }
}
