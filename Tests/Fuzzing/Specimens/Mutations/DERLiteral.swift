// SPDX-License-Identifier: Apache-2.0

import Fuzzing

/// A value of a receipt's attribute: the bytes of its OCTET STRING.
enum DERLiteral: Hashable, Sendable {
    case utf8(String)
    case ia5(String)
    /// The content of an INTEGER.
    case number([UInt8])
    /// Anything else.
    case bytes([UInt8])

    var encoded: [UInt8] {
        switch self {
        case .utf8(let text): Self.element(0x0C, Array(text.utf8))
        case .ia5(let text): Self.element(0x16, Array(text.utf8))
        case .number(let content): Self.element(0x02, content)
        case .bytes(let bytes): bytes
        }
    }

    /// The text of either form.
    var text: String? {
        switch self {
        case .utf8(let text), .ia5(let text): text
        case .number, .bytes: nil
        }
    }

    /// The number, if it isn't negative and fits into 63 bits.
    var integer: Int? {
        guard case .number(let content) = self, (1...8).contains(content.count), content[0] < 0x80 else { return nil }
        return content.reduce(0) { $0 << 8 | Int($1) }
    }

    static func integer(_ number: Int) -> DERLiteral {
        var content = (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
        while content.count > 1, content[0] == 0, content[1] < 0x80 { content.removeFirst() }
        return .number(content)
    }

    /// One element of definite length.
    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        switch count {
        case ..<0x80: return [tag, UInt8(count)] + content
        case ..<0x10000: return [tag, 0x82, UInt8(count >> 8), UInt8(count & 0xFF)] + content
        default: return [tag, 0x83, UInt8(count >> 16), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)] + content
        }
    }

    /// A SET of attributes.
    static func set(_ attributes: [(type: Int, value: DERLiteral)]) -> DERLiteral {
        .bytes(element(0x31, attributes.flatMap { attribute($0.type, $0.value) }))
    }

    private static func attribute(_ type: Int, _ value: DERLiteral) -> [UInt8] {
        element(0x30, integer(type).encoded + integer(1).encoded + element(0x04, value.encoded))
    }

    /// Values of every type and size, each with the change that it stands for.
    static func changes(of original: DERLiteral) -> [(MutatedProof.Mutation, DERLiteral)] {
        let text = original.text ?? "seven"
        return [
            (.null, .bytes([0x05, 0x00])), (.wrongType, .utf8("seven")), (.wrongType, .integer(7)),
            (.wrongType, .bytes([0x01, 0x01, 0xFF])), (.wrongType, .bytes([0x04, 0x01, 0x37])),
            (.wrongType, .bytes([0x30, 0x03, 0x02, 0x01, 0x07])), (.wrongType, .bytes([0x31, 0x00])),
            // A BMPString of one letter, and a PrintableString.
            (.wrongType, .bytes([0x1E, 0x02, 0x00, 0x37])), (.wrongType, .bytes([0x13, 0x01, 0x37])),
            (.empty, .bytes([])), (.empty, .utf8("")), (.empty, .ia5("")), (.empty, .number([])), (.empty, .integer(0)),
            (.huge, .utf8(String(repeating: "7", count: 5000))), (.huge, .utf8(String(repeating: "x", count: 200))),
            (.huge, .integer(1 << 62)), (.huge, .number([0x7F] + [UInt8](repeating: 0xFF, count: 31))),
            // A length beyond the end, and one of four bytes.
            (.huge, .bytes([0x0C, 0x7F, 0x37])), (.huge, .bytes([0x0C, 0x84, 0xFF, 0xFF, 0xFF, 0xFF, 0x37])),
            (.negative, .number([0xFF])), (.negative, .number([0x80, 0, 0, 0, 0, 0, 0, 0])), (.negative, .utf8("-1")),
            (.nul, .utf8("\0")), (.nul, .utf8(text + "\0")), (.unknownValue, .utf8("SomethingNew")),
            (.unknownValue, .integer(123_456_789)), (.unknownValue, .bytes(original.encoded + original.encoded)),
            (.unknownValue, .bytes([0x0C, 0x02, 0xC3, 0x28])), (.fraction, .utf8("1.5")),
            // REAL 1.5.
            (.fraction, .bytes([0x09, 0x03, 0x80, 0xFF, 0x03])),
        ]
    }
}
