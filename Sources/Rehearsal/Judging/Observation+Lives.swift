// SPDX-License-Identifier: Apache-2.0

package import AppStoreSimulator
package import FoundationEssentials
package import Postgres

/// What the shop reads of subscriptions, and what the feed alone says of everything.
extension Observation {
    /// The last word of the feed about each order, and about each payment without a grant.
    package struct Feed: Hashable, Sendable {
        /// The kind of an order's last change.
        package var orders: [String: String] = [:]
        package var payments: [TransactionKey: Telling] = [:]
        /// The last state of each subscription, by the original transaction.
        package var subscriptions: [String: SubscriptionFacts] = [:]
    }

    /// A change about a payment without a grant.
    package struct Telling: Hashable, Sendable {
        package var kind: String
        package var account: String?
        package var productID: String?
        package var originalTransactionID: String?
        /// In whole seconds.
        package var expiresAt: Int64?

        /// A line each, which begins with the name of its column.
        package var lines: [String] {
            [
                "account_id \(account ?? "null")", "product_id \(productID ?? "null")",
                "original_transaction_id \(originalTransactionID ?? "null")",
                "expires_at \(expiresAt.map(String.init) ?? "null")",
            ]
        }
    }

    /// What is true of the plan's lives by the App Store's records of now, by the original transaction.
    package static func truth(
        of plan: PurchasePlan, _ simulator: AppStoreSimulator, at now: Date = Date()
    ) -> [String: SubscriptionFacts] {
        var facts: [String: SubscriptionFacts] = [:]
        for life in plan.purchases.flatMap(\.lives) {
            guard case .account(let account) = life.owner, let lived = simulator.subscription(life.originalTransactionID) else {
                continue
            }
            facts[life.originalTransactionID] = SubscriptionFacts(of: lived, at: now, account: account)
        }
        return facts
    }

    mutating func readSubscriptions(_ database: PostgresPool) async throws {
        for row in try await database.execute(RehearsalSQL.readSubscriptions) {
            subscriptions[try row.string(2)] = try SubscriptionFacts(row, from: 3)
        }
    }

    /// Reads what is compared with the App Store's records and with the feed.
    ///
    /// - Parameter database: connections that may read the feed.
    package mutating func readLives(
        of plan: PurchasePlan, _ simulator: AppStoreSimulator, _ database: PostgresPool
    ) async throws {
        lives = Self.truth(of: plan, simulator)
        var read = Feed()
        var cursor = try await database.execute(RehearsalSQL.beginFeed)[0].string(0)
        while true {
            let rows = try await database.execute(RehearsalSQL.readFeed, [.text(cursor)])
            guard let last = rows.last else { break }
            for row in rows { try read.add(row) }
            cursor = try last.string(5)
        }
        feed = read
    }
}

extension Observation.Feed {
    /// From a row of `read_feed.sql`. Kinds that leave no state are passed over.
    fileprivate mutating func add(_ row: PostgresRow) throws {
        let kind = try row.string(0)
        switch kind {
        case "payment_unclaimed", "subscription_renewed":
            let key = Observation.TransactionKey(
                bundleID: try row.string(2), environment: try row.string(3), id: try row.string(4))
            payments[key] = Observation.Telling(
                kind: kind, account: try row.optionalString(6), productID: try row.optionalString(7),
                originalTransactionID: try row.optionalString(8), expiresAt: row.isNull(9) ? nil : try row.int64(9))
        case "payment_renamed":
            let key = Observation.TransactionKey(
                bundleID: try row.string(2), environment: try row.string(3), id: try row.string(4))
            payments[key]?.account = try row.optionalString(11)
            switch try row.optionalString(10) {
            case "renewal": payments[key]?.kind = "subscription_renewed"
            case "unclaimed": payments[key]?.kind = "payment_unclaimed"
            // It is an order's.
            default: payments[key] = nil
            }
        case "subscription_changed":
            subscriptions[try row.string(12)] = try SubscriptionFacts(row, from: 13)
        case "order_found": break
        default:
            guard kind.hasPrefix("order_") || kind == "refund_reversed", let order = try row.optionalString(1) else { break }
            orders[order] = kind
        }
    }
}
