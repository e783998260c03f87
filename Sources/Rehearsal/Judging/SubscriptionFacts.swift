// SPDX-License-Identifier: Apache-2.0

package import AppStoreSimulator
package import FoundationEssentials
package import Postgres

/// A subscription as a shop has to know it: by Apple's records, or by `subscription_status`. Times in whole seconds, as receipts
/// have them.
package struct SubscriptionFacts: Hashable, Sendable {
    package var account: String?
    package var status: String
    package var ownership: String
    package var transactionID: String?
    package var productID: String?
    package var expiresAt: Int64?
    package var accessUntil: Int64?
    package var graceEndsAt: Int64?
    package var isInBillingRetry: Bool?
    package var willRenew: Bool?
    package var renewsAs: String?
    package var nextTransactionID: String?
    package var nextProductID: String?
    package var nextBeginsAt: Int64?
    package var nextExpiresAt: Int64?

    /// A line each, which begins with the name of its column.
    package var lines: [String] {
        func text(_ value: (some CustomStringConvertible)?) -> String { value.map { "\($0)" } ?? "null" }
        return [
            "account_id \(text(account))", "status \(status)", "ownership \(ownership)", "transaction_id \(text(transactionID))",
            "product_id \(text(productID))", "expires_at \(text(expiresAt))", "access_until \(text(accessUntil))",
            "grace_ends_at \(text(graceEndsAt))", "is_in_billing_retry \(text(isInBillingRetry))",
            "will_renew \(text(willRenew))", "renews_as \(text(renewsAs))", "next_transaction_id \(text(nextTransactionID))",
            "next_product_id \(text(nextProductID))", "next_begins_at \(text(nextBeginsAt))",
            "next_expires_at \(text(nextExpiresAt))",
        ]
    }
}

extension SubscriptionFacts {
    /// From the columns of a row of `read_subscriptions.sql` or `read_feed.sql`.
    ///
    /// - Parameter first: the column of the account.
    package init(_ row: PostgresRow, from first: Int) throws(PostgresError) {
        func text(_ place: Int) throws(PostgresError) -> String? { try row.optionalString(first + place) }
        func seconds(_ place: Int) throws(PostgresError) -> Int64? {
            row.isNull(first + place) ? nil : try row.int64(first + place)
        }
        func flag(_ place: Int) throws(PostgresError) -> Bool? { row.isNull(first + place) ? nil : try row.bool(first + place) }
        self.init(
            account: try text(0), status: try row.string(first + 1), ownership: try row.string(first + 2),
            transactionID: try text(3), productID: try text(4), expiresAt: try seconds(5), accessUntil: try seconds(6),
            graceEndsAt: try seconds(7), isInBillingRetry: try flag(8), willRenew: try flag(9), renewsAs: try text(10),
            nextTransactionID: try text(11), nextProductID: try text(12), nextBeginsAt: try seconds(13),
            nextExpiresAt: try seconds(14))
    }

    /// What is true of a life whose words have all arrived. The rules stand here once more, so that a mistake of the ledger's isn't
    /// repeated.
    ///
    /// - Parameter account: whose it is.
    package init?(of life: SimulatedSubscription, at now: Date, account: String?) {
        // Seats that were added to a period are no period.
        let periods = life.transactions.filter { !Self.isAddition($0, to: life) }.sorted { $0.purchaseDate < $1.purchaseDate }
        let begun = periods.filter { $0.purchaseDate <= now }
        guard let latest = begun.last else { return nil }
        let running = begun.last { !$0.isWhollyRevoked && Self.end(of: $0, among: begun) > now }
        let current = latest.isWhollyRevoked ? running ?? latest : latest
        let end = Self.end(of: current, among: begun)
        let next = periods.first { $0.purchaseDate > now && !$0.isWhollyRevoked }
        let info = life.renewalInfo(at: now)
        let isLatest = current.transactionId == latest.transactionId && !current.isWhollyRevoked
        let grace = isLatest ? info.gracePeriodExpiresDate : nil
        let access = current.isWhollyRevoked ? min(end, current.revocationDate ?? end) : max(end, grace ?? end)
        let isInRetry = isLatest && info.isInBillingRetryPeriod == true
        let status: String =
            if current.isWhollyRevoked {
                "revoked"
            } else if end > now {
                "active"
            } else if grace != nil {
                "grace"
            } else {
                isInRetry ? "billing_retry" : "expired"
            }
        func seconds(_ date: Date?) -> Int64? { date.map { Int64($0.timeIntervalSince1970.rounded(.down)) } }
        self.init(
            account: account, status: status, ownership: current.inAppOwnershipType.lowercased(),
            transactionID: current.transactionId, productID: current.productId, expiresAt: seconds(end),
            accessUntil: seconds(access), graceEndsAt: seconds(grace), isInBillingRetry: isInRetry,
            willRenew: info.autoRenewStatus == 1, renewsAs: info.autoRenewProductId, nextTransactionID: next?.transactionId,
            nextProductID: next?.productId, nextBeginsAt: seconds(next?.purchaseDate), nextExpiresAt: seconds(next?.expiresDate))
    }

    private static func isAddition(_ transaction: SimulatedTransaction, to life: SimulatedSubscription) -> Bool {
        transaction.additionalTransactionReason != nil && transaction.transactionReason == "PURCHASE"
            && transaction.transactionId != life.originalTransactionID
    }

    /// By Apple's newest word; or when a period of another product took its place.
    private static func end(of period: SimulatedTransaction, among begun: [SimulatedTransaction]) -> Date {
        let end = period.expiresDate ?? period.purchaseDate
        let replacing = begun.first {
            $0.purchaseDate > period.purchaseDate && $0.purchaseDate < end && $0.productId != period.productId
        }
        return replacing?.purchaseDate ?? end
    }
}
