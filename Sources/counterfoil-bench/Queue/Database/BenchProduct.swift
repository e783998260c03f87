// SPDX-License-Identifier: Apache-2.0

import Verification

/// What the bench sells.
enum BenchProduct: String, CaseIterable {
    /// Each transaction is a payment.
    case coins
    /// Bought for good: restores show its payment under other ids, so that it has a key.
    case map

    var kind: ProductKind {
        switch self {
        case .coins: .consumable
        case .map: .nonConsumable
        }
    }
}
