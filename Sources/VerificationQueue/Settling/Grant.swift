// SPDX-License-Identifier: Apache-2.0

import Verification

/// A payment that is to be granted to an order.
struct Grant {
    let payment: PaymentFacts
    let payee: Payee

    /// The job whose attempt grants it; nil: an operator does.
    let jobID: JobID?
}

/// A grant of the short path, with what ends its job.
struct FirstGrant {
    let grant: Grant
    let job: Job
    let proofKind: ProofKind?
}

extension FirstGrant {
    /// - Returns: nil where the settlement attempts none.
    init?(_ pending: PendingSettlement) {
        guard let grant = Grant(pending) else { return nil }
        self.init(grant: grant, job: pending.job, proofKind: pending.settlement.proofKind)
    }
}

extension Grant {
    /// - Returns: nil where the settlement attempts none.
    init?(_ pending: PendingSettlement) {
        guard let payment = pending.attempted, let payee = pending.payee else { return nil }
        self.init(payment: payment, payee: payee, jobID: pending.job.id)
    }
}
