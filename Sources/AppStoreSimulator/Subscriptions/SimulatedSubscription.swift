// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// The life of a subscription, and what Apple says of it: its transactions, its renewal info, its status, and a notification of
/// each event.
///
/// A value without clock and network: ``apply(_:at:)`` takes an event and its moment. Events come in the order of time. All ids are
/// drawn from a seed, so that the same events make the same life.
package struct SimulatedSubscription: Sendable {
    /// An event that this life can't have now.
    package struct Impossible: Error, Equatable, CustomStringConvertible {
        package let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    /// What was not paid.
    struct Failure: Sendable, Equatable {
        /// Until when the customer has access all the same.
        var graceEnd: Date?
    }

    /// A higher price from the next renewal on.
    struct PriceIncrease: Sendable, Equatable {
        var price: Int64
        var isAccepted: Bool
    }

    /// The longest gap between two periods that are one row to Apple.
    static let longestGap: TimeInterval = 60 * 86_400
    /// Apple signs a renewal at most so long before the period begins.
    static let longestLead: TimeInterval = 86_400

    /// In the order of purchases, as they are now.
    package internal(set) var transactions: [SimulatedTransaction]
    /// That of the current period.
    package internal(set) var plan: SimulatedPlan
    /// That of the next renewal.
    package internal(set) var nextPlan: SimulatedPlan
    package internal(set) var renews = true
    /// Offers by which Apple thinks that the customer could be won back.
    package var winBackOffers: [String] = []
    /// Whether added seats bear the line item of their period. What Apple does isn't known.
    package var addedSeatsShareLineItem = false

    var token: UUID?
    /// Where the current period stands in ``transactions``.
    var currentPlace = 0
    var recentStart: Date
    var failure: Failure?
    var expirationIntent: ExpirationIntent?
    var offer: SimulatedOffer?
    /// For how many further payments the offer counts.
    var offeredPayments = 0
    var priceIncrease: PriceIncrease?
    /// Whether a plan that is paid for month by month begins a further year.
    var commitmentRenews = true
    /// Seats at the next renewal; nil: it isn't a purchase for several.
    var seats: Int?
    var lastEvent: Date
    var generator: SeededGenerator

    /// A customer subscribes.
    ///
    /// - Parameters:
    ///   - ownership: in Apple's words: who has a seat or belongs to a family paid nothing.
    ///   - end: when the first period ends; nil: by the plan. A member's period ends with the purchaser's.
    ///   - seats: how many seats are bought; nil: it isn't a purchase for several.
    ///   - seed: of all ids.
    package init(
        _ plan: SimulatedPlan, bundleID: String = "com.example.app", environment: SimulatedEnvironment = .production,
        token: UUID? = nil, customer: String? = nil, ownership: String = "PURCHASED", offer: SimulatedOffer? = nil,
        end: Date? = nil, seats: Int? = nil, group: String = "20990001", at date: Date = Date(),
        seed: UInt64 = .random(in: .min ... .max)
    ) {
        var generator = SeededGenerator(seed: seed)
        var first = SimulatedTransaction(
            productId: plan.productID, bundleId: bundleID, type: .autoRenewable, environment: environment,
            quantity: seats ?? 1, purchaseDate: date,
            transactionId: SimulatedTransaction.makeTransactionID(in: environment, using: &generator), appAccountToken: token)
        first.appTransactionId = customer ?? SimulatedTransaction.makeAppTransactionID(using: &generator)
        first.inAppOwnershipType = ownership
        first.subscriptionGroupIdentifier = group
        transactions = []
        self.plan = plan
        nextPlan = plan
        self.token = token
        self.seats = seats
        recentStart = date
        lastEvent = date
        self.generator = generator
        begin(offer)
        complete(&first)
        if let end { first.expiresDate = end }
        transactions = [first]
    }

    /// A life of which nothing is known but its transactions, all of one original: one that runs will be renewed, one that ended
    /// was cancelled by the customer. Nil without a transaction.
    package init?(of transactions: [SimulatedTransaction], at date: Date) {
        let sorted = transactions.sorted { ($0.purchaseDate, $0.transactionId) < ($1.purchaseDate, $1.transactionId) }
        guard let newest = sorted.last else { return nil }
        self.transactions = sorted
        currentPlace = sorted.lastIndex { $0.additionalTransactionReason == nil } ?? sorted.count - 1
        let current = sorted[currentPlace]
        let end = current.expiresDate ?? current.purchaseDate.addingTimeInterval(SimulatedPlan.month)
        plan = SimulatedPlan(
            current.productId, length: max(1, end.timeIntervalSince(current.purchaseDate)), price: current.price ?? 0)
        nextPlan = plan
        token = newest.appAccountToken
        renews = end > date && !current.isWhollyRevoked
        expirationIntent = end > date || current.isWhollyRevoked ? nil : .cancelled
        recentStart = sorted[0].purchaseDate
        lastEvent = newest.signedDate
        generator = SeededGenerator(seed: UInt64(newest.transactionId) ?? 1)
    }

    package var originalTransactionID: String { transactions.first?.originalTransactionId ?? "" }

    /// The newest period; a renewal that is signed already may begin later.
    package var current: SimulatedTransaction { transactions[currentPlace] }

    package var bundleID: String { current.bundleId }
    package var environment: SimulatedEnvironment { current.environment }
    /// When the newest period ends. What comes to pass by a notification alone, such as the end, doesn't move it.
    package var end: Date { current.expiresDate ?? current.purchaseDate }

    /// Apple's status at a moment.
    package func status(at date: Date) -> SubscriptionStatus {
        if current.isWhollyRevoked { return .revoked }
        if date < end { return .active }
        guard let failure else { return .expired }
        return failure.graceEnd.map { date < $0 } ?? false ? .gracePeriod : .billingRetry
    }

    /// The transaction with an id; the current period's where no id is named.
    package func transaction(_ id: String?) -> SimulatedTransaction? {
        guard let id else { return current }
        return transactions.first { $0.transactionId == id }
    }

    /// The life of a member of the purchaser's family, or of who holds one of the seats: transactions and ids of its own, without a
    /// price and without the token, up to the end of the current period. What becomes of it are events of its own.
    ///
    /// - Parameters:
    ///   - ownership: `FAMILY_SHARED`, or `ASSIGNED` for a seat.
    ///   - customer: the member's Apple Account in the app.
    package func member(
        _ ownership: String, customer: String? = nil, at date: Date, seed: UInt64 = .random(in: .min ... .max)
    ) -> SimulatedSubscription {
        SimulatedSubscription(
            plan, bundleID: bundleID, environment: environment, customer: customer, ownership: ownership, end: end,
            // A seat's transaction bears the number of all seats.
            seats: ownership == "ASSIGNED" ? current.quantity : nil,
            group: current.subscriptionGroupIdentifier ?? "", at: date, seed: seed)
    }

    /// Takes over what is known elsewhere: a token that was set, a refund, a further period.
    mutating func update(_ known: [SimulatedTransaction]) {
        for transaction in known {
            if let place = transactions.firstIndex(where: { $0.transactionId == transaction.transactionId }) {
                transactions[place] = transaction
                if place == currentPlace { token = transaction.appAccountToken }
            } else {
                add(transaction)
            }
        }
    }

    private mutating func add(_ transaction: SimulatedTransaction) {
        let isNewest = transaction.purchaseDate > current.purchaseDate
        transactions.append(transaction)
        guard isNewest else { return }
        currentPlace = transactions.count - 1
        token = transaction.appAccountToken
        plan.productID = transaction.productId
        nextPlan = plan
        renews = true
        failure = nil
        expirationIntent = nil
    }
}

extension SimulatedTransaction {
    /// Whether nothing of it is left: it was refunded as a whole, or taken from a member of a family.
    package var isWhollyRevoked: Bool {
        revocationDate != nil && revocationPercentage ?? 100_000 >= 100_000
    }
}
