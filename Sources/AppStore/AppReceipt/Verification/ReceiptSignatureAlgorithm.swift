// SPDX-License-Identifier: Apache-2.0

import Verification

/// How a receipt is signed: RSA with PKCS #1 v1.5, or ECDSA, which no receipt of Apple's has used so far.
struct ReceiptSignatureAlgorithm {
    private enum Family {
        case rsa
        case ecdsa
    }

    private let family: Family

    /// Whether it names another digest than the one that stands beside it, which counts.
    let namesAnotherDigest: Bool

    /// The algorithm of an AlgorithmIdentifier's content. Apple names the key's algorithm only.
    ///
    /// - Throws: `Reason/malformedProof` for any other one.
    init(content: ArraySlice<UInt8>, beside digest: ReceiptDigest) throws(Reason) {
        let name = try AlgorithmName(content).name
        if name.elementsEqual(ObjectIdentifierBytes.rsa) {
            family = .rsa
            namesAnotherDigest = false
        } else if let named = ReceiptDigest.allCases.first(where: { name.elementsEqual(Self.rsaName(with: $0)) }) {
            family = .rsa
            namesAnotherDigest = named != digest
        } else if let named = ReceiptDigest.allCases.first(where: { Self.ecdsaName(with: $0).map(name.elementsEqual) ?? false }) {
            family = .ecdsa
            namesAnotherDigest = named != digest
        } else {
            throw .malformedProof
        }
    }

    /// Whether a key may have signed by this algorithm.
    func fits(_ key: LeafKey) -> Bool {
        switch (family, key) {
        case (.rsa, .rsa), (.ecdsa, .p256), (.ecdsa, .p384): true
        case (.rsa, .p256), (.rsa, .p384), (.ecdsa, .rsa): false
        }
    }

    private static func rsaName(with digest: ReceiptDigest) -> [UInt8] {
        switch digest {
        case .sha1: ObjectIdentifierBytes.rsaWithSHA1
        case .sha256: ObjectIdentifierBytes.rsaWithSHA256
        case .sha384: ObjectIdentifierBytes.rsaWithSHA384
        case .sha512: ObjectIdentifierBytes.rsaWithSHA512
        }
    }

    /// Nil with SHA-1, which only receipts from before August 2023 have.
    private static func ecdsaName(with digest: ReceiptDigest) -> [UInt8]? {
        switch digest {
        case .sha1: nil
        case .sha256: ObjectIdentifierBytes.ecdsaWithSHA256
        case .sha384: ObjectIdentifierBytes.ecdsaWithSHA384
        case .sha512: ObjectIdentifierBytes.ecdsaWithSHA512
        }
    }
}
