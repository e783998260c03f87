// SPDX-License-Identifier: Apache-2.0

import Verification

/// A payment that is to be granted to an order.
struct Grant {
    let payment: PaymentFacts
    let payee: Payee

    /// The job whose attempt grants it; nil: an operator does.
    let jobID: JobID?
}

extension Grant {
    /// - Returns: nil where the settlement attempts none.
    init?(_ pending: PendingSettlement) {
        guard let payment = pending.attempted, let payee = pending.payee else { return nil }
        self.init(payment: payment, payee: payee, jobID: pending.job.id)
    }
}
