// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import SwiftASN1

/// How a receipt is signed, among the ways that are all genuine.
package struct ReceiptSignature: Sendable, Hashable {
    package enum Digest: String, Sendable, CaseIterable, Codable {
        /// Since August 2023.
        case sha256
        /// Before that.
        case sha1
        /// Never so far.
        case sha384, sha512
    }

    package var digest = Digest.sha256

    /// Whether the signature is over attributes that name the content's digest, in place of the content itself. Apple's
    /// is not.
    package var coversAttributes = false

    /// Whether the signature algorithm names the digest too. Apple's names the key only.
    package var namesDigest = false

    /// Whether the root comes first among the certificates. Apple's comes last.
    package var putsRootFirst = false

    /// Whether the root is left out.
    package var leavesRootOut = false

    /// Whether the intermediate of signed transactions, which bears the same name, comes before the others.
    package var addsCertificate = false

    package init() {}
}

extension ReceiptSignature.Digest {
    var name: ASN1ObjectIdentifier {
        switch self {
        case .sha256: [2, 16, 840, 1, 101, 3, 4, 2, 1]
        case .sha1: [1, 3, 14, 3, 2, 26]
        case .sha384: [2, 16, 840, 1, 101, 3, 4, 2, 2]
        case .sha512: [2, 16, 840, 1, 101, 3, 4, 2, 3]
        }
    }

    /// RSA with PKCS #1 v1.5 and this digest.
    var signatureName: ASN1ObjectIdentifier {
        switch self {
        case .sha256: [1, 2, 840, 113549, 1, 1, 11]
        case .sha1: [1, 2, 840, 113549, 1, 1, 5]
        case .sha384: [1, 2, 840, 113549, 1, 1, 12]
        case .sha512: [1, 2, 840, 113549, 1, 1, 13]
        }
    }

    func hash(_ bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .sha256: Array(SHA256.hash(data: bytes))
        case .sha1: Array(Insecure.SHA1.hash(data: bytes))
        case .sha384: Array(SHA384.hash(data: bytes))
        case .sha512: Array(SHA512.hash(data: bytes))
        }
    }

    func signature(
        over bytes: [UInt8], by key: _RSA.Signing.PrivateKey, padding: _RSA.Signing.Padding = .insecurePKCS1v1_5
    ) throws -> [UInt8] {
        let signature =
            switch self {
            case .sha256: try key.signature(for: SHA256.hash(data: bytes), padding: padding)
            case .sha1: try key.signature(for: Insecure.SHA1.hash(data: bytes), padding: padding)
            case .sha384: try key.signature(for: SHA384.hash(data: bytes), padding: padding)
            case .sha512: try key.signature(for: SHA512.hash(data: bytes), padding: padding)
            }
        return Array(signature.rawRepresentation)
    }
}
