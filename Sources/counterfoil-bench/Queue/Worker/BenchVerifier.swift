// SPDX-License-Identifier: Apache-2.0

import EventSources
import FoundationEssentials
import Verification

/// Believes the bench's own proofs (`eyJ tx 1234 coins …`), at once or after a while, so that only the queue is measured.
struct BenchVerifier: TransactionVerifier {
    let delay: Duration
    let clock = AlarmClock()

    func readProof(_ text: String) throws(UnreadableProof) -> ReadProof { ReadProof(.signedTransaction(text)) }

    func mistake(in proof: Proof) -> String? { nil }

    func verify(
        _ proof: Proof, bundleID: BundleID, at endpoint: Endpoint, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> Evidence {
        if delay > .zero {
            // Not by a timer of the system for each: the queue is measured, and not those.
            await clock.sleep(until: .now + delay)
            guard !Task.isCancelled else {
                throw VerificationFailure(.transient, .appStoreUnavailable, message: "stopped")
            }
        }
        return believe(proof, bundleID: bundleID)
    }

    @inline(never)  // Its values would be allocated with each call's asynchronous frame, as no verifier at the worker's side does.
    private func believe(_ proof: Proof, bundleID: BundleID) -> Evidence {
        guard case .signedTransaction(let text) = proof else { return .refused(.malformedProof) }
        // "eyJ tx 1234 coins …", without an array for its words.
        let words = text.utf8.dropFirst(7)
        let number = words.prefix { $0 != UInt8(ascii: " ") }
        let product = words.dropFirst(number.count + 1).prefix { $0 != UInt8(ascii: " ") }
        guard !number.isEmpty, let product = BenchProduct(rawValue: String(decoding: product, as: UTF8.self)) else {
            return .refused(.malformedProof)
        }
        let id = TransactionID(rawValue: String(decoding: number, as: UTF8.self))
        let transaction = Transaction(
            bundleID: bundleID, environment: .production, id: id, originalID: id,
            productID: ProductID(rawValue: product.rawValue), productKind: product.kind, purchaseDate: Date())
        return .transactions(VerifiedTransactions([transaction], mayBeIncomplete: false))
    }

    func verifyNotification(_ text: String) async throws(Reason) -> StoreNotification { throw .malformedProof }

    func verifyWithoutSecret(
        _ proof: Proof, bundleID: BundleID, in environment: AppStoreEnvironment, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> Evidence { .refused(.malformedProof) }

    func lookUp(
        _ id: TransactionID, bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant?, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> TransactionInfo { .notFound }

    func finish(
        _ id: TransactionID, bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant?, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) {}

    func history(
        of id: TransactionID, product: ProductID, since: Date?, bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant?, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> TransactionInfo { .notFound }

    func notificationHistory(
        _ period: NotificationPeriod, of bundleID: BundleID, in environment: AppStoreEnvironment, from position: String?,
        deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> NotificationPage? { nil }

    func subscriptions(
        of id: TransactionID, of bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant?, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> [SubscriptionWord]? { nil }

    func send(
        _ answer: ConsumptionAnswer, about id: TransactionID, of bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant?, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> String? { nil }

    func claims(of proof: Proof) -> ReceiptClaims { ReceiptClaims() }

    func credential(of bundleID: BundleID, on route: Route) -> CredentialDigest? { nil }

    func reloadCredentials() {}
}
