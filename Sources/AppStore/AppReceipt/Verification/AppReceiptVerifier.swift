// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import Verification

/// Verifies app receipts here, without asking anybody.
///
/// The root must be one whose fingerprint is known, the chain below it must bear Apple's markers, and the environment
/// must be one of the two real stores. There is no switch that leaves a check out. Safe to use from many tasks at once;
/// nothing here waits for anything but the processor.
///
/// A genuine receipt proves its purchases as of the moment when it was made: what was refunded since, or bought since,
/// isn't in it.
package struct AppReceiptVerifier: Sendable {
    private let chains: CertificateChainVerifier
    private let limits: AppReceiptLimits

    /// - Parameter chainCacheCapacity: how many validated chains are remembered, each about one kilobyte.
    package init(
        anchors: TrustAnchors, limits: AppReceiptLimits = AppReceiptLimits(), chainCacheCapacity: Int = 32
    ) {
        chains = CertificateChainVerifier(anchors: anchors, cacheCapacity: chainCacheCapacity)
        self.limits = limits
    }

    /// The transactions of a receipt that is genuine, as ``contents(of:now:)`` finds them; none when it holds none.
    ///
    /// - Throws: also `Reason/unknownAnswer` for an odd one, so that an operator has to look.
    package func verify(_ base64: String, now: Date = Date()) async throws(Reason) -> VerifiedTransactions {
        try await contents(of: base64, now: now).transactions
    }

    /// The transactions of a receipt that is genuine, or the facts in it that can't be read.
    ///
    /// Certificates are judged at the moment when the receipt was made, and at `now` only when it names none: leaves
    /// live two years, and an honest receipt outlives them. If the moment can't be read, they are judged at the leaf's beginning,
    /// and the result is odd.
    ///
    /// - Parameter base64: standard, with padding, as ``ProofReader`` gives it.
    /// - Throws: `Reason/proofTooLarge` or `Reason/malformedProof` for the form, and the number of certificates and
    ///   signers, before any cryptography; `Reason/unsupportedEncoding` for indefinite lengths; `Reason/badCertificate`,
    ///   `Reason/untrustedRoot`, `Reason/badSignature` or `Reason/unsupportedEnvironment`.
    package func contents(of base64: String, now: Date = Date()) async throws(Reason) -> VerifiedProof {
        let receipt = try read(base64)
        let date = receipt.creationDate(orNow: now)
        var refusal: Reason?
        for signer in receipt.signers {
            do {
                let chain = try chain(of: signer, in: receipt, at: date)
                return try receipt.contents(signedBy: signer, verifiedBy: chain, at: date)
            } catch {
                refusal = refusal ?? error
            }
        }
        throw refusal ?? .malformedProof
    }

    /// The first of the ways to a root that holds, or the reason against the first of them.
    private func chain(of signer: SignerInfo, in receipt: SignedReceipt, at date: Date?) throws(Reason) -> ValidatedChain {
        var refusal: Reason?
        for candidate in try receipt.candidates(of: signer) {
            do {
                return try chains.validate(candidate, at: date)
            } catch {
                refusal = refusal ?? error
            }
        }
        throw refusal ?? .badCertificate
    }

    private func read(_ base64: String) throws(Reason) -> SignedReceipt {
        guard base64.utf8.count / 4 * 3 <= limits.bytes + 2 else { throw .proofTooLarge }
        guard let bytes = Base64.decode(padded: Array(base64.utf8)[...], as: .standard) else { throw .malformedProof }
        guard bytes.count <= limits.bytes else { throw .proofTooLarge }
        // The reader of proofs sees to it before.
        guard !IndefiniteReceipt.hasShape(bytes) else { throw IndefiniteReceipt.reason(against: bytes) }
        return try SignedReceipt(bytes, limits: limits)
    }
}
