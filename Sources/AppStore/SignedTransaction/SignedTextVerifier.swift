// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import Verification

/// Verifies that Apple's servers signed a JWS: the chain of its certificates, and the signature.
///
/// The checks are those of Apple's own server library, and one more: the root must be one whose fingerprint is known. There is no
/// switch that leaves a check out. Safe to use from many tasks at once; nothing here waits for anything but the processor.
struct SignedTextVerifier: Sendable {
    private let chains: CertificateChainVerifier

    /// The chains of headers that their own leaf has signed. A header is the same in all that one leaf signs, and makes up most of
    /// it: neither its JSON nor its certificates are looked at twice.
    private let headers: ValidatedChainCache<Data>

    /// - Parameter chainCacheCapacity: how many validated chains are remembered, each about five kilobytes.
    init(anchors: TrustAnchors, chainCacheCapacity: Int) {
        chains = CertificateChainVerifier(anchors: anchors, cacheCapacity: chainCacheCapacity)
        headers = ValidatedChainCache(capacity: chainCacheCapacity)
    }

    /// - Parameters:
    ///   - bundleID: the app that the text says it is of; the root must be allowed to speak for it.
    ///   - signedDate: when the text says that it was signed; nil where that can't be read: the leaf's beginning then counts.
    /// - Returns: what is odd about the certificates; empty in all that Apple signed so far. See ``OddProof/faults``.
    /// - Throws: `Reason/malformedProof` for the algorithm or the number of certificates, before any cryptography;
    ///   `Reason/badCertificate`, `Reason/untrustedRoot` or `Reason/badSignature`.
    func verify(_ jws: CompactJWS, of bundleID: BundleID?, signedDate: Date?) throws(Reason) -> [String] {
        let header = Data(jws.encodedHeader)
        if let chain = headers.chain(for: header) {
            guard chain.isValid(at: signedDate) else { throw .badCertificate }
            try chain.verify(jws, of: bundleID)
            return chain.faults(at: signedDate)
        }
        let chain = try chains.validate(jws.certificates(), at: signedDate)
        try chain.verify(jws, of: bundleID)
        headers.insert(chain, for: header)
        return chain.faults(at: signedDate)
    }
}

extension ValidatedChain {
    /// - Throws: `Reason/untrustedRoot` where the root may not speak for the app; `Reason/badCertificate` for a key of another
    ///   kind; `Reason/badSignature`.
    func verify(_ jws: CompactJWS, of bundleID: BundleID?) throws(Reason) {
        guard anchor.covers(bundleID) else { throw .untrustedRoot }
        guard case .p256(let key) = leafKey else { throw .badCertificate }
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: jws.signature),
            key.isValidSignature(signature, for: SHA256.hash(data: jws.signingInput))
        else { throw .badSignature }
    }
}
