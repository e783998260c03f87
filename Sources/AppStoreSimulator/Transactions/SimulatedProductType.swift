// SPDX-License-Identifier: Apache-2.0

/// A product type in Apple's spelling; any other text is possible, as Apple may add one.
package struct SimulatedProductType: RawRepresentable, Hashable, Codable, Sendable {
    package static let consumable = Self(rawValue: "Consumable")
    package static let nonConsumable = Self(rawValue: "Non-Consumable")
    package static let nonRenewing = Self(rawValue: "Non-Renewing Subscription")
    package static let autoRenewable = Self(rawValue: "Auto-Renewable Subscription")

    package var rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The number that stands for the type in an app receipt (attribute 1707, undocumented); nil for an unknown type.
    var receiptNumber: Int64? {
        switch self {
        case .nonConsumable: 0
        case .consumable: 1
        case .nonRenewing: 2
        case .autoRenewable: 3
        default: nil
        }
    }
}
