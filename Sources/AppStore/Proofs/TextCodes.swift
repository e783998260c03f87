// SPDX-License-Identifier: Apache-2.0

/// The codes that stand for single characters or bytes of a text. Each decoder returns nil where a code is none.
enum TextCodes {
    /// `%2B` and its like, of URLs and forms. A `+` stays: base64 has no space that it could stand for.
    static func percent(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let sign = UInt8(ascii: "%")
        guard text.contains(sign) else { return nil }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        var position = text.startIndex
        while position < text.endIndex {
            let byte = text[position]
            position += 1
            guard byte == sign else {
                decoded.append(byte)
                continue
            }
            guard position + 1 < text.endIndex, let value = hexByte(text, position) else { return nil }
            decoded.append(value)
            position += 2
        }
        return decoded
    }

    /// `&#43;`, `&#x2B;`, `&amp;` and `&quot;`, of HTML and XML.
    static func characterReferences(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        let sign = UInt8(ascii: "&")
        guard text.contains(sign) else { return nil }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count)
        var position = text.startIndex
        while position < text.endIndex {
            let byte = text[position]
            position += 1
            guard byte == sign else {
                decoded.append(byte)
                continue
            }
            // The longest is that of the last code point, &#x10FFFF; with a few zeros before it.
            guard let end = text[position...].prefix(12).firstIndex(of: UInt8(ascii: ";")),
                let scalar = scalar(of: text[position..<end])
            else { return nil }
            decoded.append(scalar)
            position = end + 1
        }
        return decoded
    }

    /// `\x65794a…`, PostgreSQL's text for bytes.
    static func hex(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        guard text.starts(with: #"\x"#.utf8), text.count > 2, text.count % 2 == 0 else { return nil }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(text.count / 2)
        for position in stride(from: text.startIndex + 2, to: text.endIndex, by: 2) {
            guard let value = hexByte(text, position) else { return nil }
            decoded.append(value)
        }
        return decoded
    }

    private static func hexByte(_ text: ArraySlice<UInt8>, _ position: Int) -> UInt8? {
        let (high, low) = (text[position], text[position + 1])
        guard high.isHexDigit, low.isHexDigit else { return nil }
        return high.hexValue << 4 | low.hexValue
    }

    private static func scalar(of reference: ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard reference.first == UInt8(ascii: "#") else {
            return reference.elementsEqual("amp".utf8) ? "&" : reference.elementsEqual("quot".utf8) ? "\"" : nil
        }
        let number = reference.dropFirst()
        let isHex = number.first.map { $0 | 0x20 == UInt8(ascii: "x") } ?? false
        let digits = isHex ? number.dropFirst() : number
        guard !digits.isEmpty, digits.allSatisfy({ isHex ? $0.isHexDigit : $0.isDigit }) else { return nil }
        // At most eleven digits: no overflow of 64 bits.
        let value = digits.reduce(UInt64(0)) { $0 * (isHex ? 16 : 10) + UInt64($1.hexValue) }
        return UInt32(exactly: value).flatMap(Unicode.Scalar.init)
    }
}
