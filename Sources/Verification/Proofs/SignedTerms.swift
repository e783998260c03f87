// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// What Apple signed of a purchase beside its price, for the shop to read: nothing is decided by it.
///
/// It is kept as it is read: an object of JSON. The view `purchase_terms` has its members as columns.
package struct SignedTerms: Hashable, Sendable {
    package let json: String

    /// - Parameters:
    ///   - storefront: of the App Store, as a country's three letters.
    ///   - offerType: Apple's number.
    ///   - offerPeriod: a duration in ISO 8601.
    ///   - payment: which of the payments of a commitment it is, and of how many.
    ///   - hasSeats: whether the quantity counts seats.
    /// - Returns: nil where nothing is named. A text that is longer than 100 characters, or can't be printed, is the same as none.
    package init?(
        storefront: String? = nil, offerType: Int? = nil, offerID: String? = nil, offerPeriod: String? = nil,
        offerDiscount: String? = nil, billingPlan: String? = nil, payment: (number: Int?, count: Int?) = (nil, nil),
        commitmentEndsAt: Date? = nil, hasSeats: Bool = false
    ) {
        var members: [String] = []
        func add(_ name: StaticString, _ text: String?) {
            guard let text, !text.isEmpty, text.count <= 100, let quoted = Self.quoted(text) else { return }
            members.append("\"\(name)\":\(quoted)")
        }
        func add(_ name: StaticString, _ number: Int?) {
            if let number { members.append("\"\(name)\":\(number)") }
        }
        add("storefront", storefront)
        add("offer_type", offerType)
        add("offer_id", offerID)
        add("offer_period", offerPeriod)
        add("offer_discount", offerDiscount)
        add("billing_plan", billingPlan)
        add("payment_number", payment.number)
        add("payment_count", payment.count)
        add("commitment_ends_at", commitmentEndsAt.map { Int($0.timeIntervalSince1970 * 1000) })
        if hasSeats { members.append("\"has_seats\":true") }
        guard !members.isEmpty else { return nil }
        json = "{\(members.joined(separator: ","))}"
    }

    /// Nil for a text with a character that JSON would have to escape by its number.
    private static func quoted(_ text: String) -> String? {
        guard text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else { return nil }
        guard text.contains(where: { $0 == "\"" || $0 == "\\" }) else { return "\"\(text)\"" }
        return "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
    }
}
