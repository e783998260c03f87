// SPDX-License-Identifier: Apache-2.0

import Verification

/// Uploads that name the payment which their order was granted.
extension Verify {
    /// The job ends, and nothing of its proof counts but a refund that Apple signed. A proof that is damaged or forged is no reason
    /// to reject an order that is paid.
    ///
    /// One that claims a refund, and comes when another was read in this minute, is looked at again in the next one.
    ///
    /// Apple isn't asked here, so that the attempt passes no gate. It costs a signature, and a client may upload often: see
    /// ``AttemptRunner/repetitionPeriod``.
    ///
    /// - Returns: nil where Apple has to be asked, because the proof shows a refund by an old signature, or contradicts one.
    mutating func repetition() async -> Settlement? {
        guard let proof = try? read(), case .signedTransaction = proof else { return Settlement(attempt.job, .end(.unchanged)) }
        guard attempt.job.isFirstAttempt(inPeriodOf: AttemptRunner.repetitionPeriod) else {
            guard attempt.job.age < AttemptRunner.repetitionPatience, attempt.runner.verifier.claims(of: proof).showsRefund else {
                return Settlement(attempt.job, .end(.unchanged))
            }
            let rest = attempt.job.rest(ofPeriodOf: AttemptRunner.repetitionPeriod)
            return Settlement(attempt.job, .wait(.snooze(for: .seconds(rest)), nil, lane: nil), proofKind: attempt.proofKind)
        }
        let evidence = try? await attempt.runner.verifier.verify(
            proof, bundleID: attempt.bundleID, at: .local, deadline: attempt.deadline)
        return repetition(showing: evidence)
    }

    @inline(never)  // See "Judge" in Verify.swift.
    private func repetition(showing evidence: Evidence?) -> Settlement? {
        guard case .transactions(let transactions) = evidence else {
            return Settlement(attempt.job, .end(.unchanged), proofKind: attempt.proofKind)
        }
        let isRefund = transactions.all.contains { $0.revocation != nil }
        let isStale = policy.confirmation.isNeeded(signedAt: transactions.signedAt, now: attempt.job.claimedAt)
        if policy.usesServerAPI && (isRefund ? isStale : order.state == .refunded) { return nil }
        return Settlement(
            attempt.job, .end(.unchanged), payments: [SettledPayment](revoked: judge(transactions).revoked),
            proofKind: attempt.proofKind)
    }
}
