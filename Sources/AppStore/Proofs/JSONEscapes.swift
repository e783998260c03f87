// SPDX-License-Identifier: Apache-2.0

/// The escapes of a JSON string (RFC 8259, section 7).
enum JSONEscapes {
    /// The text that the characters of a string stand for; nil when an escape is none, or half a surrogate pair.
    static func decode(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.contains(UInt8(ascii: "\\")) else { return Array(text) }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        var position = text.startIndex
        while position < text.endIndex {
            let byte = text[position]
            position += 1
            guard byte == UInt8(ascii: "\\") else {
                decoded.append(byte)
                continue
            }
            guard position < text.endIndex else { return nil }
            let escape = text[position]
            position += 1
            switch escape {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): decoded.append(escape)
            case UInt8(ascii: "b"): decoded.append(0x08)
            case UInt8(ascii: "f"): decoded.append(0x0C)
            case UInt8(ascii: "n"): decoded.append(0x0A)
            case UInt8(ascii: "r"): decoded.append(0x0D)
            case UInt8(ascii: "t"): decoded.append(0x09)
            case UInt8(ascii: "u"):
                guard let scalar = scalar(text, &position) else { return nil }
                decoded.append(scalar)
            default: return nil
            }
        }
        return decoded
    }

    private static func scalar(_ text: ArraySlice<UInt8>, _ position: inout Int) -> Unicode.Scalar? {
        guard let high = unit(text, &position) else { return nil }
        guard (0xD800..<0xDC00).contains(high) else { return Unicode.Scalar(high) }
        guard position + 1 < text.endIndex, text[position] == UInt8(ascii: "\\"), text[position + 1] == UInt8(ascii: "u")
        else { return nil }
        position += 2
        guard let low = unit(text, &position), (0xDC00..<0xE000).contains(low) else { return nil }
        return Unicode.Scalar(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00))
    }

    /// Four hexadecimal digits.
    private static func unit(_ text: ArraySlice<UInt8>, _ position: inout Int) -> UInt32? {
        guard position + 4 <= text.endIndex else { return nil }
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard text[position].isHexDigit else { return nil }
            value = value << 4 | UInt32(text[position].hexValue)
            position += 1
        }
        return value
    }
}
