// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import Verification

/// Verifies StoreKit 2's signed transactions here, without asking anybody.
///
/// The checks are those of ``SignedTextVerifier``, and one more: the environment must be one of the two real stores.
/// Safe to use from many tasks at once; nothing here waits for anything but the processor.
package struct SignedTransactionVerifier: Sendable {
    private let texts: SignedTextVerifier

    /// - Parameter chainCacheCapacity: how many validated chains are remembered, each about five kilobytes.
    package init(anchors: TrustAnchors, chainCacheCapacity: Int = 32) {
        self.init(SignedTextVerifier(anchors: anchors, chainCacheCapacity: chainCacheCapacity))
    }

    /// - Parameter texts: remembers the chains for all that verify by it.
    init(_ texts: SignedTextVerifier) {
        self.texts = texts
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
    ///   cryptography, unless it says that it is Xcode's, which signs so; `Reason/badCertificate`, `Reason/untrustedRoot`,
    ///   `Reason/badSignature`, `Reason/unsupportedEnvironment`; `Reason/notAPurchase` for a renewal info, an app transaction or a
    ///   notification that Apple signed.
    package func contents(of jws: String, now: Date = Date()) async throws(Reason) -> VerifiedProof {
        let signed = try SignedTransaction(jws)
        let faults: [String]
        do {
            faults = try texts.verify(signed.jws, of: signed.bundleID, signedDate: signed.signedDate(orNow: now))
        } catch .malformedProof where signed.isXcodes {
            throw .unsupportedEnvironment
        }
        return try signed.contents(besides: faults)
    }
}
