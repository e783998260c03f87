// SPDX-License-Identifier: Apache-2.0

/// The kinds of changes that the feed has.
package enum ChangeKind: String, Sendable, CaseIterable {
    case orderFulfilled = "order_fulfilled"
    case orderRefunded = "order_refunded"
    case orderPartlyRefunded = "order_partly_refunded"
    case refundReversed = "refund_reversed"
    case orderRejected = "order_rejected"
    case orderInReview = "order_in_review"
    case orderCancelled = "order_cancelled"
    case orderFound = "order_found"
    case paymentUnclaimed = "payment_unclaimed"
    case subscriptionRenewed = "subscription_renewed"
    case subscriptionChanged = "subscription_changed"
    case paymentRenamed = "payment_renamed"
    case paymentRefunded = "payment_refunded"
    case paymentRefundReversed = "payment_refund_reversed"
    case consumptionRequested = "consumption_requested"
    case notificationStored = "notification_stored"
    case accountMoved = "account_moved"
    case orderTransferred = "order_transferred"
    case accountForgotten = "account_forgotten"
    case forgotten
}
