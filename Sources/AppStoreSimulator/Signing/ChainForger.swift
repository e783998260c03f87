// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import SwiftASN1
import X509

/// Makes chains that keep the honest keys and are wrong in one certificate.
struct ChainForger {
    /// The certificate's fault. ``ForgedVariant`` and ``ForgedReceiptVariant`` name it alike.
    private enum Fault: String {
        case replacedRoot
        case wrongLeafOID, missingLeafOID, expiredLeaf, notYetValidLeaf, leafSignedByRoot
        case wrongIntermediateOID, missingIntermediateOID, expiredIntermediate, intermediateNotCA
    }

    let authority: SimulatedCertificateAuthority
    /// The honest chain: leaf, intermediate, root.
    let honest: [Certificate]
    let intermediateKey: Certificate.PrivateKey
    /// When the transaction was signed, or when the receipt says that it was made.
    let madeAt: Date

    /// The certificates for a variant, leaf first; nil when it leaves the chain alone.
    func chain(_ variant: some RawRepresentable<String>) throws -> [Certificate]? {
        guard let fault = Fault(rawValue: variant.rawValue) else { return nil }
        let year = SimulatedCertificateAuthority.year
        let expired = madeAt.addingTimeInterval(-2 * year)...madeAt.addingTimeInterval(-86_400)
        let future = madeAt.addingTimeInterval(86_400)...madeAt.addingTimeInterval(2 * year)
        return switch fault {
        case .replacedRoot: try Array(honest.prefix(2)) + [otherRoot()]
        case .wrongLeafOID: try withLeaf { $0.marker = .appleDeveloperSigning }
        case .missingLeafOID: try withLeaf { $0.marker = nil }
        case .expiredLeaf: try withLeaf { $0.validity = expired }
        case .notYetValidLeaf: try withLeaf { $0.validity = future }
        case .leafSignedByRoot:
            try withLeaf { leaf in
                leaf.issuer = .root
                leaf.issuerKey = Certificate.PrivateKey(authority.rootKey)
            }
        case .wrongIntermediateOID: try withIntermediate { $0.marker = .appleDeveloperIDAuthority }
        case .missingIntermediateOID: try withIntermediate { $0.marker = nil }
        case .expiredIntermediate: try withIntermediate { $0.validity = expired }
        case .intermediateNotCA: try withIntermediate { $0.isAuthority = false }
        }
    }

    /// What makes the honest leaf, for another key.
    func leafRecipe(key: Certificate.PublicKey) -> CertificateRecipe {
        CertificateRecipe(
            .leaf, key: key, issuedBy: .intermediate, with: intermediateKey, validity: authority.leafValidity)
    }

    /// A certificate of the leaf's name and marker that its own key signed.
    func selfSigned(by key: Certificate.PrivateKey) throws -> Certificate {
        try CertificateRecipe(
            .leaf, key: key.publicKey, issuedBy: .leaf, with: key, validity: authority.leafValidity
        ).makeCertificate()
    }

    private func otherRoot() throws -> Certificate {
        let key = Certificate.PrivateKey(P384.Signing.PrivateKey())
        return try CertificateRecipe(
            .root, key: key.publicKey, issuedBy: .root, with: key, validity: authority.authorityValidity
        ).makeCertificate()
    }

    private func withLeaf(changedBy change: (inout CertificateRecipe) -> Void) throws -> [Certificate] {
        var recipe = leafRecipe(key: honest[0].publicKey)
        change(&recipe)
        return try [recipe.makeCertificate(), honest[1], honest[2]]
    }

    private func withIntermediate(changedBy change: (inout CertificateRecipe) -> Void) throws -> [Certificate] {
        var recipe = CertificateRecipe(
            .intermediate, key: honest[1].publicKey, issuedBy: .root, with: Certificate.PrivateKey(authority.rootKey),
            validity: authority.authorityValidity)
        change(&recipe)
        return try [honest[0], recipe.makeCertificate(), honest[2]]
    }
}
