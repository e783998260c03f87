// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

extension AppStoreSimulator {
    /// Begins a life in the simulated store: its transactions are remembered, calls and receipts know of it, and Apple tells the
    /// app of the first purchase.
    ///
    /// - Parameter isTold: false leaves it to the caller to send the notification, or to lose it.
    /// - Returns: the notification of the first purchase.
    @discardableResult
    package func begin(_ life: SimulatedSubscription, isTold: Bool = true) throws -> SimulatedNotification {
        remember(life.transactions)
        subscriptions.add(life)
        let introduction = life.introduction
        if isTold { try send(introduction) }
        return introduction
    }

    /// Lets something happen to a subscription of the simulated store, and tells its app.
    ///
    /// - Parameters:
    ///   - originalID: of a life that was begun.
    ///   - isTold: false leaves it to the caller to send the notification, or to lose it.
    /// - Returns: the notification of the event.
    /// - Throws: ``SimulatedSubscription/Impossible``, also for an unknown subscription.
    @discardableResult
    package func apply(
        _ event: SubscriptionEvent, to originalID: String, at date: Date = Date(), isTold: Bool = true
    ) throws -> SimulatedNotification {
        guard let life = subscriptions.life(originalID),
            let change = try subscriptions.apply(
                event, to: originalID,
                in: ServerAPIBook.Scope(bundleID: life.bundleID, environment: life.environment), at: date)
        else { throw SimulatedSubscription.Impossible("no such subscription") }
        remember(change.transactions)
        if isTold { try send(change.notification) }
        return change.notification
    }

    /// A life that was begun, as it is now.
    package func subscription(_ originalID: String) -> SimulatedSubscription? {
        subscriptions.life(originalID)
    }

    /// What shops have told of purchases for which a refund was asked, in the order of the calls.
    package var consumptionReports: [ConsumptionReport] {
        reports.consumptions
    }
}
