// SPDX-License-Identifier: Apache-2.0

/// Writes JSON text straight into bytes, fields in the order of the calls.
///
/// An optional field without a value is left out, which is how Apple's answers show absence.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    private var needsComma = false

    /// Writes an object whose fields `body` adds.
    mutating func object(_ body: (inout JSONWriter) -> Void) {
        nested(open: "{", close: "}", body)
    }

    /// Writes an array with one object for each element.
    mutating func objects<Element>(_ elements: some Sequence<Element>, _ body: (inout JSONWriter, Element) -> Void) {
        nested(open: "[", close: "]") { json in
            for element in elements {
                json.object { body(&$0, element) }
            }
        }
    }

    /// Writes an array of strings.
    mutating func strings(_ values: some Sequence<String>) {
        nested(open: "[", close: "]") { json in
            for value in values {
                json.separate()
                json.append(quoting: value)
            }
        }
    }

    /// Begins a field whose value is written by the next call.
    mutating func key(_ name: StaticString) {
        separate()
        needsComma = false
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    mutating func field(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        key(name)
        append(quoting: value)
        needsComma = true
    }

    mutating func field(_ name: StaticString, _ value: Int64?) {
        guard let value else { return }
        key(name)
        bytes.append(contentsOf: String(value).utf8)
        needsComma = true
    }

    mutating func field(_ name: StaticString, _ value: Bool?) {
        guard let value else { return }
        key(name)
        bytes.append(contentsOf: (value ? "true" : "false").utf8)
        needsComma = true
    }

    private mutating func nested(open: Unicode.Scalar, close: Unicode.Scalar, _ body: (inout JSONWriter) -> Void) {
        separate()
        bytes.append(UInt8(ascii: open))
        needsComma = false
        body(&self)
        bytes.append(UInt8(ascii: close))
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
        needsComma = true
    }

    /// Escapes what RFC 8259 says must be escaped, and nothing else.
    private mutating func append(quoting text: String) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        text.withUTF8 { utf8 in
            // Nearly every text needs no escape and goes over in one piece.
            if utf8.contains(where: Self.mustBeEscaped) {
                for byte in utf8 { append(escaping: byte) }
            } else {
                bytes.append(contentsOf: utf8)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func append(escaping byte: UInt8) {
        guard Self.mustBeEscaped(byte) else { return bytes.append(byte) }
        bytes.append(UInt8(ascii: "\\"))
        if byte < 0x20 {
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(Self.hexDigits[Int(byte >> 4)])
            bytes.append(Self.hexDigits[Int(byte & 15)])
        } else {
            bytes.append(byte)
        }
    }

    private static func mustBeEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static let hexDigits = Array("0123456789abcdef".utf8)
}
