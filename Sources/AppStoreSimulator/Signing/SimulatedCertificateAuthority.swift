// SPDX-License-Identifier: Apache-2.0

import Crypto
package import FoundationEssentials
package import X509

/// Signs as the App Store does, with a chain of Apple's shape that is made anew each time.
///
/// Root and intermediate are on P-384, the leaf is on P-256; the intermediate and the leaf bear Apple's markers.
/// Receipts are signed by another leaf and intermediate below the same root, both RSA of 2048 bits. All certificates
/// are valid from two years before they are made, the authorities for ten years and the leaf for two more
/// years, so that data may be dated in the recent past. ``replaceLeaf(at:)`` makes another leaf, as Apple does every two years. No
/// key ever leaves the process.
package struct SimulatedCertificateAuthority: Sendable {
    /// The root's DER bytes: what a verifier is to trust in place of Apple's roots.
    package let rootCertificateDER: [UInt8]

    let rootKey: P384.Signing.PrivateKey
    let intermediateKey: P384.Signing.PrivateKey
    let authorityValidity: ClosedRange<Date>
    /// The validity of the first leaf.
    let leafValidity: ClosedRange<Date>
    private let leaves: LeafSuccession
    /// The intermediate and the root.
    private let authorities: [Certificate]
    private let receiptIdentity: ReceiptSigningIdentity.Lazy

    /// Makes the keys and the certificates.
    ///
    /// - Parameter now: the moment from which their validity is counted.
    package init(now: Date = Date()) throws {
        let begin = now.addingTimeInterval(-2 * Self.year)
        authorityValidity = begin...now.addingTimeInterval(8 * Self.year)
        leafValidity = begin...now.addingTimeInterval(2 * Self.year)
        rootKey = P384.Signing.PrivateKey()
        intermediateKey = P384.Signing.PrivateKey()

        let root = Certificate.PrivateKey(rootKey)
        let intermediate = Certificate.PrivateKey(intermediateKey)
        authorities = try [
            CertificateRecipe(
                .intermediate,
                key: intermediate.publicKey,
                issuedBy: .root,
                with: root,
                validity: authorityValidity
            ),
            CertificateRecipe(.root, key: root.publicKey, issuedBy: .root, with: root, validity: authorityValidity),
        ].map { try $0.makeCertificate() }
        rootCertificateDER = try authorities[1].derBytes
        leaves = LeafSuccession(
            try SigningLeaf(issuedBy: intermediate, below: authorities, validity: leafValidity, signsFrom: begin))
        receiptIdentity = ReceiptSigningIdentity.Lazy(
            root: authorities[1], rootKey: rootKey, authorityValidity: authorityValidity, leafValidity: leafValidity)
    }

    /// Leaf, intermediate, root: the order of `x5c`. The leaf is the newest.
    package var chain: [Certificate] { leaves.newest.identity.certificates }

    /// Makes a new leaf. It signs what is dated at `date` or later; what is dated earlier keeps the leaf of its time. Its validity
    /// begins two weeks before `date`, as Apple's leaves overlap.
    package func replaceLeaf(at date: Date) throws {
        let validity = date.addingTimeInterval(-14 * 86_400)...date.addingTimeInterval(2 * Self.year)
        leaves.append(
            try SigningLeaf(
                issuedBy: Certificate.PrivateKey(intermediateKey), below: authorities, validity: validity, signsFrom: date))
    }

    /// The leaf that signs what is dated at `date`.
    func leaf(at date: Date) -> SigningLeaf {
        leaves.leaf(at: date)
    }

    /// The SHA-256 of the root's DER bytes, as a verifier pins it: 64 lower-case hexadecimal digits.
    package var rootCertificateSHA256: String {
        SHA256.hash(data: rootCertificateDER).hexadecimal
    }

    /// A compact JWS over `payload`.
    ///
    /// - Parameters:
    ///   - date: the moment that the payload names as its signing; variants about validity are dated around it.
    ///   - forged: makes the result wrong in one way. The variants that only change the payload's environment leave
    ///     that to the caller.
    package func sign(payload: [UInt8], at date: Date, forged: ForgedVariant? = nil) throws -> String {
        if let forged {
            return try forge(forged, payload: payload, at: date)
        }
        let leaf = leaf(at: date)
        let signed = leaf.header + "." + payload.base64URL
        return try signed + "." + leaf.identity.signature(over: Array(signed.utf8)).base64URL
    }

    /// What signs receipts. The first call makes the keys, which takes some tenths of a second.
    var receiptSigner: ReceiptSigningIdentity {
        get throws { try receiptIdentity.identity() }
    }

    /// Leaf, intermediate and root of receipts, as ``chain`` is of signed transactions.
    package var receiptChain: [Certificate] {
        get throws { try receiptSigner.certificates }
    }

    static let year: TimeInterval = 365 * 86_400
}
