// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials

/// A life whose events come at days after its beginning, with the notifications so far.
struct Life {
    static let begin = Date(timeIntervalSince1970: 1_769_850_000)
    /// The plans of a group: the dearest first.
    static let gold = SimulatedPlan("gold", level: 1, price: 19_990)
    static let silver = SimulatedPlan("silver", level: 2, price: 9990)
    static let tin = SimulatedPlan("tin", level: 2, price: 8990)
    static let silverYear = SimulatedPlan("silver.year", length: 365 * 86_400, level: 2, price: 99_990)
    static let bronze = SimulatedPlan("bronze", level: 3, price: 4990)

    private(set) var subscription: SimulatedSubscription
    private(set) var told: [SimulatedNotification]

    init(_ subscription: SimulatedSubscription) {
        self.subscription = subscription
        told = [subscription.introduction]
    }

    init(_ plan: SimulatedPlan = silver, token: UUID? = nil, offer: SimulatedOffer? = nil, seats: Int? = nil) {
        self.init(SimulatedSubscription(plan, token: token, offer: offer, seats: seats, at: Self.begin, seed: 7))
    }

    @discardableResult
    mutating func play(
        _ event: SubscriptionEvent, on day: Double
    ) throws(SimulatedSubscription.Impossible) -> SimulatedNotification {
        let notification = try subscription.apply(event, at: Self.day(day))
        told.append(notification)
        return notification
    }

    /// Types and subtypes of the notifications so far.
    var words: [String] {
        told.map { one in one.notificationType + (one.subtype.map { " " + $0 } ?? "") }
    }

    func status(on day: Double) -> SubscriptionStatus { subscription.status(at: Self.day(day)) }
    func renewalInfo(on day: Double) -> SimulatedRenewalInfo { subscription.renewalInfo(at: Self.day(day)) }

    /// When each period begins and ends, in days, in the order of purchases.
    var periods: [ClosedRange<Double>] {
        subscription.transactions.map { one in
            Self.days(one.purchaseDate)...Self.days(one.expiresDate ?? one.purchaseDate)
        }
    }

    static func day(_ number: Double) -> Date { begin.addingTimeInterval(number * 86_400) }
    static func days(_ date: Date) -> Double { date.timeIntervalSince(begin) / 86_400 }
}
