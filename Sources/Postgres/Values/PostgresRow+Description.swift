// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

extension PostgresRow {
    /// The column's value as `psql` would print it (times in UTC), for printing rows of any shape; nil for a null.
    ///
    /// A type that this client doesn't read is printed as its bytes in hexadecimal, `\x…`; cast it to text in the
    /// statement to read it.
    package func textDescription(_ column: Int) -> String? {
        guard let value = try? value(column) else { return nil }
        return value.textDescription
    }
}

extension PostgresValue {
    var textDescription: String {
        switch (type, bytes.count) {
        case (.bool, 1): return bytes[0] == 0 ? "f" : "t"
        case (.int2, 2): return String(integer(as: Int16.self))
        case (.int4, 4): return String(integer(as: Int32.self))
        case (.int8, 8): return String(integer(as: Int64.self))
        case (.oid, 4): return String(integer(as: UInt32.self))
        case (.float4, 4): return Self.description(of: float)
        case (.float8, 8): return Self.description(of: double)
        case (.numeric, _): if let decimal { return decimal.text }
        case (.uuid, 16): return uuid.uuidString.lowercased()
        case (.timestamptz, 8), (.timestamp, 8):
            let text = PostgresTimestamp(wireValue: integer(as: Int64.self)).description
            guard type == .timestamp, let zone = text.firstIndex(of: "+") else { return text }
            return String(text[..<zone]) + text[zone...].dropFirst(3)
        default: break
        }
        if let text {
            return text
        }
        if let elements = PostgresArrayReader(self)?.elements({ $0.arrayElementDescription }) {
            return "{" + elements.map { $0 ?? "NULL" }.joined(separator: ",") + "}"
        }
        return Self.hexadecimal(bytes)
    }

    /// In double quotes where the server would put them (its manual, 8.15.6).
    private var arrayElementDescription: String? {
        let text = textDescription
        let special: Set<Character> = ["{", "}", ",", "\"", "\\"]
        let needsQuotes =
            text.isEmpty || text.lowercased() == "null" || text.contains { special.contains($0) || $0.isWhitespace }
        guard needsQuotes else { return text }
        var quoted = "\""
        for character in text {
            if character == "\"" || character == "\\" {
                quoted.append("\\")
            }
            quoted.append(character)
        }
        return quoted + "\""
    }

    private static func description(of value: some BinaryFloatingPoint & CustomStringConvertible) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Infinity" : "Infinity" }
        let text = value.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func hexadecimal(_ bytes: UnsafeRawBufferPointer) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = [UInt8(ascii: "\\"), UInt8(ascii: "x")]
        text.reserveCapacity(2 + bytes.count * 2)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
