// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// The seam to the App Store: what reads proofs and verifies them.
package protocol TransactionVerifier: Sendable {
    /// Recognises and repairs what the client handed over, within limits of size and depth. Asks nobody.
    ///
    /// - Throws: `UnreadableProof` with the reason to reject for; or with `Reason/unsupportedEncoding`, for which an operator has
    ///   to look.
    func readProof(_ text: String) throws(UnreadableProof) -> ReadProof

    /// The client's likely mistake, in words for its developer, where a recognised proof was refused as malformed; nil when none
    /// is known.
    func mistake(in proof: Proof) -> String?

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

    /// Finds out what a notification says, by its signatures. Asks nobody.
    ///
    /// - Throws: the reason why it is none of Apple's.
    func verifyNotification(_ text: String) async throws(Reason) -> StoreNotification

    /// Asks verifyReceipt without the app's secret, which Apple needs for receipts with subscriptions only.
    ///
    /// - Throws: VerificationFailure when it could not find out, as ``verify(_:bundleID:at:deadline:)``.
    func verifyWithoutSecret(
        _ proof: Proof, bundleID: BundleID, in environment: AppStoreEnvironment, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> Evidence

    /// Asks the App Store Server API of one environment what it knows of a transaction id now.
    ///
    /// - Parameter latestStart: the end of the call's turn, or nil if no rate limits it. If no connection stands by then, nothing
    ///   is sent, and the failure is ``VerificationFailure/isLate``.
    /// - Throws: VerificationFailure when it could not find out, as ``verify(_:bundleID:at:deadline:)``.
    func lookUp(
        _ id: TransactionID, bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant?, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> TransactionInfo

    /// Asks Apple for the purchases of a product by the customer who made a transaction, finished consumables too.
    ///
    /// - Parameters:
    ///   - since: only what was bought then or later; nil: all.
    ///   - latestStart: as of ``lookUp(_:bundleID:in:startingBy:deadline:)``.
    /// - Returns: as of that; found may be nothing.
    /// - Throws: VerificationFailure when it could not find out, as ``verify(_:bundleID:at:deadline:)``.
    func history(
        of id: TransactionID, product: ProductID, since: Date?, bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant?, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> TransactionInfo

    /// Tells Apple that a transaction is finished. Doing it again is harmless.
    ///
    /// - Parameter latestStart: as of ``lookUp(_:bundleID:in:startingBy:deadline:)``.
    /// - Throws: VerificationFailure when Apple didn't take it.
    func finish(
        _ id: TransactionID, bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant?, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure)

    /// Asks Apple which notifications of an app it sent in some time, or tried to send: a page of them.
    ///
    /// - Parameter position: that of the page before; nil for the first.
    /// - Returns: nil when the key was refused, which in production is also the answer for an app that was never released.
    /// - Throws: VerificationFailure when it could not find out.
    func notificationHistory(
        _ period: NotificationPeriod, of bundleID: BundleID, in environment: AppStoreEnvironment, from position: String?,
        deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> NotificationPage?

    /// Asks Apple for the newest of each subscription of the customer who made a transaction.
    ///
    /// - Parameter latestStart: as of ``lookUp(_:bundleID:in:startingBy:deadline:)``.
    /// - Returns: none where Apple knows no such transaction there; nil when the key was refused.
    /// - Throws: VerificationFailure when it could not find out.
    func subscriptions(
        of id: TransactionID, of bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant?, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> [SubscriptionWord]?

    /// Answers Apple's question about a refund. Doing it again is harmless.
    ///
    /// - Parameter latestStart: as of ``lookUp(_:bundleID:in:startingBy:deadline:)``.
    /// - Returns: why Apple refuses this answer for good; nil when Apple took it.
    /// - Throws: VerificationFailure when Apple didn't take it now.
    func send(
        _ answer: ConsumptionAnswer, about id: TransactionID, of bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant?, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> String?

    /// The claims of a proof, unverified; none of a bare id.
    func claims(of proof: Proof) -> ReceiptClaims

    /// Stands for the secret or key that an app's calls on a route bear at this moment; an app without a secret has a digest of its
    /// own. Nil where no credential is used, or none can be.
    func credential(of bundleID: BundleID, on route: Route) -> CredentialDigest?

    /// Reads keys and secrets again; called before a gate is probed that a fault of configuration closed, and after Apple refused
    /// one.
    func reloadCredentials()
}

/// The result of verifying a proof at one endpoint.
package enum Evidence: Sendable {
    /// Genuine, and these are the transactions in it.
    case transactions(VerifiedTransactions)
    /// Not genuine, or not Apple's; for good.
    case refused(Reason)
    /// Genuine or not, this endpoint doesn't know it: the other environment has to be asked.
    case elsewhere(AppStoreEnvironment)
}

/// The answer of one environment's App Store Server API about a transaction id.
package enum TransactionInfo: Sendable {
    /// Verified, and of the app that was asked for; one transaction.
    case found(VerifiedTransactions)
    /// There is no such transaction of this app here.
    case notFound
    /// This can't be a transaction's id.
    case refused(Reason)
    /// The key was refused. In production that is also the answer for an app that was never released.
    case unauthorized

    package var isFound: Bool {
        if case .found = self { true } else { false }
    }
}
