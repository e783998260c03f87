// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import SwiftASN1
package import X509

/// A key and the certificates that vouch for it, the key's own first.
struct SigningIdentity: Sendable {
    /// ES256 is P-256; the other curve is there to be refused.
    enum Key: Sendable {
        case p256(P256.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
    }

    var key: Key
    var certificates: [Certificate]

    /// Signs with the hash of the key's curve; the result is `r` and `s` without any wrapping.
    func signature(over bytes: [UInt8]) throws -> [UInt8] {
        switch key {
        case .p256(let key): try Array(key.signature(for: bytes).rawRepresentation)
        case .p384(let key): try Array(key.signature(for: bytes).rawRepresentation)
        }
    }

    /// As ``signature(over:)``, in the DER form that X.509 uses.
    func signatureInDER(over bytes: [UInt8]) throws -> [UInt8] {
        switch key {
        case .p256(let key): try Array(key.signature(for: bytes).derRepresentation)
        case .p384(let key): try Array(key.signature(for: bytes).derRepresentation)
        }
    }

    /// The uncompressed point of the public key.
    var publicPoint: [UInt8] {
        switch key {
        case .p256(let key): Array(key.publicKey.x963Representation)
        case .p384(let key): Array(key.publicKey.x963Representation)
        }
    }
}

extension Certificate {
    /// The certificate's DER bytes.
    package var derBytes: [UInt8] {
        get throws {
            var serializer = DER.Serializer()
            try serializer.serialize(self)
            return serializer.serializedBytes
        }
    }
}
