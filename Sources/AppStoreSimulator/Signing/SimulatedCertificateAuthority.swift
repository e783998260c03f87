// SPDX-License-Identifier: Apache-2.0

import Crypto
package import FoundationEssentials
package import X509

/// Signs as the App Store does, with a chain of Apple's shape that is made anew each time.
///
/// Root and intermediate are on P-384, the leaf is on P-256; the intermediate and the leaf bear Apple's markers.
/// Receipts are signed by another leaf and intermediate below the same root, both RSA of 2048 bits. All certificates
/// are valid from two years before they are made, the authorities for ten years and the leaf for two more
/// years, so that data may be dated in the recent past. No key ever leaves the process.
package struct SimulatedCertificateAuthority: Sendable {
    /// Leaf, intermediate, root: the order of `x5c`.
    package let chain: [Certificate]
    /// The root's DER bytes: what a verifier is to trust in place of Apple's roots.
    package let rootCertificateDER: [UInt8]

    let rootKey: P384.Signing.PrivateKey
    let intermediateKey: P384.Signing.PrivateKey
    let identity: SigningIdentity
    let authorityValidity: ClosedRange<Date>
    let leafValidity: ClosedRange<Date>
    private let receiptIdentity: ReceiptSigningIdentity.Lazy
    /// The protected header of honest data, already encoded; it is the same each time.
    private let honestHeader: String

    /// Makes the keys and the certificates.
    ///
    /// - Parameter now: the moment from which their validity is counted.
    package init(now: Date = Date()) throws {
        let begin = now.addingTimeInterval(-2 * Self.year)
        authorityValidity = begin...now.addingTimeInterval(8 * Self.year)
        leafValidity = begin...now.addingTimeInterval(2 * Self.year)
        rootKey = P384.Signing.PrivateKey()
        intermediateKey = P384.Signing.PrivateKey()
        let leafKey = P256.Signing.PrivateKey()

        let root = Certificate.PrivateKey(rootKey)
        let intermediate = Certificate.PrivateKey(intermediateKey)
        chain = try [
            CertificateRecipe(
                .leaf,
                key: Certificate.PublicKey(leafKey.publicKey),
                issuedBy: .intermediate,
                with: intermediate,
                validity: leafValidity
            ),
            CertificateRecipe(
                .intermediate,
                key: intermediate.publicKey,
                issuedBy: .root,
                with: root,
                validity: authorityValidity
            ),
            CertificateRecipe(.root, key: root.publicKey, issuedBy: .root, with: root, validity: authorityValidity),
        ].map { try $0.makeCertificate() }
        rootCertificateDER = try chain[2].derBytes
        identity = SigningIdentity(key: .p256(leafKey), certificates: chain)
        receiptIdentity = ReceiptSigningIdentity.Lazy(
            root: chain[2], rootKey: rootKey, authorityValidity: authorityValidity, leafValidity: leafValidity)
        honestHeader = try ProtectedHeader(certificates: chain).encoded
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
        let signed = honestHeader + "." + payload.base64URL
        return try signed + "." + identity.signature(over: Array(signed.utf8)).base64URL
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
