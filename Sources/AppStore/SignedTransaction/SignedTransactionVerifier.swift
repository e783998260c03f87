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

    /// The one transaction in a signed transaction that is genuine, as ``contents(of:now:)`` finds it.
    ///
    /// - Throws: also `Reason/unknownAnswer` for an odd one, so that an operator has to look.
    package func verify(_ jws: String, now: Date = Date()) async throws(Reason) -> VerifiedTransactions {
        try await contents(of: jws, now: now).transactions
    }

    /// The one transaction in a signed transaction that is genuine, or the facts in it that can't be read.
    ///
    /// Certificates are judged at the moment of signing, which the payload names, and at `now` only when it names none. If
    /// the moment can't be read, they are judged at the leaf's beginning, and the result is odd.
    ///
    /// - Throws: `Reason/malformedProof` for the form, the algorithm or the number of certificates, before any
    ///   cryptography; `Reason/badCertificate`, `Reason/untrustedRoot`, `Reason/badSignature` or
    ///   `Reason/unsupportedEnvironment`.
    package func contents(of jws: String, now: Date = Date()) async throws(Reason) -> VerifiedProof {
        let signed = try SignedTransaction(jws)
        let signedDate = signed.signedDate(orNow: now)
        let header = Data(signed.jws.encodedHeader)
        if let chain = headers.chain(for: header) {
            guard chain.isValid(at: signedDate) else { throw .badCertificate }
            return try signed.contents(verifiedBy: chain)
        }
        let chain = try await chains.validate(signed.jws.certificates(), at: signedDate)
        let contents = try signed.contents(verifiedBy: chain)
        headers.insert(chain, for: header)
        return contents
    }
}
