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

    /// The transactions of a receipt that is genuine; none when it holds none.
    ///
    /// Certificates are judged at the moment when the receipt was made, and at `now` only when it names none: leaves
    /// live two years, and an honest receipt outlives them.
    ///
    /// - Parameter base64: standard, with padding, as ``ProofReader`` gives it.
    /// - Throws: `Reason/proofTooLarge` or `Reason/malformedProof` for the form, and the number of certificates and
    ///   signers, before any cryptography; `Reason/badCertificate`, `Reason/untrustedRoot`, `Reason/badSignature` or
    ///   `Reason/unsupportedEnvironment`; `Reason/unknownAnswer` when it is genuine but names no app, so that a person
    ///   has to look.
    package func verify(_ base64: String, now: Date = Date()) async throws(Reason) -> VerifiedTransactions {
        let receipt = try read(base64)
        guard !receipt.facts.creationDate.isUnreadable else { throw .malformedProof }
        let creationDate = receipt.facts.creationDate.value?.date ?? now
        let chain = try await chains.validate(receipt.certificates, at: creationDate)
        return try receipt.transactions(verifiedBy: chain)
    }

    private func read(_ base64: String) throws(Reason) -> SignedReceipt {
        guard base64.utf8.count / 4 * 3 <= limits.bytes + 2 else { throw .proofTooLarge }
        guard let bytes = Base64.decode(padded: Array(base64.utf8)[...], as: .standard) else { throw .malformedProof }
        guard bytes.count <= limits.bytes else { throw .proofTooLarge }
        return try SignedReceipt(bytes, limits: limits)
    }
}
