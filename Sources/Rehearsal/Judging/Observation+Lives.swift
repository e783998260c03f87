// SPDX-License-Identifier: Apache-2.0

package import AppStoreSimulator
package import FoundationEssentials
package import Postgres

/// What the shop is told of subscriptions, and of all else by the feed alone.
extension Observation {
    /// The kind of the last change that the feed has of an order, or of a payment without one.
    package struct Feed: Hashable, Sendable {
        package var orders: [String: String] = [:]
        package var payments: [TransactionKey: String] = [:]
    }

    /// What Apple has on record of lives, when they were read.
    package struct Lives: Equatable, Sendable {
        package var at: Date
        /// By the original transaction.
        package var facts: [String: SubscriptionFacts]

        package init(_ simulator: AppStoreSimulator, plan: PurchasePlan, at now: Date = Date()) {
            at = now
            facts = [:]
            for life in plan.purchases.flatMap(\.lives) {
                let account: String? =
                    switch life.owner {
                    case .account(let account): account
                    case .nobody, .unjudged: nil
                    }
                let original = life.begun(now).originalTransactionID
                guard life.owner != .unjudged, let lived = simulator.subscription(original) else { continue }
                facts[original] = SubscriptionFacts(of: lived, at: now, account: account)
            }
        }
    }

    mutating func readSubscriptions(_ database: PostgresPool) async throws {
        for row in try await database.execute(RehearsalSQL.readSubscriptions) {
            subscriptions[try row.string(2)] = try SubscriptionFacts(row)
        }
    }

    /// Reads the feed from its beginning to its end.
    package mutating func readFeed(_ database: PostgresPool) async throws {
        var read = Feed()
        var cursor = try await database.execute(RehearsalSQL.beginFeed)[0].string(0)
        while true {
            let rows = try await database.execute(RehearsalSQL.readFeed, [.text(cursor)])
            guard let last = rows.last else { break }
            for row in rows {
                let kind = try row.string(0)
                if let order = try row.optionalString(1) {
                    // What was found for an order is no state of it.
                    if kind != "order_found" { read.orders[order] = kind }
                } else if let bundle = try row.optionalString(2), let environment = try row.optionalString(3),
                    let id = try row.optionalString(4)
                {
                    read.payments[TransactionKey(bundleID: bundle, environment: environment, id: id)] = kind
                }
            }
            cursor = try last.string(5)
        }
        feed = read
    }
}
