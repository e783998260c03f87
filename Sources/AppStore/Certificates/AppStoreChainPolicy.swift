// SPDX-License-Identifier: Apache-2.0

import SwiftASN1
import X509

/// The profile of Apple's chains: what a leaf and an intermediate must have, beside good signatures up to a trusted root, and what
/// they never had so far.
///
/// - Must be, else it isn't the App Store's: Apple's markers; an intermediate that may issue; if the leaf's basic constraints are
///   critical, that they can be read.
/// - Makes it odd: a key that its certificate doesn't allow to be used so; a critical extension that isn't known; limits of names;
///   a root that doesn't allow an intermediate.
/// - Changes nothing: the extensions of ``harmless``, critical or not.
///
/// Without the markers any developer's certificate would do, because it ends in the same root. An odd chain is Apple's all the
/// same: nobody else can have made it, and an operator decides.
struct AppStoreChainPolicy: Sendable {
    /// Marks the intermediate: Apple Worldwide Developer Relations.
    static let intermediateMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]

    /// Marks the leaf: App Store receipt signing.
    static let leafMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]

    /// Extensions that may be critical. These are judged below, or say nothing about whether Apple signed: further uses, names and
    /// places to ask. A signature for the App Store is what the leaf's marker is for.
    static let harmless: [ASN1ObjectIdentifier] = [
        leafMarker, intermediateMarker,
        .X509ExtensionID.basicConstraints, .X509ExtensionID.keyUsage, .X509ExtensionID.extendedKeyUsage,
        .X509ExtensionID.authorityKeyIdentifier, .X509ExtensionID.subjectKeyIdentifier,
        .X509ExtensionID.authorityInformationAccess, .X509ExtensionID.subjectAlternativeName,
        // Alternative names of the issuer; policies; points of revocation lists (RFC 5280, section 4.2.1).
        [2, 5, 29, 18], [2, 5, 29, 32], [2, 5, 29, 31],
    ]

    let leaf: Certificate
    let intermediate: Certificate
    let root: Certificate

    /// Whether the first row of the table holds.
    var isAppStores: Bool {
        guard leaf.version == .v3, intermediate.version == .v3, leaf.extensions[oid: Self.leafMarker] != nil,
            intermediate.extensions[oid: Self.intermediateMarker] != nil,
            case .isCertificateAuthority(_)? = try? intermediate.extensions.basicConstraints
        else { return false }
        // RFC 5280, section 4.2: what is critical and can't be processed is refused.
        guard let constraints = leaf.extensions[oid: .X509ExtensionID.basicConstraints], constraints.critical else { return true }
        return (try? leaf.extensions.basicConstraints) != nil
    }

    /// The chain's oddities, in words for ``OddProof/faults``.
    var oddities: [String] {
        var oddities: [String] = []
        if !Self.allows(\.digitalSignature, leaf) { oddities.append("certificate does not allow its key to sign") }
        if !Self.allows(\.keyCertSign, intermediate) {
            oddities.append("intermediate certificate does not allow its key to sign certificates")
        }
        for (name, certificate) in [("certificate", leaf), ("intermediate certificate", intermediate)] {
            for unknown in certificate.extensions where unknown.critical && !Self.harmless.contains(unknown.oid) {
                oddities.append("\(name) has the critical extension \(unknown.oid), which is not known")
            }
        }
        if [intermediate, root].contains(where: { $0.extensions[oid: .X509ExtensionID.nameConstraints] != nil }) {
            oddities.append("certificates limit names")
        }
        switch try? root.extensions.basicConstraints {
        case .isCertificateAuthority(let length)? where length.map { $0 >= 1 } ?? true: break
        default: oddities.append("root certificate does not allow an intermediate")
        }
        return oddities
    }

    /// Whether a certificate allows a use of its key; it does when it has no such extension (RFC 5280, 4.2.1.3).
    private static func allows(_ use: KeyPath<KeyUsage, Bool>, _ certificate: Certificate) -> Bool {
        guard let usage = try? certificate.extensions.keyUsage else {
            return certificate.extensions[oid: .X509ExtensionID.keyUsage] == nil
        }
        return usage[keyPath: use]
    }
}
