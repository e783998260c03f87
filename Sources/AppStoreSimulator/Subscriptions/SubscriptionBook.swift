// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization

/// The lives of subscriptions in the simulated store.
///
/// What a life's transactions are is written down in the records of the App Store Server API, too, and may change there. A
/// subscription whose life nobody plays has one that is made of its transactions.
final class SubscriptionBook: Sendable {
    /// What an event has changed.
    struct Change: Sendable {
        var notification: SimulatedNotification
        /// The transactions that are new or other than before.
        var transactions: [SimulatedTransaction]
    }

    private let records: ServerAPIBook
    private let lives = Mutex<[String: SimulatedSubscription]>([:])

    init(records: ServerAPIBook) {
        self.records = records
    }

    /// Begins a life, or replaces that with the same original id.
    func add(_ life: SimulatedSubscription) {
        lives.withLock { $0[life.originalTransactionID] = life }
    }

    /// The life of a subscription as it is now; nil where a call may not see it.
    func life(_ originalID: String, in scope: ServerAPIBook.Scope, at now: Date) -> SimulatedSubscription? {
        let known = records.transactions(originalID: originalID, in: scope)
        return lives.withLock { Self.life($0[originalID], known, in: scope, at: now) }
    }

    /// The life that was begun, as it is now.
    func life(_ originalID: String) -> SimulatedSubscription? {
        guard let life = lives.withLock({ $0[originalID] }) else { return nil }
        let scope = ServerAPIBook.Scope(bundleID: life.bundleID, environment: life.environment)
        return self.life(originalID, in: scope, at: life.lastEvent)
    }

    /// Lets something happen to a subscription, which has a life from then on. Nil where there is none.
    func apply(
        _ event: SubscriptionEvent, to originalID: String, in scope: ServerAPIBook.Scope, at date: Date
    ) throws(SimulatedSubscription.Impossible) -> Change? {
        let known = records.transactions(originalID: originalID, in: scope)
        return try lives.withLock { lives throws(SimulatedSubscription.Impossible) -> Change? in
            guard var life = Self.life(lives[originalID], known, in: scope, at: date) else { return nil }
            let before = life.transactions
            let notification = try life.apply(event, at: date)
            lives[originalID] = life
            return Change(notification: notification, transactions: life.transactions.filter { !before.contains($0) })
        }
    }

    private static func life(
        _ life: SimulatedSubscription?, _ known: [SimulatedTransaction], in scope: ServerAPIBook.Scope, at now: Date
    ) -> SimulatedSubscription? {
        guard var life else { return SimulatedSubscription(of: known, at: now) }
        guard scope.covers(life.current) else { return nil }
        life.update(known)
        return life
    }
}
