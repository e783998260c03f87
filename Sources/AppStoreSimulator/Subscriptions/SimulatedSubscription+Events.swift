// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

extension SimulatedSubscription {
    /// The notification of the first purchase, with an id of its own each time. To be read before the first event: it says what is
    /// known of the life now.
    package var introduction: SimulatedNotification {
        notification("SUBSCRIBED", "INITIAL_BUY", about: transactions[0], at: transactions[0].purchaseDate)
    }

    /// Lets an event happen.
    ///
    /// - Returns: the notification that Apple sends of it, signed at `date`.
    /// - Throws: ``Impossible``; the life is as before.
    @discardableResult
    package mutating func apply(_ event: SubscriptionEvent, at date: Date) throws(Impossible) -> SimulatedNotification {
        guard date >= lastEvent else { throw Impossible("an event before the one that came last") }
        let notification =
            switch event {
            case .renew: try renew(at: date)
            case .failToRenew(let grace): try failToRenew(grace: grace, at: date)
            case .endGrace: try endGrace(at: date)
            case .recover: try recover(at: date)
            case .expire(let intent): try expire(intent, at: date)
            case .turnRenewalOff: try turnRenewal(on: false, at: date)
            case .turnRenewalOn: try turnRenewal(on: true, at: date)
            case .change(let plan, let start, let token): try change(to: plan, start, token, at: date)
            case .resubscribe(let plan, let offer, let token): try resubscribe(plan, offer, token, at: date)
            case .redeem(let offer, let plan, let token): try redeem(offer, plan, token, at: date)
            case .extend(let seconds): try extend(by: seconds, at: date)
            case .announcePriceIncrease(let price): try announcePriceIncrease(to: price, at: date)
            case .agreeToPriceIncrease: try agreeToPriceIncrease(at: date)
            case .askForRefund(let id, let reason): try askForRefund(of: id, reason, at: date)
            case .declineRefund(let id): try declineRefund(of: id, at: date)
            case .refund(let id, let part, let reason): try refund(of: id, part: part, reason: reason, at: date)
            case .reverseRefund(let id): try reverseRefund(of: id, at: date)
            case .revoke: try revoke(at: date)
            case .addSeats(let count): try addSeats(count, at: date)
            case .dropSeats(let count): try dropSeats(count, at: date)
            case .refundSeats(let count, let id): try refundSeats(count, of: id, at: date)
            }
        lastEvent = date
        return notification
    }

    /// A notification about one of the transactions, with the whole state of the life.
    func notification(
        _ type: String, _ subtype: String? = nil, about transaction: SimulatedTransaction? = nil, at date: Date
    ) -> SimulatedNotification {
        var notification = SimulatedNotification(type, subtype: subtype, about: transaction ?? current, date: date)
        notification.renewalInfo = renewalInfo(at: date)
        notification.status = status(at: date)
        return notification
    }

    func require(_ condition: Bool, _ objection: String) throws(Impossible) {
        guard condition else { throw Impossible(objection) }
    }

    /// Whether the customer has what was paid for, or is being asked for the money.
    func isRunning(at date: Date) -> Bool {
        [.active, .gracePeriod, .billingRetry].contains(status(at: date))
    }
}
