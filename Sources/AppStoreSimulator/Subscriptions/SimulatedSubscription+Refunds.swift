// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Refunds, and what is shared.
extension SimulatedSubscription {
    func askForRefund(
        of id: String?, _ reason: String?, at date: Date
    ) throws(Impossible) -> SimulatedNotification {
        var asked = notification("CONSUMPTION_REQUEST", about: try standing(id), at: date)
        asked.consumptionRequestReason = reason
        return asked
    }

    func declineRefund(of id: String?, at date: Date) throws(Impossible) -> SimulatedNotification {
        notification("REFUND_DECLINED", about: try standing(id), at: date)
    }

    mutating func refund(
        of id: String?, part: Int?, reason: Int, at date: Date
    ) throws(Impossible) -> SimulatedNotification {
        let place = try place(of: try standing(id))
        if let part { try require((1...99_999).contains(part), "a part is from 1 to 99,999 thousandths of a percent") }
        transactions[place].revoke(at: date, reason: reason, type: part == nil ? "REFUND_FULL" : "REFUND_PRORATED", part: part)
        if part == nil, place == currentPlace { stop() }
        return notification("REFUND", about: transactions[place], at: date)
    }

    /// What renewed before doesn't by a reversal.
    mutating func reverseRefund(of id: String?, at date: Date) throws(Impossible) -> SimulatedNotification {
        guard let refunded = transaction(id), refunded.revocationDate != nil else { throw Impossible("nothing is refunded") }
        let place = try place(of: refunded)
        transactions[place].reinstate()
        return notification("REFUND_REVERSED", about: transactions[place], at: date)
    }

    mutating func revoke(at date: Date) throws(Impossible) -> SimulatedNotification {
        try require(current.inAppOwnershipType != "PURCHASED", "what was paid for is refunded, not revoked")
        try require(!current.isWhollyRevoked, "it is revoked already")
        transactions[currentPlace].revoke(at: date, reason: 0, type: "FAMILY_REVOKE", part: nil)
        stop()
        return notification("REVOKE", at: date)
    }

    mutating func addSeats(_ count: Int, at date: Date) throws(Impossible) -> SimulatedNotification {
        guard let seats, count > 0, status(at: date) == .active else { throw Impossible("no seats can be added") }
        var added = current
        added.transactionId = SimulatedTransaction.makeTransactionID(in: environment, using: &generator)
        if !addedSeatsShareLineItem {
            added.webOrderLineItemId = SimulatedTransaction.makeLineItemID(in: environment, using: &generator)
        }
        added.purchaseDate = date
        added.signedDate = date
        added.quantity = count
        added.transactionReason = "PURCHASE"
        added.revokedSeatQuantity = nil
        added.additionalTransactionReason = "SEAT_ADDITION"
        transactions[currentPlace].additionalTransactionReason = "SEAT_ADDITION"
        transactions.append(added)
        self.seats = seats + count
        return notification("DID_CHANGE_RENEWAL_PREF", "INCREASE_QUANTITY", about: added, at: date)
    }

    mutating func dropSeats(_ count: Int, at date: Date) throws(Impossible) -> SimulatedNotification {
        guard let seats, (1..<seats).contains(count), renews else { throw Impossible("so many seats can't be dropped") }
        self.seats = seats - count
        return notification("DID_CHANGE_RENEWAL_PREF", "DECREASE_QUANTITY", at: date)
    }

    mutating func refundSeats(
        _ count: Int, of id: String?, at date: Date
    ) throws(Impossible) -> SimulatedNotification {
        let refunded = try standing(id)
        let before = refunded.revokedSeatQuantity ?? 0
        guard refunded.invitationManagement != nil, count > 0, before + count <= refunded.quantity else {
            throw Impossible("so many seats can't be refunded")
        }
        let place = try place(of: refunded)
        transactions[place].revokedSeatQuantity = before + count
        if before + count == refunded.quantity {
            transactions[place].revoke(at: date, reason: 0, type: "REFUND_FULL", part: nil)
            if place == currentPlace { stop() }
        }
        return notification("REFUND", "SEATS", about: transactions[place], at: date)
    }

    /// A transaction that isn't refunded as a whole.
    private func standing(_ id: String?) throws(Impossible) -> SimulatedTransaction {
        guard let found = transaction(id), !found.isWhollyRevoked else { throw Impossible("no such transaction stands") }
        return found
    }

    private func place(of transaction: SimulatedTransaction) throws(Impossible) -> Int {
        guard let place = transactions.firstIndex(where: { $0.transactionId == transaction.transactionId }) else {
            throw Impossible("no such transaction")
        }
        return place
    }

    /// Nothing follows the current period.
    private mutating func stop() {
        renews = false
        commitmentRenews = false
        failure = nil
        expirationIntent = nil
    }
}

extension SimulatedTransaction {
    /// Takes a part of it back, in thousandths of a percent, or the whole.
    mutating func revoke(at date: Date, reason: Int, type: String, part: Int?) {
        revocationDate = date
        revocationReason = reason
        revocationType = type
        revocationPercentage = part ?? 100_000
    }

    /// Gives it back as if nothing had been refunded.
    mutating func reinstate() {
        revocationDate = nil
        revocationReason = nil
        revocationType = nil
        revocationPercentage = nil
        revokedSeatQuantity = nil
    }
}
