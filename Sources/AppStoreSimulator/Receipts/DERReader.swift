// SPDX-License-Identifier: Apache-2.0

/// Steps through the elements of one level of definite-length ASN.1, without looking into them.
///
/// Nothing is copied and nothing recurses: whoever wants to go deeper makes a reader of an element's content, so the
/// depth is what the caller writes down. Tags of more than one byte, indefinite lengths and lengths that reach past the
/// end are refused; the order of sets is not looked at, as Apple doesn't sort them.
struct DERReader {
    /// One element; `tag` is the identifier byte as it stands, with class and constructed bits.
    struct Element {
        var tag: UInt8
        var content: ArraySlice<UInt8>
    }

    enum Tag {
        static let integer: UInt8 = 0x02
        static let octetString: UInt8 = 0x04
        static let objectIdentifier: UInt8 = 0x06
        static let utf8String: UInt8 = 0x0C
        static let ia5String: UInt8 = 0x16
        static let sequence: UInt8 = 0x30
        static let set: UInt8 = 0x31
        static let explicitZero: UInt8 = 0xA0
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// The next element; nil at the end.
    mutating func next() throws(ReceiptContentsError) -> Element? {
        guard let tag = rest.popFirst() else { return nil }
        guard tag & 0x1F != 0x1F else { throw .malformed("tag of more than one byte") }
        let length = try readLength()
        guard length <= rest.count else { throw .malformed("length past the end") }
        let content = rest.prefix(length)
        rest = rest.dropFirst(length)
        return Element(tag: tag, content: content)
    }

    /// The content of the next element, which must bear `tag`.
    mutating func expect(_ tag: UInt8) throws(ReceiptContentsError) -> ArraySlice<UInt8> {
        guard let element = try next() else { throw .malformed("element missing") }
        guard element.tag == tag else { throw .malformed("unexpected tag") }
        return element.content
    }

    private mutating func readLength() throws(ReceiptContentsError) -> Int {
        guard let first = rest.popFirst() else { throw .malformed("length missing") }
        if first < 0x80 { return Int(first) }
        guard first != 0x80 else { throw .indefiniteLength }
        let count = Int(first & 0x7F)
        guard count <= 4, count <= rest.count else { throw .malformed("length of too many bytes") }
        var length = 0
        for byte in rest.prefix(count) { length = length << 8 | Int(byte) }
        rest = rest.dropFirst(count)
        return length
    }
}

extension DERReader.Element {
    /// The number in a small INTEGER.
    var integer: Int64 {
        get throws(ReceiptContentsError) {
            guard tag == DERReader.Tag.integer else { throw .malformed("integer expected") }
            guard (1...8).contains(content.count) else { throw .malformed("integer of unusual size") }
            var value: Int64 = content.first.map { $0 >= 0x80 } == true ? -1 : 0
            for byte in content { value = value << 8 | Int64(byte) }
            return value
        }
    }

    /// The text in a UTF8String or an IA5String.
    var text: String {
        get throws(ReceiptContentsError) {
            guard tag == DERReader.Tag.utf8String || tag == DERReader.Tag.ia5String else {
                throw .malformed("text expected")
            }
            return String(decoding: content, as: UTF8.self)
        }
    }
}
