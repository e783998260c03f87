// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import Verification

/// Verifies StoreKit 2's signed transactions here, without asking anybody.
///
/// The checks are those of Apple's own server library, in this order, and two more: the root must be one whose
/// fingerprint is known, and the environment one of the two real stores. There is no switch that leaves a check out.
/// Safe to use from many tasks at once; nothing here waits for anything but the processor.
package struct SignedTransactionVerifier: Sendable {
    private let chains: CertificateChainVerifier

    /// The chains of headers that their own leaf has signed. A header is the same in all that one leaf signs, and makes
    /// up most of it: neither its JSON nor its certificates are looked at twice.
    private let headers: ValidatedChainCache<Data>

    /// - Parameter chainCacheCapacity: how many validated chains are remembered, each about five kilobytes.
    package init(anchors: TrustAnchors, chainCacheCapacity: Int = 32) {
        chains = CertificateChainVerifier(anchors: anchors, cacheCapacity: chainCacheCapacity)
        headers = ValidatedChainCache(capacity: chainCacheCapacity)
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
        let header = Data(signed.jws.encodedHeader)
        if let chain = headers.chain(for: header) {
            guard chain.isValid(at: signedDate) else { throw .badCertificate }
            return try signed.transactions(verifiedBy: chain)
        }
        let chain = try await chains.validate(signed.jws.certificates(), at: signedDate)
        let transactions = try signed.transactions(verifiedBy: chain)
        headers.insert(chain, for: header)
        return transactions
    }
}
