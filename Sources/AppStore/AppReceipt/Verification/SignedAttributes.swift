// SPDX-License-Identifier: Apache-2.0

import Verification

/// The two attributes that a CMS signature over attributes must have (RFC 5652, section 11), each once.
struct SignedAttributes {
    /// The content of the object identifier that names the content's type.
    let contentType: ArraySlice<UInt8>

    let messageDigest: ArraySlice<UInt8>

    /// Reads the content of the SET. Other attributes are passed over.
    ///
    /// - Throws: `Reason/malformedProof` when one of the two is missing, there twice, or without exactly one value;
    ///   `Reason/proofTooLarge` when there are more than `limit`.
    init(_ content: ArraySlice<UInt8>, limit: Int) throws(Reason) {
        var attributes = ElementReader(content)
        var contentType: ArraySlice<UInt8>?
        var messageDigest: ArraySlice<UInt8>?
        var count = 0
        while !attributes.isAtEnd {
            count += 1
            guard count <= limit else { throw .proofTooLarge }
            var attribute = ElementReader(try attributes.content(Element.Tag.sequence))
            let name = try attribute.content(Element.Tag.objectIdentifier)
            let values = try attribute.content(Element.Tag.set)
            if name.elementsEqual(ObjectIdentifierBytes.contentType) {
                guard contentType == nil else { throw .malformedProof }
                contentType = try Self.onlyValue(in: values, Element.Tag.objectIdentifier)
            } else if name.elementsEqual(ObjectIdentifierBytes.messageDigest) {
                guard messageDigest == nil else { throw .malformedProof }
                messageDigest = try Self.onlyValue(in: values, Element.Tag.octetString)
            }
        }
        guard let contentType, let messageDigest else { throw .malformedProof }
        self.contentType = contentType
        self.messageDigest = messageDigest
    }

    private static func onlyValue(in set: ArraySlice<UInt8>, _ tag: UInt8) throws(Reason) -> ArraySlice<UInt8> {
        var values = ElementReader(set)
        let value = try values.content(tag)
        guard values.isAtEnd else { throw .malformedProof }
        return value
    }
}
