// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A wrapping that clients, backends and the ways between them put around proofs. Each has exactly one meaning, and is one layer.
package enum ProofWrapping: String, CaseIterable, Sendable {
    case jsonString = "json-string"
    /// `\/` in a JSON string.
    case escapedSlashes = "escaped-slashes"
    /// The escapes without the quotes.
    case jsonEscapes = "json-escapes"
    case jsonObject = "json-object"
    case jsonArray = "json-array"
    case percent
    case characterReferences = "character-references"
    /// As PostgreSQL shows bytes.
    case hex
    case base64
    case quotes
    /// As Python shows bytes.
    case bytesQuotes = "bytes-quotes"
    case optional

    package func applied(to text: String) -> String {
        switch self {
        case .jsonString: return Self.quoted(text)
        case .escapedSlashes: return Self.quoted(text).replacing("/", with: #"\/"#)
        case .jsonEscapes: return #"\u00"# + Self.hexadecimal(text.utf8.prefix(1)) + Self.escaped(text.dropFirst())
        case .jsonObject: return #"{"status":"ok","proof":\#(Self.quoted(text))}"#
        case .jsonArray: return "[" + Self.quoted(text) + "]"
        case .percent:
            return "%" + Self.hexadecimal(text.utf8.prefix(1))
                + text.dropFirst().replacing("%", with: "%25").replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D")
        case .characterReferences:
            return "&#\(text.utf8.first ?? 0x65);"
                + text.dropFirst().replacing("&", with: "&amp;").replacing("+", with: "&#43;").replacing("=", with: "&#x3D;")
        case .hex: return #"\x"# + Self.hexadecimal(text.utf8)
        case .base64: return Data(text.utf8).base64EncodedString()
        case .quotes: return "'" + text + "'"
        case .bytesQuotes: return "b'" + text + "'"
        case .optional: return "Optional(" + text + ")"
        }
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing(#"\"#, with: #"\\"#).replacing("\"", with: #"\""#) + "\""
    }

    private static func escaped(_ text: some StringProtocol) -> String {
        String(text).replacing(#"\"#, with: #"\\"#).replacing("\"", with: #"\""#).replacing("/", with: #"\/"#)
    }

    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

/// Harm that is no layer: it may come with any wrapping.
package enum ProofSoiling: String, CaseIterable, Sendable {
    case byteOrderMark = "byte-order-mark"
    case noBreakSpaces = "no-break-spaces"
    case zeroWidthSpaces = "zero-width-spaces"
    case tabs
    case foldedLines = "folded-lines"
    case lineEnds = "line-ends"

    package func applied(to text: String) -> String {
        switch self {
        case .byteOrderMark: "\u{FEFF}" + text
        case .noBreakSpaces: "\u{A0}" + text + "\u{A0}\u{A0}"
        case .zeroWidthSpaces: Self.parts(of: text).joined(separator: "\u{200B}")
        case .tabs: Self.parts(of: text).joined(separator: "\t")
        case .foldedLines: Self.parts(of: text).joined(separator: "\r\n ")
        case .lineEnds: Self.parts(of: text).joined(separator: "\n") + "\n"
        }
    }

    private static func parts(of text: String) -> [Substring] {
        var rest = text[...]
        var parts: [Substring] = []
        while !rest.isEmpty {
            parts.append(rest.prefix(76))
            rest = rest.dropFirst(76)
        }
        return parts
    }
}
