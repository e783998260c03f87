// SPDX-License-Identifier: Apache-2.0

import SwiftASN1

/// The attributes that a CMS signature may be over (RFC 5652, section 11), in DER's order.
struct ReceiptSignedAttributes {
    var contentType: ASN1ObjectIdentifier? = .cmsData
    /// Each makes an attribute of its own; there is to be one.
    var messageDigests: [[UInt8]]

    /// The content of the set.
    func encoded() throws -> [UInt8] {
        var attributes: [[UInt8]] = []
        if let contentType {
            attributes.append(try Self.attribute(.cmsContentType) { try $0.serialize(contentType) })
        }
        attributes.append(
            try Self.attribute(.cmsSigningTime) { value in
                try value.serialize(
                    UTCTime(year: 2026, month: 1, day: 31, hours: 9, minutes: 30, seconds: 0))
            })
        for digest in messageDigests {
            attributes.append(
                try Self.attribute(.cmsMessageDigest) { value in
                    try value.serialize(ASN1OctetString(contentBytes: digest[...]))
                })
        }
        return attributes.sorted { $0.lexicographicallyPrecedes($1) }.flatMap(\.self)
    }

    /// What the signature is over: the attributes as the SET that they are.
    static func signedBytes(of content: [UInt8]) -> [UInt8] {
        var serializer = DER.Serializer()
        serializer.appendConstructedNode(identifier: .set) { $0.serializeRawBytes(content) }
        return serializer.serializedBytes
    }

    private static func attribute(
        _ name: ASN1ObjectIdentifier, _ value: (inout DER.Serializer) throws -> Void
    ) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { attribute in
            try attribute.serialize(name)
            try attribute.appendConstructedNode(identifier: .set) { try value(&$0) }
        }
        return serializer.serializedBytes
    }
}
