// SPDX-License-Identifier: Apache-2.0

package import AppStoreSimulator
package import FoundationEssentials

/// The life of a subscription at the simulated App Store. It began some days before it is played; its ids are drawn from a seed, so
/// that the plan knows them.
package struct PlannedLife: Equatable, Sendable {
    /// Who has the subscription, as the shop has to know it.
    package enum Owner: Equatable, Sendable {
        case account(String)
        /// The shop may know nothing of the subscription.
        case unknown
    }

    /// Something that befalls it, so many seconds before it is played.
    package struct Event: Equatable, Sendable {
        package var event: SubscriptionEvent
        package var age: TimeInterval

        /// When it happens where the life is played at `now`. Events of now come one after the other.
        func moment(at now: Date, _ place: Int) -> Date {
            now.addingTimeInterval(age > 0 ? -age : Double(place) * 0.01)
        }
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
    package private(set) var originalTransactionID = ""

    package init(
        app: ShopApp, environment: SimulatedEnvironment, product: ShopProduct, token: UUID?, ownership: String, seats: Int?,
        age: TimeInterval, seed: UInt64, owner: Owner
    ) {
        self.app = app
        self.environment = environment
        self.product = product
        self.token = token
        self.ownership = ownership
        self.seats = seats
        self.age = age
        self.seed = seed
        self.owner = owner
        originalTransactionID = begun(.distantPast).originalTransactionID
    }

    /// The life at its beginning.
    package func begun(_ now: Date) -> SimulatedSubscription {
        SimulatedSubscription(
            product.plan, bundleID: app.bundleID, environment: environment, token: token, ownership: ownership, seats: seats,
            at: now.addingTimeInterval(-age), seed: seed)
    }

    /// The life after all that befalls it.
    package func lived(_ now: Date) throws -> SimulatedSubscription {
        var life = begun(now)
        for (place, event) in events.enumerated() { try life.apply(event.event, at: event.moment(at: now, place)) }
        return life
    }
}

extension Purchase {
    /// What the App Store has on record of transactions, by their numbers.
    package func payments(_ transactions: [SimulatedTransaction]) -> [Int: PlayRecord.Payment] {
        var payments: [Int: PlayRecord.Payment] = [:]
        for made in transactions {
            guard let number = self.transactions.firstIndex(where: { $0.id == made.transactionId }) else { continue }
            payments[number] = PlayRecord.Payment(purchaseDate: made.purchaseDate, expiresDate: made.expiresDate)
        }
        return payments
    }

    /// As ``payments(_:)``, after all that befalls a life.
    package func payments(of life: PlannedLife, at now: Date) throws -> [Int: PlayRecord.Payment] {
        payments(try life.lived(now).transactions)
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
