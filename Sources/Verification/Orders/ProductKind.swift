// SPDX-License-Identifier: Apache-2.0

/// What sort of product was bought. It decides the grant key.
package enum ProductKind: String, Hashable, Sendable, CaseIterable {
    case consumable
    case nonConsumable = "non_consumable"
    case nonRenewing = "non_renewing"
    case autoRenewable = "auto_renewable"

    /// Whether restores repeat a payment under new transaction ids, so that the original id names the payment.
    package var isKeyedByOriginal: Bool {
        switch self {
        case .nonConsumable, .nonRenewing: true
        case .consumable, .autoRenewable: false
        }
    }
}
