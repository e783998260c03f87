// SPDX-License-Identifier: Apache-2.0

import Verification

/// A receipt in BER's indefinite lengths (X.690, section 8.1.3.6), which no store made so far. Xcode's local testing writes it.
///
/// Only the content is looked for. Nothing recurses, and each byte is read once.
struct IndefiniteReceipt {
    private var rest: ArraySlice<UInt8>

    /// Whether bytes begin with a SEQUENCE of indefinite length.
    static func hasShape(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.starts(with: [Element.Tag.sequence, 0x80])
    }

    static func reason(against bytes: [UInt8]) -> Reason {
        isXcodes(bytes) ? .unsupportedEnvironment : .unsupportedEncoding
    }

    /// Whether a receipt says by its type that it is Xcode's. False where its content can't be found.
    static func isXcodes(_ bytes: [UInt8]) -> Bool {
        var receipt = IndefiniteReceipt(rest: bytes[...])
        guard let content = try? receipt.content(),
            let facts = try? ReceiptFacts(ifReadable: content[...], limits: AppReceiptLimits())
        else { return false }
        return ProofOrigin(receiptType: facts.receiptType) == .xcode
    }

    /// ContentInfo, SignedData and EncapsulatedContentInfo (RFC 5652, sections 3 and 5) down to the content, which may come in
    /// pieces.
    private mutating func content() throws(Reason) -> [UInt8] {
        try enter(Element.Tag.sequence)
        try skip(Element.Tag.objectIdentifier)
        try enter(Element.Tag.context0)
        try enter(Element.Tag.sequence)
        try skip(Element.Tag.integer)
        try skip(Element.Tag.set)
        try enter(Element.Tag.sequence)
        try skip(Element.Tag.objectIdentifier)
        try enter(Element.Tag.context0)
        guard rest.first != Element.Tag.octetString else { return Array(try skip(Element.Tag.octetString)) }
        try enter(Element.Tag.octetStringOfPieces)
        var content: [UInt8] = []
        while rest.first == Element.Tag.octetString { content += try skip(Element.Tag.octetString) }
        return content
    }

    /// Steps into an element of indefinite length.
    private mutating func enter(_ tag: UInt8) throws(Reason) {
        guard rest.starts(with: [tag, 0x80]) else { throw .malformedProof }
        rest = rest.dropFirst(2)
    }

    /// Steps over an element of definite length, and returns its content.
    @discardableResult
    private mutating func skip(_ tag: UInt8) throws(Reason) -> ArraySlice<UInt8> {
        var reader = ElementReader(rest)
        let element = try reader.element(tag)
        rest = rest[element.encoded.endIndex...]
        return element.content
    }
}
