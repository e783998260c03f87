// SPDX-License-Identifier: Apache-2.0

import Verification

/// A shared secret that verifyReceipt refuses.
extension Verify {
    /// Goes on after verifyReceipt refused the app's secret.
    ///
    /// If that counts against a receipt without a subscription, Apple is asked once without the secret, which it doesn't need.
    mutating func askAfterRefusal(
        _ proof: Proof, at endpoint: Endpoint, _ lane: LaneID, _ use: CredentialUse?, _ claims: ReceiptClaims
    ) async throws(Conclusion) -> Evidence {
        let standing = try await attempt.standing(of: use)
        guard standing.fault == .proof, !claims.holdsSubscription, attempt.job.uncertainAttempts == 0,
            let environment = endpoint.environment
        else { throw attempt.refused("the shared secret", standing, in: lane) }
        let (verifier, metrics) = (attempt.runner.verifier, attempt.runner.callMetrics)
        let (bundleID, deadline) = (attempt.bundleID, attempt.deadline)
        do {
            let evidence = try await metrics.measure(.verifyReceipt(environment)) { () throws(VerificationFailure) in
                try await verifier.verifyWithoutSecret(proof, bundleID: bundleID, in: environment, deadline: deadline)
            }
            attempt.calls.append(Attempt.Call(lane: lane, result: .credentialRefused))
            return evidence
        } catch where error.kind == .credentialRefused {
            throw attempt.refused("the shared secret", standing, in: lane)
        } catch {
            attempt.calls.append(Attempt.Call(lane: lane, result: Attempt.Call.Result(error)))
            throw attempt.failed(error, lane: lane)
        }
    }
}

extension Evidence {
    /// The secret that verifyReceipt accepted by this answer. If a receipt is refused, Apple hasn't looked at the secret.
    func accepted(_ use: CredentialUse?) -> CredentialUse? {
        guard case .transactions(let transactions) = self else { return nil }
        return use?.needed(transactions.all.contains { $0.webOrderLineItemID != nil || $0.expiresDate != nil })
    }
}
