// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import FoundationEssentials
import SwiftASN1
import X509

/// Makes a receipt wrong in one way: the content here, the rest from the honest container.
struct ReceiptForger {
    let authority: SimulatedCertificateAuthority
    let receipt: SimulatedReceipt
    let signature: ReceiptSignature

    /// The receipt that is wrong in the way of `variant`.
    func forged(_ variant: ForgedReceiptVariant) throws -> [UInt8] {
        let content = try content(for: variant)
        var signature = signature
        if variant.changesAttributes { signature.coversAttributes = true }
        var container = try ReceiptContainer(
            signing: content, by: try signer(for: variant), as: signature)
        try forgeChain(of: &container, variant)
        try forgeAlgorithm(of: &container, variant)
        try forgeSigners(of: &container, variant)
        try forgeAttributes(of: &container, variant)
        switch variant {
        case .contentReplaced: container.content = try otherContent()
        case .contentDetached: container.content = nil
        case .contentOfOtherType: container.contentType = .cmsSignedData
        case .bytesAfterEnd: return try container.encoded() + [0]
        case .xcodeSigned: return try XcodeReceiptContainer(container).encoded()
        default: break
        }
        return try container.encoded()
    }

    private func content(for variant: ForgedReceiptVariant) throws -> [UInt8] {
        guard variant != .contentNotAttributes else { return Array("no attributes".utf8) }
        var receipt = receipt
        receipt.receiptType = variant.receiptType ?? receipt.receiptType
        return try receipt.content()
    }

    /// A receipt that differs in its purchases, and is as well formed.
    private func otherContent() throws -> [UInt8] {
        var other = receipt
        other.transactions.append(SimulatedTransaction(productId: "forged", bundleId: receipt.bundleId))
        return try other.content()
    }

    private func signer(for variant: ForgedReceiptVariant) throws -> ReceiptSigningIdentity {
        guard variant == .foreignRoot || variant == .fourCertificates else { return try authority.receiptSigner }
        let years = 2 * SimulatedCertificateAuthority.year
        return try SimulatedCertificateAuthority(
            now: authority.authorityValidity.lowerBound.addingTimeInterval(years)
        ).receiptSigner
    }

    // MARK: Chain

    private func forgeChain(of container: inout ReceiptContainer, _ variant: ForgedReceiptVariant) throws {
        switch variant {
        case .noCertificates:
            container.certificates = nil
        case .twoCertificates:
            container.certificates?.remove(at: 1)
        case .fourCertificates:
            container.certificates?.append(authority.rootCertificateDER)
        case .certificatesNotCertificates:
            // A SEQUENCE of one UTF8String each.
            container.certificates = (0..<3).map { _ in [0x30, 0x04, 0x0C, 0x02, 0x6E, 0x6F] }
        case .signerWithoutCertificate:
            container.signers[0].identifier = try ReceiptContainer.Signer.identifier(
                issuer: authority.receiptChain[0].issuer, serialNumber: Certificate.SerialNumber())
        case .signedByIntermediate:
            let signer = try authority.receiptSigner
            container.signers[0].identifier = try ReceiptContainer.Signer.identifier(of: signer.certificates[1])
            container.signers[0].signature = try signature(of: container, by: signer.intermediateKey)
        case .leafKeyOnP256, .algorithmECDSA:
            try signOnP256(&container, namesAlgorithm: variant == .algorithmECDSA)
        default:
            guard let chain = try chain(variant) else { return }
            container.certificates = try chain.map { try $0.derBytes }
            container.signers[0].identifier = try ReceiptContainer.Signer.identifier(of: chain[0])
        }
    }

    private func chain(_ variant: ForgedReceiptVariant) throws -> [Certificate]? {
        switch variant {
        case .selfSigned, .xcodeSigned:
            try [chainForger.selfSigned(by: Certificate.PrivateKey(authority.receiptSigner.leafKey))]
        default: try chainForger.chain(variant)
        }
    }

    private var chainForger: ChainForger {
        get throws {
            let signer = try authority.receiptSigner
            return ChainForger(
                authority: authority, honest: signer.certificates,
                intermediateKey: Certificate.PrivateKey(signer.intermediateKey), madeAt: receipt.creationDate)
        }
    }

    private func signOnP256(_ container: inout ReceiptContainer, namesAlgorithm: Bool) throws {
        let key = P256.Signing.PrivateKey()
        let leaf = try chainForger.leafRecipe(key: Certificate.PublicKey(key.publicKey)).makeCertificate()
        container.certificates?[0] = try leaf.derBytes
        container.signers[0].identifier = try ReceiptContainer.Signer.identifier(of: leaf)
        container.signers[0].signature = Array(
            try key.signature(for: container.content ?? []).derRepresentation)
        if namesAlgorithm { container.signers[0].algorithm = [1, 2, 840, 10045, 4, 3, 2] }
    }

    // MARK: Signature

    private func forgeAlgorithm(of container: inout ReceiptContainer, _ variant: ForgedReceiptVariant) throws {
        let key = try authority.receiptSigner.leafKey
        let other: ReceiptSignature.Digest = signature.digest == .sha256 ? .sha1 : .sha256
        switch variant {
        case .digestSHA224:
            container.digest = [2, 16, 840, 1, 101, 3, 4, 2, 4]
            container.signers[0].digest = container.digest
            container.signers[0].signature = try ReceiptSignature.Digest.sha256.signature(
                over: container.content ?? [], by: key)
        case .digestMisnamed:
            container.digest = other.name
            container.signers[0].digest = other.name
        case .digestNotListed:
            container.digest = other.name
        case .algorithmOfOtherDigest:
            container.signers[0].algorithm = other.signatureName
        case .signaturePSS:
            container.signers[0].signature = try signature.digest.signature(
                over: container.content ?? [], by: key, padding: .PSS)
        default:
            break
        }
    }

    private func forgeSigners(of container: inout ReceiptContainer, _ variant: ForgedReceiptVariant) throws {
        switch variant {
        case .signatureByOtherKey:
            container.signers[0].signature = try signature(of: container, by: authority.receiptSigner.intermediateKey)
        case .signatureTruncated:
            container.signers[0].signature.removeLast()
        case .signatureEmpty:
            container.signers[0].signature = []
        case .noSigners:
            container.signers = []
        case .twoSigners:
            container.signers.append(container.signers[0])
        case .signerByKeyIdentifier:
            container.signers[0].version = 3
            let key = SubjectKeyIdentifier(hash: try authority.receiptChain[0].publicKey).keyIdentifier
            container.signers[0].identifier = [0x80, UInt8(key.count)] + key
        default:
            break
        }
    }

    private func forgeAttributes(of container: inout ReceiptContainer, _ variant: ForgedReceiptVariant) throws {
        let right = signature.digest.hash(container.content ?? [])
        let wrong = signature.digest.hash(try otherContent())
        switch variant {
        case .attributesOfOtherContent:
            try sign(&container, ReceiptSignedAttributes(messageDigests: [wrong]))
        case .attributesOfOtherType:
            try sign(&container, ReceiptSignedAttributes(contentType: .cmsSignedData, messageDigests: [right]))
        case .attributesWithoutDigest:
            try sign(&container, ReceiptSignedAttributes(messageDigests: []))
        case .attributesWithoutType:
            try sign(&container, ReceiptSignedAttributes(contentType: nil, messageDigests: [right]))
        case .attributesWithTwoDigests:
            try sign(&container, ReceiptSignedAttributes(messageDigests: [wrong, right]))
        case .attributesNotSigned:
            container.signers[0].signature = try signature.digest.signature(
                over: container.content ?? [], by: authority.receiptSigner.leafKey)
        case .attributesSignedAsTagged:
            var tagged = ReceiptSignedAttributes.signedBytes(of: container.signers[0].attributes ?? [])
            tagged[0] = 0xA0
            container.signers[0].signature = try signature.digest.signature(
                over: tagged, by: authority.receiptSigner.leafKey)
        case .contentAsAttributes:
            // The honest content is a SET, and so are signed attributes.
            var set = DERReader((container.content ?? [])[...])
            container.signers[0].attributes = Array(try set.expect(DERReader.Tag.set))
            container.content = try otherContent()
        default:
            break
        }
    }

    private func sign(_ container: inout ReceiptContainer, _ attributes: ReceiptSignedAttributes) throws {
        container.signers[0].attributes = try attributes.encoded()
        container.signers[0].signature = try signature(of: container, by: authority.receiptSigner.leafKey)
    }

    /// A signature over what the container's signer signs.
    private func signature(of container: ReceiptContainer, by key: _RSA.Signing.PrivateKey) throws -> [UInt8] {
        let attributes = container.signers[0].attributes
        return try signature.digest.signature(
            over: attributes.map(ReceiptSignedAttributes.signedBytes) ?? container.content ?? [], by: key)
    }
}

extension ForgedReceiptVariant {
    /// Whether it is about signed attributes, so that the honest ones must be there first.
    fileprivate var changesAttributes: Bool {
        switch self {
        case .attributesOfOtherContent, .attributesOfOtherType, .attributesWithoutDigest, .attributesWithoutType,
            .attributesWithTwoDigests, .attributesNotSigned, .attributesSignedAsTagged:
            true
        default:
            false
        }
    }
}
