// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import Verification

/// Which of a customer's transactions a history shows, and in which order. Filters that are not set let everything pass.
package struct HistoryQuery: Hashable, Sendable {
    /// By the time of the last change.
    package enum Order: String, Hashable, Sendable {
        case oldestFirst = "ASCENDING"
        case newestFirst = "DESCENDING"
    }

    package var order = Order.oldestFirst

    /// Purchased at this moment or later.
    package var startDate: Date?

    /// Purchased before this moment.
    package var endDate: Date?

    package var productIDs: [ProductID] = []
    package var productKinds: [ProductKind] = []
    package var subscriptionGroupIDs: [String] = []
    package var ownership: Transaction.Ownership?

    /// Only what was taken back, or only what wasn't.
    package var isRevoked: Bool?

    package init() {}

    /// The filters under Apple's names; the same at every page, or Apple refuses the position.
    var items: [(name: String, value: String)] {
        var items: [(name: String, value: String)] = [("sort", order.rawValue)]
        if let startDate { items.append(("startDate", String(AppleTime.milliseconds(of: startDate, .down)))) }
        if let endDate { items.append(("endDate", String(AppleTime.milliseconds(of: endDate, .up)))) }
        items += productIDs.map { ("productId", $0.rawValue) }
        items += productKinds.map { ("productType", $0.filterName) }
        items += subscriptionGroupIDs.map { ("subscriptionGroupIdentifier", $0) }
        if let name = ownership?.appleName { items.append(("inAppOwnershipType", name)) }
        if let isRevoked { items.append(("revoked", isRevoked ? "true" : "false")) }
        return items
    }
}

extension ProductKind {
    /// Apple's name for it in a history's filter, which isn't the one in a payload.
    fileprivate var filterName: String {
        switch self {
        case .consumable: "CONSUMABLE"
        case .nonConsumable: "NON_CONSUMABLE"
        case .nonRenewing: "NON_RENEWABLE"
        case .autoRenewable: "AUTO_RENEWABLE"
        }
    }
}
