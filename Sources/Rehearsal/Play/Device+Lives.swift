// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials

/// What the simulated App Store does with the lives of a purchase.
extension Device {
    /// Begins a life. Apple's word of it is kept for ``introduce(_:)``.
    ///
    /// - Returns: what the App Store has on record of its transactions, by their numbers.
    package mutating func begin(_ number: Int) throws -> [Int: PlayRecord.Payment] {
        let life = purchase.lives[number].begun(moment())
        introductions[number] = try simulator.begin(life, isTold: false)
        return take(life.transactions)
    }

    /// Apple tells of the first purchase of a life, as it was then.
    ///
    /// - Returns: the number of that transaction.
    package mutating func introduce(_ number: Int) throws -> Int? {
        guard let notification = introductions[number] else { return nil }
        try send(notification)
        return self.number(of: notification)
    }

    /// Lets an event of a life happen.
    ///
    /// - Parameter isHeldUp: whether Apple's notification of it arrives only with ``letThrough()``.
    /// - Returns: the number of the transaction that the notification is about; and what the App Store has on record of the
    ///   transactions, by their numbers.
    package mutating func befall(
        _ number: Int, _ place: Int, isHeldUp: Bool
    ) throws -> (about: Int?, payments: [Int: PlayRecord.Payment]) {
        let planned = purchase.lives[number]
        let event = planned.events[place]
        let original = planned.originalTransactionID
        let notification = try simulator.apply(
            event.event, to: original, at: event.age > 0 ? Date().addingTimeInterval(-event.age) : moment(), isTold: false)
        if isHeldUp { hold(notification) } else { try send(notification) }
        return (self.number(of: notification), take(simulator.subscription(original)?.transactions ?? []))
    }

    private func number(of notification: SimulatedNotification) -> Int? {
        purchase.transactions.firstIndex { $0.id == notification.transaction?.transactionId }
    }

    /// From now on the client shows these as they are.
    private mutating func take(_ transactions: [SimulatedTransaction]) -> [Int: PlayRecord.Payment] {
        for var made in transactions {
            guard let number = purchase.transactions.firstIndex(where: { $0.id == made.transactionId }) else { continue }
            made.signedDate = moment()
            hold(made, as: number)
        }
        return purchase.payments(transactions)
    }
}
