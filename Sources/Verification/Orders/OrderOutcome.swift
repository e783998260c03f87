// SPDX-License-Identifier: Apache-2.0

/// The effect of a settlement on the order.
package enum OrderOutcome: Hashable, Sendable {
    /// Nothing: it has what this attempt could give, or the attempt found nothing out.
    case unchanged
    /// This payment pays for it, unless another settlement grants the same payment first.
    indirect case fulfilled(PaymentFacts)
    /// This payment pays for another order of the account, for which it was made. The order whose proof showed it stays as it is.
    indirect case paidAnother(OrderID, by: PaymentFacts)
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

// MARK: As it is written

extension OrderOutcome {
    /// The payment that was granted, to this order or to another.
    package var granted: PaymentFacts? {
        switch self {
        case .fulfilled(let payment), .paidAnother(_, let payment): payment
        case .unchanged, .anotherPayment, .rejected, .review, .refunded: nil
        }
    }

    /// The state to move the order to; nil when it isn't moved, or was by its grant.
    package var newState: OrderState? {
        switch self {
        case .unchanged, .fulfilled, .paidAnother, .anotherPayment: nil
        case .rejected: .rejected
        case .review: .review
        case .refunded: .refunded
        }
    }

    /// The word for it in the log.
    package var name: String {
        switch self {
        case .unchanged: "unchanged"
        case .fulfilled: "fulfilled"
        case .paidAnother: "paid_another"
        case .anotherPayment: "another_payment"
        case .rejected: "rejected"
        case .review: "review"
        case .refunded: "refunded"
        }
    }

    package var reason: Reason? {
        switch self {
        case .unchanged, .fulfilled: nil
        case .paidAnother, .anotherPayment: .anotherPayment
        case .rejected(let reason, _), .review(let reason, _): reason
        case .refunded: .refunded
        }
    }

    package var transactionID: TransactionID? {
        switch self {
        case .unchanged: nil
        case .fulfilled(let payment), .paidAnother(_, let payment): payment.transaction.id
        case .anotherPayment(let transaction): transaction.id
        case .rejected(_, let id), .review(_, let id): id
        case .refunded(let transaction): transaction.id
        }
    }

    package var environment: AppStoreEnvironment? {
        switch self {
        case .unchanged, .rejected, .review: nil
        case .fulfilled(let payment), .paidAnother(_, let payment): payment.transaction.environment
        case .anotherPayment(let transaction), .refunded(let transaction): transaction.environment
        }
    }
}
