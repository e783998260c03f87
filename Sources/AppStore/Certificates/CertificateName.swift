// SPDX-License-Identifier: Apache-2.0

/// The Name of a certificate's subject or issuer (RFC 5280, section 4.1.2.4), in a form in which equal names are equal.
///
/// Text in a UTF8String and a PrintableString is compared without its kind, its case, and the length of its white space (RFC 5280,
/// section 7.1). Other values are compared as bytes.
struct CertificateName: Hashable, Sendable {
    private enum Value: Hashable, Sendable {
        case text(String)
        case bytes([UInt8])
    }

    private struct Attribute: Hashable, Sendable {
        let type: [UInt8]
        let value: Value
    }

    /// A set for each relative name, because its attributes have no order.
    private let parts: [Set<Attribute>]

    /// - Parameter name: the element of the Name and nothing else.
    /// - Returns: nil for what is no Name.
    init?(_ name: ArraySlice<UInt8>) {
        var parts: [Set<Attribute>] = []
        do {
            var outer = ElementReader(name)
            var sequence = ElementReader(try outer.content(Element.Tag.sequence))
            guard outer.isAtEnd else { return nil }
            while !sequence.isAtEnd {
                var set = ElementReader(try sequence.content(Element.Tag.set))
                var part: Set<Attribute> = []
                while !set.isAtEnd {
                    var fields = ElementReader(try set.content(Element.Tag.sequence))
                    let type = Array(try fields.content(Element.Tag.objectIdentifier))
                    guard let value = try fields.next(), fields.isAtEnd else { return nil }
                    part.insert(Attribute(type: type, value: Self.value(of: value)))
                }
                parts.append(part)
            }
        } catch {
            return nil
        }
        self.parts = parts
    }

    private static func value(of element: Element) -> Value {
        let isText = element.tag == Element.Tag.utf8String || element.tag == Element.Tag.printableString
        guard isText, let text = String(validating: element.content, as: UTF8.self) else { return .bytes(Array(element.encoded)) }
        return .text(text.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " "))
    }
}
