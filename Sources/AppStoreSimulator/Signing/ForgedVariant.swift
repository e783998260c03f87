// SPDX-License-Identifier: Apache-2.0

/// A way in which a signed transaction can be wrong.
///
/// Each variant differs from an honest one in what its name says and in what follows from that, and in nothing else, so
/// that a verifier which forgets the one check accepts it.
package enum ForgedVariant: String, CaseIterable, Codable, Sendable {
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
    /// The root is left out.
    case twoCertificates
    /// The root stands there twice.
    case fourCertificates
    /// The three honest certificates, root first.
    case reversedCertificates
    /// The leaf's validity ended before the transaction was signed.
    case expiredLeaf
    /// The leaf's validity began after the transaction was signed.
    case notYetValidLeaf
    /// The intermediate's validity ended before the transaction was signed.
    case expiredIntermediate
    /// The intermediate says that it is no authority.
    case intermediateNotCA
    /// The root issued the leaf; the intermediate stands there, but has no part in it.
    case leafSignedByRoot
    /// The leaf's key is on P-384, and the signature is made with it.
    case leafKeyOnP384
    /// The entries of `x5c` in the URL alphabet without padding.
    case x5cBase64URL
    /// The entries of `x5c` are no base64.
    case x5cNotBase64
    /// The entries of `x5c` are base64 of something that is no certificate.
    case x5cNotCertificates
    /// No `x5c` in the header.
    case x5cMissing
    /// `x5c` is an empty array.
    case x5cEmpty

    // The algorithm
    /// `none`, with an empty signature (RFC 7515's unsecured form).
    case algNone
    /// `HS256`, keyed with the leaf's public key.
    case algHS256
    /// `RS256` in the header over an honest ES256 signature.
    case algRS256
    /// No `alg` in the header, over an honest ES256 signature.
    case algMissing

    // The signature
    /// An honest signature, made over another payload.
    case payloadSwapped
    /// The honest chain, but the signature is of a key that has no certificate.
    case signatureByOtherKey
    /// The honest signature without its last byte.
    case signatureTruncated
    /// The honest signature in the DER form of X.509 rather than as 64 plain bytes.
    case signatureDER

    // The form
    /// Nothing before the first dot.
    case emptyHeader
    /// Nothing between the dots.
    case emptyPayload
    /// Nothing after the second dot.
    case emptySignature
    /// The signature and its dot are left out.
    case twoParts
    /// A fourth part follows.
    case fourParts
    /// An honest signature over a header that is no JSON.
    case headerNotJSON
    /// An honest signature over a payload that is no JSON.
    case payloadNotJSON

    // The environment
    /// An honest chain and signature, but the payload says `Xcode`.
    case xcodeEnvironment
    /// An honest chain and signature, but the payload says `LocalTesting`.
    case localTestingEnvironment
    /// As Xcode signs while testing: the payload says `Xcode`, the only certificate signed itself.
    case xcodeSigned

    /// What the payload must name as its environment for this variant; nil when it stays as it is.
    var environmentName: String? {
        switch self {
        case .xcodeEnvironment, .xcodeSigned: "Xcode"
        case .localTestingEnvironment: "LocalTesting"
        default: nil
        }
    }
}
