// SPDX-License-Identifier: Apache-2.0

extension Reason {
    /// What to tell the client of an order.
    ///
    /// The first row that fits decides:
    ///
    /// | Order | Job pending | Action |
    /// |---|---|---|
    /// | fulfilled, refunded | either | finish |
    /// | any other | yes, and its receipt lacks the purchase | resend proof, while the job goes on |
    /// | any other | yes | wait |
    /// | open | no | resend proof |
    /// | review, cancelled | no | contact support |
    /// | rejected as malformed, or for a receipt that lacks the purchase | no | resend proof |
    /// | rejected as already granted or owned by the same account | no | finish |
    /// | rejected for any other reason | no | contact support |
    ///
    /// - Parameters:
    ///   - reason: of the order's state.
    ///   - pendingReason: why the pending job waits, if an attempt said so.
    package static func clientAction(
        state: OrderState, reason: Reason?, hasPendingJob: Bool, pendingReason: Reason?
    ) -> ClientAction {
        if state == .fulfilled || state == .refunded { return .finish }
        if hasPendingJob { return pendingReason == .purchaseNotInReceipt ? .resendProof : .wait }
        if state == .open { return .resendProof }
        guard state == .rejected else { return .contactSupport }
        switch reason {
        case .malformedProof, .purchaseNotInReceipt: return .resendProof
        case .alreadyGranted, .alreadyOwned: return .finish
        default: return .contactSupport
        }
    }
}
