// SPDX-License-Identifier: Apache-2.0

import SwiftASN1
import X509

/// Extensions of Apple's certificates that decide nothing here, and make texts as long as Apple's. The addresses lead nowhere.
enum RecipeExtensions {
    /// Where the issuer's certificate and its revocations would be asked for.
    static func authorityInformation(isOfLeaf: Bool) -> AuthorityInformationAccess {
        let revocations = AuthorityInformationAccess.AccessDescription(
            method: .ocspServer, location: .uniformResourceIdentifier("http://ocsp.simulator.invalid/ocsp-simulated-leaf"))
        guard isOfLeaf else { return AuthorityInformationAccess([revocations]) }
        let issuer = AuthorityInformationAccess.AccessDescription(
            method: .issuingCA, location: .uniformResourceIdentifier("http://certs.simulator.invalid/intermediate.der"))
        return AuthorityInformationAccess([issuer, revocations])
    }

    /// Where revoked certificates would be listed (RFC 5280, section 4.2.1.13).
    static func revocationList() throws -> Certificate.Extension {
        try make([2, 5, 29, 31]) { points in
            points.appendConstructedNode(identifier: .sequence) { point in
                point.appendConstructedNode(identifier: .init(tagWithNumber: 0, tagClass: .contextSpecific)) { name in
                    name.appendConstructedNode(identifier: .init(tagWithNumber: 0, tagClass: .contextSpecific)) { fullName in
                        fullName.appendPrimitiveNode(identifier: .init(tagWithNumber: 6, tagClass: .contextSpecific)) {
                            $0.append(contentsOf: "http://crl.simulator.invalid/simulated-root.crl".utf8)
                        }
                    }
                }
            }
        }
    }

    /// A policy with a notice and an address (RFC 5280, section 4.2.1.4), under the number that Apple's has.
    static func policies() throws -> Certificate.Extension {
        try make([2, 5, 29, 32]) { policies in
            try policies.appendConstructedNode(identifier: .sequence) { policy in
                try policy.serialize([1, 2, 840, 113635, 100, 5, 6, 1] as ASN1ObjectIdentifier)
                try policy.appendConstructedNode(identifier: .sequence) { qualifiers in
                    try qualifiers.appendConstructedNode(identifier: .sequence) { qualifier in
                        try qualifier.serialize([1, 3, 6, 1, 5, 5, 7, 2, 2] as ASN1ObjectIdentifier)
                        try qualifier.appendConstructedNode(identifier: .sequence) { try $0.serialize(ASN1UTF8String(notice)) }
                    }
                    try qualifiers.appendConstructedNode(identifier: .sequence) { qualifier in
                        try qualifier.serialize([1, 3, 6, 1, 5, 5, 7, 2, 1] as ASN1ObjectIdentifier)
                        try qualifier.serialize(ASN1IA5String("http://simulator.invalid/certificate-authority/"))
                    }
                }
            }
        }
    }

    private static let notice = """
        This certificate belongs to a simulated App Store, which made it for tests when it was started. Nobody \
        vouches for what is signed with its key. It must not be trusted by anything that handles money.
        """

    /// An extension that isn't critical, with a sequence as its value.
    private static func make(
        _ identifier: ASN1ObjectIdentifier, _ content: (inout DER.Serializer) throws -> Void
    ) throws -> Certificate.Extension {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence, content)
        return Certificate.Extension(oid: identifier, critical: false, value: serializer.serializedBytes[...])
    }
}
