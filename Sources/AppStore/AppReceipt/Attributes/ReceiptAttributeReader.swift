// SPDX-License-Identifier: Apache-2.0

import Verification

/// Steps through one SET of a receipt's attributes: `SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }`.
///
/// Source: Apple's "Validating receipts on the device".
struct ReceiptAttributeReader {
    struct Attribute {
        /// Negative for a number that no type has.
        let type: Int64
        /// An element of its own, of a kind that the type decides.
        let value: ArraySlice<UInt8>
    }

    private var set: ElementReader

    /// - Parameter bytes: the whole SET and nothing else.
    /// - Throws: `Reason/malformedProof`.
    init(set bytes: ArraySlice<UInt8>) throws(Reason) {
        var outer = ElementReader(bytes)
        set = ElementReader(try outer.content(Element.Tag.set))
        guard outer.isAtEnd else { throw .malformedProof }
    }

    /// The next attribute; nil at the end.
    ///
    /// - Throws: `Reason/malformedProof`.
    mutating func next() throws(Reason) -> Attribute? {
        guard !set.isAtEnd else { return nil }
        var fields = ElementReader(try set.content(Element.Tag.sequence))
        let type = try fields.element(Element.Tag.integer).number ?? -1
        _ = try fields.content(Element.Tag.integer)
        let value = try fields.content(Element.Tag.octetString)
        guard fields.isAtEnd else { throw .malformedProof }
        return Attribute(type: type, value: value)
    }
}

extension ReceiptAttributeReader.Attribute {
    /// The value as text; an empty one is absent.
    var text: LenientField<String> {
        guard let text = element?.text else { return .unreadable }
        return text.isEmpty ? .absent : .value(text)
    }

    /// The value as a number that is not negative.
    var number: LenientField<Int64> {
        element?.number.map(LenientField.value) ?? .unreadable
    }

    /// The value as a moment in the text of RFC 3339; an empty one is absent.
    var moment: LenientField<AppleTime> {
        guard let element, element.tag == Element.Tag.ia5String || element.tag == Element.Tag.utf8String else {
            return .unreadable
        }
        guard !element.content.isEmpty else { return .absent }
        return AppleTime(rfc3339: element.content).map(LenientField.value) ?? .unreadable
    }

    /// The one element that fills the value.
    private var element: Element? {
        var reader = ElementReader(value)
        guard let element = try? reader.next(), reader.isAtEnd else { return nil }
        return element
    }
}
