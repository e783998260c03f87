// SPDX-License-Identifier: Apache-2.0

/// A way in which a receipt can be wrong.
///
/// Each variant differs from an honest one in what its name says and in what follows from that, and in nothing else, so
/// that a verifier which forgets the one check accepts it.
package enum ForgedReceiptVariant: String, CaseIterable, Codable, Sendable {
    // The chain
    /// A single certificate that signed itself, with the leaf's name and marker.
    case selfSigned
    /// A complete chain of the right shape and names, all of it made with other keys.
    case foreignRoot
    /// The honest leaf and intermediate with another root, of the same name, in third place.
    case replacedRoot
    /// The leaf bears a developer's marker in place of the receipt signer's.
    case wrongLeafOID
    /// The leaf bears no marker.
    case missingLeafOID
    /// The intermediate bears another authority's marker.
    case wrongIntermediateOID
    /// The intermediate bears no marker.
    case missingIntermediateOID
    /// The field of the certificates is left out.
    case noCertificates
    /// The intermediate is left out.
    case twoCertificates
    /// As ``foreignRoot``, and the honest root is the fourth certificate.
    case fourCertificates
    /// Three elements of text in place of the certificates.
    case certificatesNotCertificates
    /// The leaf's validity ended before the receipt was made.
    case expiredLeaf
    /// The leaf's validity began after the receipt was made.
    case notYetValidLeaf
    /// The intermediate's validity ended before the receipt was made.
    case expiredIntermediate
    /// The intermediate says that it is no authority.
    case intermediateNotCA
    /// The root issued the leaf; the intermediate stands there, but has no part in it.
    case leafSignedByRoot
    /// The intermediate itself signed the receipt.
    case signedByIntermediate
    /// The leaf's key is on P-256, while the signature says that it is RSA's.
    case leafKeyOnP256
    /// The signer is named by a serial number that no certificate has.
    case signerWithoutCertificate

    // The algorithm
    /// The leaf's key is on P-256, and signature and algorithm are ECDSA's.
    case algorithmECDSA
    /// SHA-224 is named as the digest; the signature is over SHA-256.
    case digestSHA224
    /// SHA-1 is named as the digest; the signature is over SHA-256. Or the other way round.
    case digestMisnamed
    /// The container lists another digest than its signer names.
    case digestNotListed
    /// The signature algorithm names another digest than the one beside it.
    case algorithmOfOtherDigest
    /// The signature is padded as PSS, under PKCS #1 v1.5's name.
    case signaturePSS

    // The signature
    /// An honest signature, made over another content.
    case contentReplaced
    /// The honest chain, but the signature is of a key that is not the leaf's.
    case signatureByOtherKey
    /// The honest signature without its last byte.
    case signatureTruncated
    /// A signature of no bytes.
    case signatureEmpty
    /// The set of signers is empty.
    case noSigners
    /// The honest signer stands there twice.
    case twoSigners
    /// The signer is named by a key identifier, in SignerInfo's third version.
    case signerByKeyIdentifier

    // The signed attributes
    /// Signed attributes that name the digest of another content.
    case attributesOfOtherContent
    /// Signed attributes that name another type than the content's.
    case attributesOfOtherType
    /// Signed attributes without a digest.
    case attributesWithoutDigest
    /// Signed attributes without the content's type.
    case attributesWithoutType
    /// Signed attributes with the digest of another content and, in a second attribute, with the right one.
    case attributesWithTwoDigests
    /// Right attributes, but the signature is over the content.
    case attributesNotSigned
    /// Right attributes, signed as they are tagged in the container and not as the SET that they are.
    case attributesSignedAsTagged
    /// Another content, under an honest signature whose content is passed off as signed attributes.
    case contentAsAttributes

    // The form
    /// The content is left out, as in a detached signature.
    case contentDetached
    /// The content's type is not that of data.
    case contentOfOtherType
    /// An honest signature over content that is no set of attributes.
    case contentNotAttributes
    /// A byte follows the container.
    case bytesAfterEnd

    // The environment
    /// An honest chain and signature, but the receipt's type is `Xcode`.
    case xcodeType
    /// As Xcode signs while testing: the type `Xcode`, one certificate that signed itself, indefinite lengths.
    case xcodeSigned

    /// What the receipt must name as its type for this variant; nil when it stays as it is.
    var receiptType: String? {
        switch self {
        case .xcodeType, .xcodeSigned: "Xcode"
        default: nil
        }
    }
}
