// SPDX-License-Identifier: Apache-2.0

import Verification

/// A verifier whose calls to Apple are measured. What is verified here, by signature, is not a call.
struct MeasuredVerifier: TransactionVerifier {
    let verifier: any TransactionVerifier
    let metrics: CallMetrics

    func readProof(_ text: String) throws(UnreadableProof) -> ReadProof {
        try verifier.readProof(text)
    }

    func mistake(in proof: Proof) -> String? {
        verifier.mistake(in: proof)
    }

    func verify(
        _ proof: Proof, bundleID: BundleID, at endpoint: Endpoint, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> Evidence {
        guard endpoint.route != .local else {
            return try await verifier.verify(proof, bundleID: bundleID, at: endpoint, deadline: deadline)
        }
        let start = ContinuousClock.now
        do {
            let evidence = try await verifier.verify(proof, bundleID: bundleID, at: endpoint, deadline: deadline)
            metrics.called(endpoint, since: start, .answered)
            return evidence
        } catch {
            metrics.called(endpoint, since: start, error)
            throw error
        }
    }

    func verifyNotification(_ text: String) async throws(Reason) -> StoreNotification {
        try await verifier.verifyNotification(text)
    }

    func verifyWithoutSecret(
        _ proof: Proof, bundleID: BundleID, in environment: AppStoreEnvironment, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> Evidence {
        let start = ContinuousClock.now
        do {
            let evidence = try await verifier.verifyWithoutSecret(
                proof, bundleID: bundleID, in: environment, deadline: deadline)
            metrics.called(.verifyReceipt(environment), since: start, .answered)
            return evidence
        } catch {
            metrics.called(.verifyReceipt(environment), since: start, error)
            throw error
        }
    }

    func lookUp(
        _ id: TransactionID, bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant?, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> TransactionInfo {
        let start = ContinuousClock.now
        do {
            let answer = try await verifier.lookUp(
                id, bundleID: bundleID, in: environment, startingBy: latestStart, deadline: deadline)
            metrics.called(.serverAPI(environment), since: start, answer.isUnauthorized ? .misconfigured : .answered)
            return answer
        } catch {
            metrics.called(.serverAPI(environment), since: start, error)
            throw error
        }
    }

    func finish(
        _ id: TransactionID, bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant?, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) {
        let endpoint = Endpoint(route: .finishTransaction, environment: environment)
        let start = ContinuousClock.now
        do {
            try await verifier.finish(
                id, bundleID: bundleID, in: environment, startingBy: latestStart, deadline: deadline)
            metrics.called(endpoint, since: start, .answered)
        } catch {
            metrics.called(endpoint, since: start, error)
            throw error
        }
    }

    func notificationHistory(
        _ period: NotificationPeriod, of bundleID: BundleID, in environment: AppStoreEnvironment, from position: String?,
        deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> NotificationPage? {
        let start = ContinuousClock.now
        do {
            let page = try await verifier.notificationHistory(
                period, of: bundleID, in: environment, from: position, deadline: deadline)
            metrics.called(.serverAPI(environment), since: start, page == nil ? .misconfigured : .answered)
            return page
        } catch {
            metrics.called(.serverAPI(environment), since: start, error)
            throw error
        }
    }

    func claims(of proof: Proof) -> ReceiptClaims {
        verifier.claims(of: proof)
    }

    func credential(of bundleID: BundleID, on route: Route) -> CredentialDigest? {
        verifier.credential(of: bundleID, on: route)
    }

    func reloadCredentials() {
        verifier.reloadCredentials()
    }
}

extension TransactionInfo {
    fileprivate var isUnauthorized: Bool {
        if case .unauthorized = self { true } else { false }
    }
}
