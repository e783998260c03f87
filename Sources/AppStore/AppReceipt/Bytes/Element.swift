// SPDX-License-Identifier: Apache-2.0

/// One element of ASN.1, as it stands in the bytes around it.
struct Element {
    /// Identifier bytes, with class and constructed bits.
    enum Tag {
        static let integer: UInt8 = 0x02
        static let bitString: UInt8 = 0x03
        static let octetString: UInt8 = 0x04
        /// Constructed: BER's way to write one octet string as several.
        static let octetStringOfPieces: UInt8 = 0x24
        static let null: UInt8 = 0x05
        static let objectIdentifier: UInt8 = 0x06
        static let utf8String: UInt8 = 0x0C
        static let printableString: UInt8 = 0x13
        static let ia5String: UInt8 = 0x16
        static let sequence: UInt8 = 0x30
        static let set: UInt8 = 0x31
        /// `[0]` in place of an OCTET STRING.
        static let context0Bytes: UInt8 = 0x80
        /// `[0]` and `[1]`, constructed: explicit, or in place of a SET or SEQUENCE.
        static let context0: UInt8 = 0xA0
        static let context1: UInt8 = 0xA1
    }

    let tag: UInt8

    /// Tag, length and content.
    let encoded: ArraySlice<UInt8>

    private let contentStart: Int

    init(tag: UInt8, encoded: ArraySlice<UInt8>, contentStart: Int) {
        self.tag = tag
        self.encoded = encoded
        self.contentStart = contentStart
    }

    /// An element in DER, of content that is there in parts.
    static func encoded(_ tag: UInt8, _ parts: [ArraySlice<UInt8>]) -> [UInt8] {
        let count = parts.reduce(0) { $0 + $1.count }
        let length = withUnsafeBytes(of: count.bigEndian) { Array($0.drop { $0 == 0 }) }
        let head = count < 0x80 ? [UInt8(count)] : [0x80 | UInt8(length.count)] + length
        return [tag] + head + parts.joined()
    }

    var content: ArraySlice<UInt8> { encoded[contentStart...] }

    /// The number in an INTEGER that is not negative; nil for anything else, and for more than 63 bits.
    var number: Int64? {
        let bytes = content
        guard tag == Tag.integer, (1...8).contains(bytes.count), bytes[bytes.startIndex] < 0x80 else { return nil }
        return bytes.reduce(0) { $0 << 8 | Int64($1) }
    }

    /// The text in a UTF8String or an IA5String; nil for anything else, and for what isn't UTF-8.
    var text: String? {
        guard tag == Tag.utf8String || tag == Tag.ia5String else { return nil }
        return String(validating: content, as: UTF8.self)
    }
}
