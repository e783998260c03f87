// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// A plan of a subscription, as a shop has set it up with Apple.
package struct SimulatedPlan: Sendable, Equatable {
    package static let month: TimeInterval = 30 * 86_400

    package var productID: String
    /// Seconds from one payment to the next. In the sandbox it may be minutes, as with Apple.
    package var length: TimeInterval
    /// The rank in its group: a lower number is a dearer plan.
    package var level: Int
    /// Of a payment, in thousandths of the currency unit; for several seats that of one.
    package var price: Int64
    /// How many payments a commitment has: 12 for a year that is paid for month by month. Nil: each payment stands alone.
    package var payments: Int?

    package init(
        _ productID: String, length: TimeInterval = month, level: Int = 1, price: Int64 = 9990, payments: Int? = nil
    ) {
        self.productID = productID
        self.length = length
        self.level = level
        self.price = price
        self.payments = payments
    }

    /// Whether Apple begins another plan at once for who has this one: a dearer one, or one of the same rank and length. Any other
    /// begins with the next renewal.
    func givesWayAtOnce(to other: SimulatedPlan) -> Bool {
        other.level < level || (other.level == level && other.length == length)
    }

    /// In Apple's words.
    var billingPlanType: String { payments == nil ? "BILLED_UPFRONT" : "MONTHLY" }
}

/// A lower price for one payment or several.
package struct SimulatedOffer: Sendable, Equatable {
    /// Apple's number: 1 introductory, 2 promotional, 3 by code, 4 to win a customer back.
    package var type: Int
    package var identifier: String?
    /// In Apple's words: `FREE_TRIAL`, `PAY_AS_YOU_GO`, `PAY_UP_FRONT`.
    package var discountType: String
    /// In ISO 8601: `P1W`.
    package var period: String
    package var price: Int64
    /// Seconds that a payment at this price lasts; nil: as long as the plan's.
    package var length: TimeInterval?
    /// For how many payments it counts.
    package var payments: Int

    package init(
        type: Int, identifier: String? = nil, discountType: String, period: String, price: Int64 = 0,
        length: TimeInterval? = nil, payments: Int = 1
    ) {
        self.type = type
        self.identifier = identifier
        self.discountType = discountType
        self.period = period
        self.price = price
        self.length = length
        self.payments = payments
    }

    /// A week for nothing.
    package static let freeWeek = SimulatedOffer(
        type: 1, discountType: "FREE_TRIAL", period: "P1W", length: 7 * 86_400)
}
