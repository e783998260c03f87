// SPDX-License-Identifier: Apache-2.0

import Verification

/// Uploads that name the payment which their order was granted.
extension AttemptRun {
    /// The job ends, and nothing of its proof counts but a refund that Apple signed. A proof that is damaged or forged is no reason
    /// to reject an order that is paid.
    ///
    /// Apple isn't asked here, so that the attempt passes no gate. It costs a signature, and a client may upload often: see
    /// ``AttemptRunner/repetitionPeriod``.
    ///
    /// - Returns: nil where Apple has to be asked, because the proof shows a refund by an old signature, or contradicts one.
    mutating func repetition() async -> Settlement? {
        guard job.isFirstAttempt(inPeriodOf: AttemptRunner.repetitionPeriod),
            let proof = try? read(), case .signedTransaction = proof
        else { return Settlement(job, .end(.unchanged)) }
        let evidence = try? await runner.verifier.verify(
            proof, bundleID: job.order.bundleID, at: .local, deadline: deadline)
        return repetition(showing: evidence)
    }

    @inline(never)  // See "Judge".
    private func repetition(showing evidence: Evidence?) -> Settlement? {
        guard case .transactions(let transactions) = evidence else {
            return Settlement(job, .end(.unchanged), proofKind: proofKind)
        }
        let isRefund = transactions.all.contains { $0.revocation != nil }
        let isStale = job.policy.confirmation.isNeeded(signedAt: transactions.signedAt, now: job.claimedAt)
        if job.policy.usesServerAPI && (isRefund ? isStale : job.order.state == .refunded) { return nil }
        return Settlement(job, .end(.unchanged), proofKind: proofKind, revoked: judge(transactions).revoked)
    }
}
