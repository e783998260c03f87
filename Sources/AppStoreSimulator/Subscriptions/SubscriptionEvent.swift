// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// Something that befalls a subscription.
///
/// Where an event names a transaction, nil stands for that of the current period. A token is that of the purchase, and none is
/// none: renewals after it inherit it.
package enum SubscriptionEvent: Sendable, Equatable {
    /// When a chosen plan begins.
    package enum PlanStart: Sendable {
        /// At once for a dearer plan, or one of the same rank and length; with the renewal for others.
        case byApplesRule
        case atOnce
        case atRenewal
    }

    // Payments by Apple's server

    /// The next period is paid for. Apple may sign it up to a day before the period begins.
    case renew
    /// The next period can't be paid for. With grace the customer keeps access for so many seconds.
    case failToRenew(grace: TimeInterval? = nil)
    /// The days of grace are over, and Apple goes on trying.
    case endGrace
    /// The payment succeeds after all: for the period that was due where there is grace still, else from now on.
    case recover

    // The end

    /// The subscription ends. Nil: because the customer cancelled it, or because Apple has given up trying.
    case expire(ExpirationIntent? = nil)
    case turnRenewalOff
    case turnRenewalOn

    // Purchases by the customer

    case change(to: SimulatedPlan, starts: PlanStart = .byApplesRule, token: UUID? = nil)
    /// A new purchase after the end, of the same plan or another.
    case resubscribe(SimulatedPlan? = nil, offer: SimulatedOffer? = nil, token: UUID? = nil)
    /// An offer is redeemed while the subscription runs, for its plan or another.
    case redeem(SimulatedOffer, plan: SimulatedPlan? = nil, token: UUID? = nil)

    // Acts of the shop

    /// The current period ends so many seconds later.
    case extend(by: TimeInterval)
    case announcePriceIncrease(to: Int64)
    case agreeToPriceIncrease

    // Refunds

    /// A customer asks for a refund, for a reason in Apple's words.
    case askForRefund(of: String? = nil, reason: String?)
    case declineRefund(of: String? = nil)
    /// Apple refunds a part, in thousandths of a percent, or the whole. After the refund of the whole current period nothing
    /// renews.
    case refund(of: String? = nil, part: Int? = nil, reason: Int = 0)
    case reverseRefund(of: String? = nil)

    // What is shared

    /// A member loses what is another's.
    case revoke
    /// Seats are bought for the rest of the period.
    case addSeats(Int)
    /// From the next renewal on there are fewer seats.
    case dropSeats(Int)
    /// Some of a transaction's seats are refunded; the transaction stands until none is left.
    case refundSeats(Int, of: String? = nil)
}
