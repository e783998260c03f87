// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials

/// What the simulated App Store does with the lives of a purchase.
extension Device {
    /// Begins a life.
    ///
    /// - Returns: what the App Store has on record of its transactions, by their numbers.
    package mutating func begin(_ number: Int) throws -> [Int: PlayRecord.Payment] {
        let life = purchase.lives[number].begun(moment())
        try simulator.begin(life, isTold: false)
        return take(life.transactions)
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
        let original = planned.begun(.now).originalTransactionID
        let notification = try simulator.apply(
            event.event, to: original, at: event.age > 0 ? Date().addingTimeInterval(-event.age) : moment(), isTold: false)
        if isHeldUp { hold(notification) } else { try simulator.send(notification) }
        let about = purchase.transactions.firstIndex { $0.id == notification.transaction?.transactionId }
        return (about, take(simulator.subscription(original)?.transactions ?? []))
    }

    /// From now on the client shows these as they are.
    private mutating func take(_ transactions: [SimulatedTransaction]) -> [Int: PlayRecord.Payment] {
        var payments: [Int: PlayRecord.Payment] = [:]
        for var made in transactions {
            guard let number = purchase.transactions.firstIndex(where: { $0.id == made.transactionId }) else { continue }
            payments[number] = PlayRecord.Payment(purchaseDate: made.purchaseDate, expiresDate: made.expiresDate)
            made.signedDate = moment()
            hold(made, as: number)
        }
        return payments
    }
}
