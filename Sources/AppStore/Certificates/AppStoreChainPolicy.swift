// SPDX-License-Identifier: Apache-2.0

import SwiftASN1
import X509

/// What Apple's chains have in common beyond RFC 5280: leaf, intermediate and root, the first two with Apple's markers.
///
/// Without the markers any developer certificate would do, because it ends in the same root.
struct AppStoreChainPolicy: VerifierPolicy, Sendable {
    /// Marks the intermediate: Apple Worldwide Developer Relations.
    static let intermediateMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 2, 1]

    /// Marks the leaf: App Store receipt signing.
    static let leafMarker: ASN1ObjectIdentifier = [1, 2, 840, 113635, 100, 6, 11, 1]

    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = [Self.intermediateMarker, Self.leafMarker]

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        guard chain.count == 3 else {
            return .failsToMeetPolicy(reason: "the chain does not have three certificates")
        }
        let (leaf, intermediate) = (chain[chain.startIndex], chain[chain.startIndex + 1])
        guard leaf.extensions[oid: Self.leafMarker] != nil else {
            return .failsToMeetPolicy(reason: "the leaf is not for signing App Store data")
        }
        guard intermediate.extensions[oid: Self.intermediateMarker] != nil else {
            return .failsToMeetPolicy(reason: "the intermediate is not Apple's for developer relations")
        }
        // RFC5280Policy leaves key usage alone; Apple's certificates state theirs.
        guard allows(\.digitalSignature, leaf), allows(\.keyCertSign, intermediate) else {
            return .failsToMeetPolicy(reason: "a key is used for what its certificate does not allow")
        }
        return .meetsPolicy
    }

    /// Whether a certificate allows a use of its key; it does when it has no such extension (RFC 5280, 4.2.1.3).
    private func allows(_ use: KeyPath<KeyUsage, Bool>, _ certificate: Certificate) -> Bool {
        guard let usage = try? certificate.extensions.keyUsage else {
            return certificate.extensions[oid: .X509ExtensionID.keyUsage] == nil
        }
        return usage[keyPath: use]
    }
}
