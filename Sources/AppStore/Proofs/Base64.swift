// SPDX-License-Identifier: Apache-2.0

/// Strict base64 (RFC 4648): one text for one value, in one pass over bytes.
///
/// Bits behind the last byte must be zero, so that a changed character is always a changed value.
package enum Base64 {
    package enum Alphabet: Sendable {
        /// Section 4, `+` and `/`: certificates in `x5c`, receipts.
        case standard
        /// Section 5, `-` and `_`: the parts of a JWS.
        case url
    }

    static let padding = UInt8(ascii: "=")

    /// Sets the two high bits: no value of a symbol does.
    private static let invalid: UInt8 = 0xFF

    private static let standardValues = values(
        of: Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8))
    private static let urlValues = values(
        of: Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8))

    /// The bytes that an unpadded text stands for; nil when it is no such text.
    package static func decode(unpadded text: ArraySlice<UInt8>, as alphabet: Alphabet) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        let values = alphabet == .standard ? standardValues : urlValues
        var isClean = true
        let bytes = values.withUnsafeBufferPointer { values in
            text.withUnsafeBufferPointer { text in
                [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3 + 2) { output, count in
                    isClean = decode(text, values, into: output, count: &count)
                }
            }
        }
        return isClean ? bytes : nil
    }

    /// The bytes that a text with its padding stands for; nil when it is no such text.
    package static func decode(padded text: ArraySlice<UInt8>, as alphabet: Alphabet) -> [UInt8]? {
        guard text.count % 4 == 0 else { return nil }
        var symbols = text
        if symbols.last == padding { symbols.removeLast() }
        if symbols.last == padding { symbols.removeLast() }
        return decode(unpadded: symbols, as: alphabet)
    }

    /// Whether a byte is a symbol of the standard alphabet.
    static func isStandardSymbol(_ byte: UInt8) -> Bool {
        standardValues[Int(byte)] != invalid
    }

    /// Decodes groups of four symbols, then the rest; `output` has room for three bytes a group and two more.
    private static func decode(
        _ text: UnsafeBufferPointer<UInt8>, _ values: UnsafeBufferPointer<UInt8>,
        into output: UnsafeMutableBufferPointer<UInt8>, count: inout Int
    ) -> Bool {
        var seen: UInt8 = 0
        var position = 0
        let whole = text.count - text.count % 4
        while position < whole {
            let (a, b) = (values[Int(text[position])], values[Int(text[position + 1])])
            let (c, d) = (values[Int(text[position + 2])], values[Int(text[position + 3])])
            seen |= a | b | c | d
            output[count] = a << 2 | b >> 4
            output[count + 1] = b << 4 | c >> 2
            output[count + 2] = c << 6 | d
            position += 4
            count += 3
        }
        guard position < text.count else { return seen < 64 }
        let (a, b) = (values[Int(text[position])], values[Int(text[position + 1])])
        seen |= a | b
        output[count] = a << 2 | b >> 4
        count += 1
        guard position + 2 < text.count else { return seen < 64 && b & 0x0F == 0 }
        let c = values[Int(text[position + 2])]
        seen |= c
        output[count] = b << 4 | c >> 2
        count += 1
        return seen < 64 && c & 0x03 == 0
    }

    private static func values(of symbols: [UInt8]) -> [UInt8] {
        var table = [UInt8](repeating: invalid, count: 256)
        for (value, symbol) in symbols.enumerated() {
            table[Int(symbol)] = UInt8(value)
        }
        return table
    }
}
