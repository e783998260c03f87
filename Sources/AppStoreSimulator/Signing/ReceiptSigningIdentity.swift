// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import FoundationEssentials
import Synchronization
import X509

/// The keys and certificates that sign receipts: RSA, as Apple's, below the root that signed transactions have too.
struct ReceiptSigningIdentity: Sendable {
    let leafKey: _RSA.Signing.PrivateKey
    let intermediateKey: _RSA.Signing.PrivateKey
    /// Leaf, intermediate, root.
    let certificates: [Certificate]

    fileprivate init(
        root: Certificate, rootKey: P384.Signing.PrivateKey, authorityValidity: ClosedRange<Date>,
        leafValidity: ClosedRange<Date>
    ) throws {
        leafKey = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        intermediateKey = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        let intermediate = Certificate.PrivateKey(intermediateKey)
        certificates = [
            try CertificateRecipe(
                .leaf, key: Certificate.PublicKey(leafKey.publicKey), issuedBy: .intermediate, with: intermediate,
                validity: leafValidity
            ).makeCertificate(),
            try CertificateRecipe(
                .intermediate, key: intermediate.publicKey, issuedBy: .root, with: Certificate.PrivateKey(rootKey),
                validity: authorityValidity
            ).makeCertificate(),
            root,
        ]
    }
}

extension ReceiptSigningIdentity {
    /// Makes an identity when it is first asked for, and gives the same one ever after.
    ///
    /// Two RSA keys take some tenths of a second, and many authorities never sign a receipt.
    final class Lazy: Sendable {
        private let make: @Sendable () throws -> ReceiptSigningIdentity
        private let made = Mutex<ReceiptSigningIdentity?>(nil)

        init(
            root: Certificate, rootKey: P384.Signing.PrivateKey, authorityValidity: ClosedRange<Date>,
            leafValidity: ClosedRange<Date>
        ) {
            make = {
                try ReceiptSigningIdentity(
                    root: root, rootKey: rootKey, authorityValidity: authorityValidity, leafValidity: leafValidity)
            }
        }

        func identity() throws -> ReceiptSigningIdentity {
            try made.withLock { made in
                if let made { return made }
                let identity = try make()
                made = identity
                return identity
            }
        }
    }
}
