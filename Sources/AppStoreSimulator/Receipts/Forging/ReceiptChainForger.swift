// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import SwiftASN1
import X509

/// Chains for receipts that keep the honest keys and are wrong in one certificate.
struct ReceiptChainForger {
    let authority: SimulatedCertificateAuthority
    /// When the receipt says that it was made.
    let madeAt: Date

    /// The certificates for a variant, leaf first; nil when it leaves the chain alone.
    func chain(_ variant: ForgedReceiptVariant) throws -> [Certificate]? {
        let year = SimulatedCertificateAuthority.year
        let expired = madeAt.addingTimeInterval(-2 * year)...madeAt.addingTimeInterval(-86_400)
        let future = madeAt.addingTimeInterval(86_400)...madeAt.addingTimeInterval(2 * year)
        return switch variant {
        case .selfSigned, .xcodeSigned: try [selfSigned()]
        case .replacedRoot: try Array(authority.receiptChain.prefix(2)) + [otherRoot()]
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
        default: nil
        }
    }

    /// What makes the honest leaf, for another key.
    func leafRecipe(key: Certificate.PublicKey) throws -> CertificateRecipe {
        CertificateRecipe(
            .leaf, key: key, issuedBy: .intermediate,
            with: Certificate.PrivateKey(try authority.receiptSigner.intermediateKey), validity: authority.leafValidity)
    }

    private func selfSigned() throws -> Certificate {
        let signer = Certificate.PrivateKey(try authority.receiptSigner.leafKey)
        return try CertificateRecipe(
            .leaf, key: signer.publicKey, issuedBy: .leaf, with: signer, validity: authority.leafValidity
        ).makeCertificate()
    }

    private func otherRoot() throws -> Certificate {
        let key = Certificate.PrivateKey(P384.Signing.PrivateKey())
        return try CertificateRecipe(
            .root, key: key.publicKey, issuedBy: .root, with: key, validity: authority.authorityValidity
        ).makeCertificate()
    }

    private func withLeaf(changedBy change: (inout CertificateRecipe) -> Void) throws -> [Certificate] {
        let chain = try authority.receiptChain
        var recipe = try leafRecipe(key: chain[0].publicKey)
        change(&recipe)
        return try [recipe.makeCertificate(), chain[1], chain[2]]
    }

    private func withIntermediate(changedBy change: (inout CertificateRecipe) -> Void) throws -> [Certificate] {
        let chain = try authority.receiptChain
        var recipe = CertificateRecipe(
            .intermediate, key: chain[1].publicKey, issuedBy: .root, with: Certificate.PrivateKey(authority.rootKey),
            validity: authority.authorityValidity)
        change(&recipe)
        return try [chain[0], recipe.makeCertificate(), chain[2]]
    }
}
