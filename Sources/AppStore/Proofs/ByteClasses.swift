// SPDX-License-Identifier: Apache-2.0

extension UInt8 {
    /// CR or LF.
    var isLineEnd: Bool {
        self == 0x0A || self == 0x0D
    }

    /// ASCII space, tab, CR or LF.
    var isWhitespace: Bool {
        self == 0x20 || self == 0x09 || isLineEnd
    }

    /// ASCII `0` to `9`.
    var isDigit: Bool {
        self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9")
    }

    /// ASCII letter of either case.
    var isLetter: Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
    }

    /// What base64url is written in: ASCII letter, digit, `-` or `_`.
    var isBase64URLSymbol: Bool {
        isLetter || isDigit || self == UInt8(ascii: "-") || self == UInt8(ascii: "_")
    }

    /// ASCII hexadecimal digit of either case.
    var isHexDigit: Bool {
        isDigit || (self | 0x20 >= UInt8(ascii: "a") && self | 0x20 <= UInt8(ascii: "f"))
    }

    /// Of a hexadecimal digit: 0 to 15.
    var hexValue: UInt8 {
        isDigit ? self - UInt8(ascii: "0") : (self | 0x20) - UInt8(ascii: "a") + 10
    }
}

extension [UInt8] {
    /// Appends the UTF-8 of a scalar.
    mutating func append(_ scalar: Unicode.Scalar) {
        if scalar.isASCII {
            append(UInt8(truncatingIfNeeded: scalar.value))
        } else {
            append(contentsOf: UTF8.encode(scalar)!)  // Every scalar has one.
        }
    }
}

extension ArraySlice<UInt8> {
    /// The bytes between white space at both ends.
    func trimmingWhitespace() -> ArraySlice<UInt8> {
        guard let last = lastIndex(where: { !$0.isWhitespace }) else { return self[endIndex...] }
        return self[...last].drop(while: \.isWhitespace)
    }

    /// Whether `part` stands somewhere inside.
    func contains(bytes part: [UInt8]) -> Bool {
        guard let first = part.first, count >= part.count else { return part.isEmpty }
        let lastStart = endIndex - part.count
        var position = startIndex
        while position <= lastStart {
            if self[position] == first, self[position..<(position + part.count)].elementsEqual(part) {
                return true
            }
            position += 1
        }
        return false
    }
}
