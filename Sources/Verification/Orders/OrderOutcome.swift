// SPDX-License-Identifier: Apache-2.0

/// The effect of a settlement on the order.
package enum OrderOutcome: Hashable, Sendable {
    /// Nothing: it has what this attempt could give, or the attempt found nothing out.
    case unchanged
    /// This candidate pays for it, unless another settlement grants the same payment first.
    case fulfilled(Candidate)
    /// This candidate pays for another order of the account, for which it was made. The order whose proof showed it stays as it is.
    case paidAnother(OrderID, by: Candidate)
    /// Nothing: the proof shows a payment for another product, which the ledger holds, or which is a renewal or was refunded.
    indirect case anotherPayment(Transaction)
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
        case .unchanged, .paidAnother, .anotherPayment: false
        case .fulfilled: state.canBeFulfilled
        case .rejected, .review: state == .open || state == .rejected
        case .refunded: state == .open || state == .rejected || state == .review
        }
    }
}
