// SPDX-License-Identifier: Apache-2.0

package import AppStoreSimulator
package import FoundationEssentials

/// The life of a subscription at the simulated App Store. It began some days before it is played; its ids are drawn from a seed, so
/// that the plan knows them.
package struct PlannedLife: Equatable, Sendable {
    /// Who has the subscription, as the shop has to know it.
    package enum Owner: Equatable, Sendable {
        case account(String)
        /// The shop knows of the subscription, and not whose it is.
        case nobody
        /// Nobody judges it: the shop takes nothing of it, or nobody of the shop paid for it.
        case unjudged
    }

    /// Something that befalls it, so many seconds before it is played.
    package struct Event: Equatable, Sendable {
        package var event: SubscriptionEvent
        package var age: TimeInterval
    }

    package var app: ShopApp
    package var environment: SimulatedEnvironment
    package var product: ShopProduct
    package var token: UUID?
    package var ownership: String
    package var seats: Int?
    /// Seconds since its beginning.
    package var age: TimeInterval
    package var seed: UInt64
    package var events: [Event] = []
    package var owner: Owner

    /// The life at its beginning.
    package func begun(_ now: Date) -> SimulatedSubscription {
        SimulatedSubscription(
            product.plan, bundleID: app.bundleID, environment: environment, token: token, ownership: ownership, seats: seats,
            at: now.addingTimeInterval(-age), seed: seed)
    }
}

extension ShopProduct {
    /// As the shop has set it up with Apple; a product that is no subscription is sold as if it was one.
    package var plan: SimulatedPlan {
        switch self {
        case .premium: SimulatedPlan(productID, level: 1, price: 19_990)
        case .yearly: SimulatedPlan(productID, level: 2, price: 7990, payments: 12)
        default: SimulatedPlan(productID, level: 2)
        }
    }
}
