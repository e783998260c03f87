// SPDX-License-Identifier: Apache-2.0

/// Takes values off a JSON text: in one pass, without recursion, and without a look into values that are nested.
///
/// It is no validator: unwrapped text is kept only if a proof comes out.
struct JSONScanner {
    enum Value {
        /// The characters between the quotes, still escaped.
        case string(ArraySlice<UInt8>)
        /// An object or an array, whole.
        case nested(ArraySlice<UInt8>)
        /// A number, `true`, `false` or `null`.
        case scalar(ArraySlice<UInt8>)
    }

    private(set) var rest: ArraySlice<UInt8>

    init(_ text: ArraySlice<UInt8>) {
        rest = text
    }

    /// Whether nothing but white space is left.
    mutating func isAtEnd() -> Bool {
        skipWhitespace()
        return rest.isEmpty
    }

    mutating func skip(_ token: Unicode.Scalar) -> Bool {
        skipWhitespace()
        guard rest.first == UInt8(ascii: token) else { return false }
        rest = rest.dropFirst()
        return true
    }

    mutating func string() -> ArraySlice<UInt8>? {
        guard skip("\""), let end = Self.endOfString(rest) else { return nil }
        let text = rest[..<end]
        rest = rest[(end + 1)...]
        return text
    }

    mutating func value() -> Value? {
        skipWhitespace()
        switch rest.first {
        case UInt8(ascii: "\""): return string().map(Value.string)
        case UInt8(ascii: "{"), UInt8(ascii: "["): return nested().map(Value.nested)
        default:
            let text = rest.prefix { $0.isBase64URLSymbol || $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: ".") }
            rest = rest[text.endIndex...]
            return text.isEmpty ? nil : .scalar(text)
        }
    }

    private mutating func skipWhitespace() {
        rest = rest.drop(while: \.isWhitespace)
    }

    private mutating func nested() -> ArraySlice<UInt8>? {
        var depth = 0
        var position = rest.startIndex
        while position < rest.endIndex {
            switch rest[position] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: "\""):
                guard let end = Self.endOfString(rest[(position + 1)...]) else { return nil }
                position = end
            default: break
            }
            position += 1
            if depth == 0 {
                let text = rest[..<position]
                rest = rest[position...]
                return text
            }
        }
        return nil
    }

    /// The place of the quote that ends a string.
    private static func endOfString(_ text: ArraySlice<UInt8>) -> Int? {
        var position = text.startIndex
        while position < text.endIndex {
            switch text[position] {
            case UInt8(ascii: "\""): return position
            case UInt8(ascii: "\\"): position += 2
            default: position += 1
            }
        }
        return nil
    }
}
