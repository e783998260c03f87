// SPDX-License-Identifier: Apache-2.0

/// Texts that name what they hold: forms and headers of HTTP, data URLs, and what programs print for people.
enum LabelledText {
    /// Longest beginning of a text that may name what follows. Names of types and of media are shorter.
    private static let longestLabel = 100

    /// Most fields of a form that is looked into.
    private static let mostFields = 256

    /// What follows `Bearer `, as in a header of HTTP.
    static func bearer(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        after("bearer ", in: text)?.trimmingWhitespace()
    }

    /// What follows the comma of a data URL (RFC 2397). Base64 in it is told by its own form.
    static func dataURL(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let rest = after("data:", in: text), let comma = rest.prefix(longestLabel).firstIndex(of: UInt8(ascii: ",")),
            !rest[..<comma].contains(where: \.isWhitespace)
        else { return nil }
        return rest[(comma + 1)...]
    }

    private static func after(_ label: String, in text: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard text.count > label.utf8.count, zip(text, label.utf8).allSatisfy({ $0 == $1 || $0 | 0x20 == $1 }) else { return nil }
        return text.dropFirst(label.utf8.count)
    }

    /// The fields of a form, as `receipt-data=…&password=…`.
    static func form(_ text: ArraySlice<UInt8>) -> JSONFields? {
        guard let equals = text.firstIndex(of: UInt8(ascii: "=")), isName(text[..<equals]) else { return nil }
        let parts = text.split(separator: UInt8(ascii: "&"), maxSplits: mostFields, omittingEmptySubsequences: false)
        guard parts.count <= mostFields else { return nil }
        var fields: [JSONFields.Field] = []
        for part in parts {
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")), isName(part[..<equals]) else { return nil }
            let value = part[(equals + 1)...]
            let decoded = value.contains(UInt8(ascii: "%")) ? TextCodes.percent(value) : Array(value)
            // A value with escapes would be read as a string of JSON.
            guard let decoded, !decoded.contains(UInt8(ascii: "\\")) else { return nil }
            fields.append(.init(name: String(decoding: part[..<equals], as: UTF8.self), value: .string(decoded[...])))
        }
        return JSONFields(all: fields)
    }

    private static func isName(_ text: ArraySlice<UInt8>) -> Bool {
        guard let first = text.first, first.isLetter, text.count <= 64 else { return false }
        return text.allSatisfy {
            $0.isBase64URLSymbol || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "]")
        }
    }

    /// The words of what a program printed of an object that may be proofs; nil where it is no such text.
    ///
    /// Swift prints `["receipt-data": "MII…"]` and `Purchase(jws: "eyJ…")`, Dart `{receipt-data: MII…}` and
    /// `PurchaseVerificationData(source: app_store, …)`, Kotlin `Purchase(jws=eyJ…)`: one bracket, which holds all, with or without
    /// a type before it. An object of JSON is none of these.
    static func printed(_ text: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
        guard let open = text.prefix(longestLabel).firstIndex(where: isOpening), text[..<open].allSatisfy(isOfType),
            // A word in brackets alone is no object.
            open > text.startIndex || text[open] != UInt8(ascii: "("), isOneBracket(text[open...]),
            text[open] != UInt8(ascii: "{") || text[(open + 1)...].first(where: { !$0.isWhitespace }) != UInt8(ascii: "\"")
        else { return nil }
        return text[open...].split(whereSeparator: { !isOfProof($0) }).compactMap { word in
            // The name before it.
            let start = word.indices.last { index in
                word[index] == UInt8(ascii: "=") && word[(index + 1)...].contains { $0 != UInt8(ascii: "=") }
            }
            let value = start.map { word[($0 + 1)...] } ?? word
            return ["eyJ", "MI"].contains { value.starts(with: $0.utf8) } ? value : nil
        }
    }

    private static func isOneBracket(_ text: ArraySlice<UInt8>) -> Bool {
        var depth = 0
        for (index, byte) in zip(text.indices, text) {
            if isOpening(byte) { depth += 1 }
            if [UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}")].contains(byte) { depth -= 1 }
            if depth == 0 { return index == text.endIndex - 1 }
        }
        return false
    }

    private static func isOpening(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "(") || byte == UInt8(ascii: "[") || byte == UInt8(ascii: "{")
    }

    private static func isOfType(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "<")
            || byte == UInt8(ascii: ">")
    }

    private static func isOfProof(_ byte: UInt8) -> Bool {
        byte.isBase64URLSymbol || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "=")
            || byte == UInt8(ascii: ".")
    }
}
