// SPDX-License-Identifier: Apache-2.0

import Crypto
package import FoundationEssentials
package import Verification

/// Verifies StoreKit 2's signed transactions here, without asking anybody.
///
/// The checks are those of Apple's own server library, in this order, and two more: the root must be one whose
/// fingerprint is known, and the environment one of the two real stores. There is no switch that leaves a check out.
/// Safe to use from many tasks at once; nothing here waits for anything but the processor.
package struct SignedTransactionVerifier: Sendable {
    private let chains: CertificateChainVerifier

    /// - Parameter chainCacheCapacity: how many validated chains are remembered, each about one kilobyte.
    package init(anchors: TrustAnchors, chainCacheCapacity: Int = 32) {
        chains = CertificateChainVerifier(anchors: anchors, cacheCapacity: chainCacheCapacity)
    }

    /// The one transaction in a signed transaction that is genuine.
    ///
    /// Certificates are judged at the moment of signing, which the payload names, and at `now` only when it names none.
    ///
    /// - Throws: `Reason/malformedProof` for the form, the algorithm or the number of certificates, before any
    ///   cryptography; `Reason/badCertificate`, `Reason/untrustedRoot`, `Reason/badSignature` or
    ///   `Reason/unsupportedEnvironment`; `Reason/unknownAnswer` when it is genuine but lacks a fact that every
    ///   transaction has, so that a person has to look.
    package func verify(_ jws: String, now: Date = Date()) async throws(Reason) -> VerifiedTransactions {
        let signed = try SignedTransaction(jws)
        guard !signed.payload.signedDate.isUnreadable else { throw .malformedProof }
        let signedDate = signed.payload.signedDate.value?.date ?? now
        let chain = try await chains.validate(signed.certificates, at: signedDate)
        return try signed.transactions(verifiedBy: chain)
    }
}
