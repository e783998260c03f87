// SPDX-License-Identifier: Apache-2.0

import Crypto

/// Checks of signatures without anything around them: what no verifier can be faster than.
struct BareSignatures: Sendable {
    private let p256Key: P256.Signing.PublicKey
    private let p256Signatures: [P256.Signing.ECDSASignature]
    private let p256Message: [UInt8]
    private let p384Key: P384.Signing.PublicKey
    private let p384Signature: P384.Signing.ECDSASignature
    private let p384Message: [UInt8]

    /// - Parameter different: how many signatures on P-256 are checked in turn. Of one that is checked again and again a processor
    ///   foretells the branches, so that it passes for faster than a new one.
    init(different: Int = 1) throws {
        let (p256, p384) = (P256.Signing.PrivateKey(), P384.Signing.PrivateKey())
        // What a signed transaction's signature is over, and what a certificate's is.
        p256Message = (0..<2560).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        p384Message = Array(p256Message.prefix(800))
        p256Key = p256.publicKey
        p384Key = p384.publicKey
        let digest = SHA256.hash(data: p256Message)
        p256Signatures = try (0..<different).map { _ in try p256.signature(for: digest) }
        p384Signature = try p384.signature(for: SHA384.hash(data: p384Message))
    }

    func checkP256(_ number: Int = 0) throws {
        guard p256Key.isValidSignature(p256Signatures[number % p256Signatures.count], for: SHA256.hash(data: p256Message)) else {
            throw BenchError("a bare P-256 signature does not verify")
        }
    }

    func checkP384() throws {
        guard p384Key.isValidSignature(p384Signature, for: SHA384.hash(data: p384Message)) else {
            throw BenchError("a bare P-384 signature does not verify")
        }
    }
}
