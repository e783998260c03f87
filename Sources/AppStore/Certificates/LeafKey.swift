// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import X509

/// The key of a leaf certificate, of one of the two kinds that App Store data is signed with.
enum LeafKey: Sendable {
    /// Signed transactions.
    case p256(P256.Signing.PublicKey)
    /// App receipts; of 2048 bits or more.
    case rsa(_RSA.Signing.PublicKey)

    /// Nil for a key of any other kind.
    init?(_ key: Certificate.PublicKey) {
        if let key = P256.Signing.PublicKey(key) {
            self = .p256(key)
        } else if let key = _RSA.Signing.PublicKey(key) {
            self = .rsa(key)
        } else {
            return nil
        }
    }
}
