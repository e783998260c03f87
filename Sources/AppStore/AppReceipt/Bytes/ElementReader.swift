// SPDX-License-Identifier: Apache-2.0

import Verification

/// Steps through the elements of one level of ASN.1 (X.690), without looking into them.
///
/// Nothing is copied and nothing recurses: whoever wants to go deeper makes a reader of an element's content, so the
/// depth is what the code writes down and hostile nesting is never followed. A parser that builds the whole tree first,
/// as swift-asn1's does, spends a hundred bytes of memory on an element of two.
///
/// Lengths are definite, and need not be minimal. Sets may be in any order, because the App Store doesn't sort them.
struct ElementReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// The next element; nil at the end.
    ///
    /// - Throws: `Reason/malformedProof` for an indefinite length, one that reaches past the end, one of more than four
    ///   bytes, or a tag of more than one.
    mutating func next() throws(Reason) -> Element? {
        guard let tag = rest.first else { return nil }
        guard tag & 0x1F != 0x1F, rest.count >= 2 else { throw .malformedProof }
        var start = rest.startIndex + 2
        var length = Int(rest[rest.startIndex + 1])
        if length >= 0x80 {
            let size = length & 0x7F
            guard (1...4).contains(size), rest.endIndex - start >= size else { throw .malformedProof }
            length = 0
            for _ in 0..<size {
                length = length << 8 | Int(rest[start])
                start += 1
            }
        }
        guard length <= rest.endIndex - start else { throw .malformedProof }
        let end = start + length
        let element = Element(tag: tag, encoded: rest[rest.startIndex..<end], contentStart: start)
        rest = rest[end...]
        return element
    }

    /// The content of the next element, which must bear a tag.
    ///
    /// - Throws: `Reason/malformedProof`.
    mutating func content(_ tag: UInt8) throws(Reason) -> ArraySlice<UInt8> {
        try element(tag).content
    }

    /// The next element, which must bear a tag.
    ///
    /// - Throws: `Reason/malformedProof`.
    mutating func element(_ tag: UInt8) throws(Reason) -> Element {
        guard let element = try next(), element.tag == tag else { throw .malformedProof }
        return element
    }

    /// The next element if it bears a tag; nil, and nothing is passed over, if it doesn't.
    ///
    /// - Throws: `Reason/malformedProof`.
    mutating func element(ifTagged tag: UInt8) throws(Reason) -> Element? {
        guard rest.first == tag else { return nil }
        return try next()
    }
}
