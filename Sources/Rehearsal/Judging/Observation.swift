// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
package import Postgres
package import Verification

/// What the database holds when all has come to rest, and what the players met with: what is compared with the plan.
package struct Observation: Equatable, Sendable {
    /// A transaction, by its whole name.
    package struct TransactionKey: Hashable, Sendable {
        package var bundleID: String
        /// In our words: `production`, `sandbox`.
        package var environment: String
        package var id: String
    }

    package struct Grant: Hashable, Sendable {
        package var orderID: String
        package var quantity: Int
        /// Nil where they weren't read.
        package var facts: GrantFacts?
    }

    /// By order.
    package var outcomes: [String: Outcome] = [:]
    /// All grants of each transaction; more than one is what must never be.
    package var grants: [TransactionKey: [Grant]] = [:]
    /// With their reasons.
    package var unclaimed: [TransactionKey: String] = [:]
    /// Units of the unclaimed, of those where they were read.
    package var unclaimedQuantities: [TransactionKey: Int] = [:]
    /// Every id of a granted purchase → the transaction that its grant was made for.
    package var grantedIDs: [TransactionKey: String] = [:]
    package var revoked: Set<TransactionKey> = []
    /// Shares of the payments that were refunded, but not as a whole.
    package var partialRefunds: [TransactionKey: Revocation.Share] = [:]
    /// What clients are told of the plan's transactions. Nil where the ledger has several rows of one: the views read one of each.
    package var transactionActions: [TransactionKey: String]? = [:]
    /// Ids of the transactions that Apple was told are finished.
    package var finished: Set<String> = []
    /// What `subscription_status` says, by the original transaction.
    package var subscriptions: [String: SubscriptionFacts] = [:]
    /// What is true of them by the App Store's records; nil: nobody asked.
    package var lives: [String: SubscriptionFacts]?
    /// Nil: nobody read it.
    package var feed: Feed?
    /// By the number of the purchase.
    package var records: [Int: PlayRecord] = [:]
}

extension Observation {
    /// How long one of its statements may take. Five minutes: where a guard is taken away, one payment may have hundreds of grants,
    /// and the status of each order reads them all.
    private static let longestRead = Duration.seconds(300)

    /// Reads everything; nothing is being settled meanwhile.
    ///
    /// - Parameter finished: what the simulated App Store was told.
    package static func read(
        _ database: PostgresPool, plan: PurchasePlan, records: [Int: PlayRecord], finished: Set<String>
    ) async throws -> Observation {
        var observation = Observation(finished: finished, records: records)
        for row in try await database.execute(RehearsalSQL.readOrders, timeout: longestRead) {
            observation.outcomes[try row.string(0)] = try Outcome(row)
        }
        for row in try await database.execute(RehearsalSQL.readGrants) {
            observation.grants[try TransactionKey(row), default: []].append(
                Grant(orderID: try row.string(3), quantity: Int(try row.int32(4)), facts: try GrantFacts(row)))
        }
        for row in try await database.execute(RehearsalSQL.readUnclaimedTransactions) {
            let key = try TransactionKey(row)
            observation.unclaimed[key] = try row.string(3)
            observation.unclaimedQuantities[key] = Int(try row.int32(4))
        }
        for row in try await database.execute(RehearsalSQL.readTransactionIDs) {
            observation.grantedIDs[try TransactionKey(row)] = try row.string(3)
        }
        for row in try await database.execute(RehearsalSQL.readRevocations) {
            let share = row.isNull(3) ? nil : try row.int32(3)
            if share == 100_000 {
                observation.revoked.insert(try TransactionKey(row))
            } else {
                observation.partialRefunds[try TransactionKey(row)] = share.map { .part(Int($0)) } ?? .unknown
            }
        }
        try await observation.readSubscriptions(database)
        observation.transactionActions = try await readActions(database, plan: plan)
        return observation
    }

    private static func readActions(
        _ database: PostgresPool, plan: PurchasePlan
    ) async throws -> [TransactionKey: String]? {
        let transactions = plan.purchases.flatMap(\.transactions)
        let rows: PostgresResult
        do {
            rows = try await database.execute(
                RehearsalSQL.readTransactionActions,
                [.textArray(transactions.map(\.app.bundleID)), .textArray(transactions.map(\.id))])
        } catch {
            guard error.sqlState == .cardinalityViolation else { throw error }
            return nil
        }
        var actions: [TransactionKey: String] = [:]
        for row in rows { actions[try TransactionKey(row)] = try row.string(3) }
        return actions
    }
}

extension Observation.TransactionKey {
    /// From the first three columns of a row.
    package init(_ row: PostgresRow) throws(PostgresError) {
        self.init(bundleID: try row.string(0), environment: try row.string(1), id: try row.string(2))
    }

    package init(_ transaction: PlannedTransaction) {
        self.init(
            bundleID: transaction.app.bundleID, environment: transaction.environment.rawValue.lowercased(),
            id: transaction.id)
    }
}
