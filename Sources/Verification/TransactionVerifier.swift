// SPDX-License-Identifier: Apache-2.0

/// The seam to the App Store: what reads proofs and verifies them.
package protocol TransactionVerifier: Sendable {
    /// Recognises and repairs what the client handed over, within limits of size and depth. Asks nobody.
    ///
    /// - Throws: the reason to reject for: `Reason/malformedProof`, `Reason/proofTooLarge` or
    ///   `Reason/unsupportedEnvironment`.
    func readProof(_ text: String) throws(Reason) -> Proof

    /// Finds out what a proof shows, by one call to one endpoint (or none, on the local route).
    ///
    /// Ends before `deadline`, also when the other side never answers. Calling it again is always safe.
    ///
    /// - Parameters:
    ///   - bundleID: the app of the order; it chooses credentials and further trust anchors, and proves nothing.
    /// - Throws: VerificationFailure when it could not find out, or `CancellationError`'s place is taken by a
    ///   transient failure when the task was cancelled.
    func verify(
        _ proof: Proof, bundleID: BundleID, at endpoint: Endpoint, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> Evidence

    /// Reads keys and secrets again; called before a gate is probed that a fault of configuration closed.
    func reloadCredentials()
}
