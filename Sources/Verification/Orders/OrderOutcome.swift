// SPDX-License-Identifier: Apache-2.0

/// The effect of a settlement on the order.
package enum OrderOutcome: Hashable, Sendable {
    /// Nothing: it has what this attempt could give, or the attempt found nothing out.
    case unchanged
    /// This candidate pays for it, unless another settlement grants the same payment first.
    case fulfilled(Candidate)
    /// Refused; the transaction is named when the client should finish one.
    case rejected(Reason, TransactionID?)
    /// Left to an operator.
    case review(Reason, TransactionID?)
    /// Its payment was refunded.
    indirect case refunded(Transaction)

    /// Whether it changes an order in this state, as `settle_orders.sql` has it: an order in review stays, except for a refund;
    /// an order that is paid or cancelled doesn't change.
    package func moves(_ state: OrderState) -> Bool {
        switch self {
        case .unchanged: false
        case .fulfilled: state.canBeFulfilled
        case .rejected, .review: state == .open || state == .rejected
        case .refunded: state == .open || state == .rejected || state == .review
        }
    }
}
