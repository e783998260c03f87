// SPDX-License-Identifier: Apache-2.0

import Crypto
import Verification

/// The hash under a receipt's signature: SHA-256, and SHA-1 in receipts from before August 2023 (Apple's TN3138).
enum ReceiptDigest {
    case sha1
    case sha256

    /// The digest of an AlgorithmIdentifier's content.
    ///
    /// - Throws: `Reason/malformedProof` for any other one.
    init(algorithm content: ArraySlice<UInt8>) throws(Reason) {
        let name = try AlgorithmName(content).name
        if name.elementsEqual(ObjectIdentifierBytes.sha256) {
            self = .sha256
        } else if name.elementsEqual(ObjectIdentifierBytes.sha1) {
            self = .sha1
        } else {
            throw .malformedProof
        }
    }

    /// Whether a signature algorithm is RSA with PKCS #1 v1.5 and this digest. Apple names the key's algorithm only.
    ///
    /// - Throws: `Reason/malformedProof` for what isn't the content of an AlgorithmIdentifier.
    func isUsed(bySignatureAlgorithm content: ArraySlice<UInt8>) throws(Reason) -> Bool {
        let name = try AlgorithmName(content).name
        let combined = self == .sha256 ? ObjectIdentifierBytes.rsaWithSHA256 : ObjectIdentifierBytes.rsaWithSHA1
        return name.elementsEqual(ObjectIdentifierBytes.rsa) || name.elementsEqual(combined)
    }

    /// Whether `digest` is that of `bytes`.
    func isDigest(_ digest: ArraySlice<UInt8>, of bytes: ArraySlice<UInt8>) -> Bool {
        switch self {
        case .sha1: Insecure.SHA1.hash(data: bytes).elementsEqual(digest)
        case .sha256: SHA256.hash(data: bytes).elementsEqual(digest)
        }
    }
}

/// The name in an AlgorithmIdentifier whose parameters are absent or NULL.
private struct AlgorithmName {
    let name: ArraySlice<UInt8>

    init(_ content: ArraySlice<UInt8>) throws(Reason) {
        var algorithm = ElementReader(content)
        name = try algorithm.content(Element.Tag.objectIdentifier)
        _ = try algorithm.element(ifTagged: Element.Tag.null)
        guard algorithm.isAtEnd else { throw .malformedProof }
    }
}
