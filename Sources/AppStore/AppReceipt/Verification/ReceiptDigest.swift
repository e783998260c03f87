// SPDX-License-Identifier: Apache-2.0

import Crypto
import Verification

/// The hash under a receipt's signature: SHA-256, and SHA-1 in receipts from before August 2023 (Apple's TN3138). The others of
/// that family are there for the next change.
enum ReceiptDigest: CaseIterable {
    case sha1
    case sha256
    case sha384
    case sha512

    /// The digest of an AlgorithmIdentifier's content.
    ///
    /// - Throws: `Reason/malformedProof` for any other one.
    init(algorithm content: ArraySlice<UInt8>) throws(Reason) {
        let name = try AlgorithmName(content).name
        if name.elementsEqual(ObjectIdentifierBytes.sha256) {
            self = .sha256
        } else if name.elementsEqual(ObjectIdentifierBytes.sha1) {
            self = .sha1
        } else if name.elementsEqual(ObjectIdentifierBytes.sha384) {
            self = .sha384
        } else if name.elementsEqual(ObjectIdentifierBytes.sha512) {
            self = .sha512
        } else {
            throw .malformedProof
        }
    }

    /// Whether `digest` is that of `bytes`.
    func isDigest(_ digest: ArraySlice<UInt8>, of bytes: ArraySlice<UInt8>) -> Bool {
        switch self {
        case .sha1: Insecure.SHA1.hash(data: bytes).elementsEqual(digest)
        case .sha256: SHA256.hash(data: bytes).elementsEqual(digest)
        case .sha384: SHA384.hash(data: bytes).elementsEqual(digest)
        case .sha512: SHA512.hash(data: bytes).elementsEqual(digest)
        }
    }
}

/// The name in an AlgorithmIdentifier whose parameters are absent or NULL.
struct AlgorithmName {
    let name: ArraySlice<UInt8>

    init(_ content: ArraySlice<UInt8>) throws(Reason) {
        var algorithm = ElementReader(content)
        name = try algorithm.content(Element.Tag.objectIdentifier)
        _ = try algorithm.element(ifTagged: Element.Tag.null)
        guard algorithm.isAtEnd else { throw .malformedProof }
    }
}
