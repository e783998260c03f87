// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Payments by Apple's server, and the end.
extension SimulatedSubscription {
    mutating func renew(at date: Date) throws(Impossible) -> SimulatedNotification {
        try require(renews, "it doesn't renew")
        try require(!current.isWhollyRevoked, "the current period is refunded")
        try require(failure == nil, "a payment has failed: it recovers")
        try require(date >= end.addingTimeInterval(-Self.longestLead), "the period hasn't nearly ended")
        addRenewal(from: end, at: date)
        return notification("DID_RENEW", at: date)
    }

    mutating func failToRenew(grace: TimeInterval?, at date: Date) throws(Impossible) -> SimulatedNotification {
        try require(renews && !current.isWhollyRevoked, "it doesn't renew")
        try require(failure == nil, "a payment has failed already")
        try require(date >= end, "the period hasn't ended")
        failure = Failure(graceEnd: grace.map { end.addingTimeInterval($0) })
        return notification("DID_FAIL_TO_RENEW", grace == nil ? nil : "GRACE_PERIOD", at: date)
    }

    mutating func endGrace(at date: Date) throws(Impossible) -> SimulatedNotification {
        try require(failure?.graceEnd.map { $0 <= date } ?? false, "no grace is over")
        failure?.graceEnd = nil
        return notification("GRACE_PERIOD_EXPIRED", at: date)
    }

    mutating func recover(at date: Date) throws(Impossible) -> SimulatedNotification {
        guard let failure else { throw Impossible("no payment has failed") }
        let isInGrace = failure.graceEnd.map { date < $0 } ?? false
        self.failure = nil
        addRenewal(from: isInGrace ? end : date, at: date)
        return notification("DID_RENEW", "BILLING_RECOVERY", at: date)
    }

    mutating func expire(_ intent: ExpirationIntent?, at date: Date) throws(Impossible) -> SimulatedNotification {
        try require(date >= end, "the period hasn't ended")
        try require(!current.isWhollyRevoked, "the current period is refunded")
        try require(expirationIntent == nil, "it has ended already")
        let known = failure != nil ? .billingError : renews ? nil : ExpirationIntent.cancelled
        guard let intent = intent ?? known else { throw Impossible("it renews: a reason for its end is needed") }
        expirationIntent = intent
        failure = nil
        renews = false
        return notification("EXPIRED", intent.subtype, at: date)
    }

    /// A year that is paid for month by month goes on to its end: only its own renewal is turned off.
    mutating func turnRenewal(on isOn: Bool, at date: Date) throws(Impossible) -> SimulatedNotification {
        try require(isRunning(at: date), "it has ended")
        let isCommitted = current.commitment.map { $0.number < $0.total } ?? false
        try require((isCommitted ? commitmentRenews : renews) != isOn, "it is so already")
        commitmentRenews = isOn
        if !isCommitted { renews = isOn }
        return notification("DID_CHANGE_RENEWAL_STATUS", isOn ? "AUTO_RENEW_ENABLED" : "AUTO_RENEW_DISABLED", at: date)
    }

    private mutating func addRenewal(from begin: Date, at date: Date) {
        if let price = priceIncrease?.price { nextPlan.price = price }
        priceIncrease = nil
        plan = nextPlan
        addPeriod(from: begin, reason: "RENEWAL", at: date)
        // The last payment of a year that isn't to be followed by another.
        if let commitment = current.commitment, commitment.number == commitment.total, !commitmentRenews { renews = false }
    }
}
