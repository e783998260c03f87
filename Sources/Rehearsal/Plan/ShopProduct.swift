// SPDX-License-Identifier: Apache-2.0

package import AppStoreSimulator

/// What each app sells; the raw value is the product id.
package enum ShopProduct: String, CaseIterable, Sendable {
    case coins = "coins.100"
    case chest = "coins.1000"
    case unlock = "unlock.everything"
    case pass = "season.pass"
    case pro = "pro.monthly"
    /// The dearer plan of the same subscription.
    case premium = "premium.monthly"
    /// Of the same rank as the first plan.
    case sport = "sport.monthly"
    /// A year that is paid for month by month.
    case yearly = "pro.yearly"
    /// Consumable, and nobody told us of it.
    case gems = "gems.20"

    package var productID: String { rawValue }

    /// The kind that it is of, in the schema's words.
    package var kind: String {
        switch self {
        case .coins, .chest, .gems: "consumable"
        case .unlock: "non_consumable"
        case .pass: "non_renewing"
        case .pro, .premium, .sport, .yearly: "auto_renewable"
        }
    }

    /// The kind that the app's products are listed with; nil when the product isn't listed.
    package var listedKind: String? {
        self == .gems ? nil : kind
    }

    package var type: SimulatedProductType {
        switch self {
        case .coins, .chest, .gems: .consumable
        case .unlock: .nonConsumable
        case .pass: .nonRenewing
        case .pro, .premium, .sport, .yearly: .autoRenewable
        }
    }

    package static let listed = allCases.filter { $0.listedKind != nil }
}
