// SPDX-License-Identifier: Apache-2.0

/// What a settled attempt does to its order.
package enum OrderOutcome: Hashable, Sendable {
    /// Nothing: it has what this attempt could give, or the attempt found nothing out.
    case unchanged
    /// This candidate pays for it, unless another settlement grants the same payment first.
    case fulfilled(Candidate)
    /// Refused; the transaction is named when the client should finish one.
    case rejected(Reason, TransactionID?)
    /// Left to a person.
    case review(Reason, TransactionID?)
    /// Its payment was taken back.
    indirect case refunded(Transaction)

    /// Whether it changes an order in this state, as `settle_orders.sql` has it: what is in review stays there, but for a refund,
    /// and what has its payment or was cancelled isn't touched.
    package func moves(_ state: OrderState) -> Bool {
        switch self {
        case .unchanged: false
        case .fulfilled: state.canBeFulfilled
        case .rejected, .review: state == .open || state == .rejected
        case .refunded: state == .open || state == .rejected || state == .review
        }
    }
}
