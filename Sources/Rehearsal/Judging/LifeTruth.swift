// SPDX-License-Identifier: Apache-2.0

package import AppStoreSimulator
package import FoundationEssentials
package import Postgres

/// A subscription as a shop has to know it: by what Apple has on record, or by what `subscription_status` says. Times in whole
/// seconds, as receipts know them.
package struct SubscriptionFacts: Hashable, Sendable {
    package var account: String?
    package var status: String
    package var transactionID: String?
    package var productID: String?
    package var expiresAt: Int64?
    package var accessUntil: Int64?
    package var renews: Bool?
    package var nextTransactionID: String?
    package var nextExpiresAt: Int64?

    /// A line each, which begins with the name of its column.
    package var lines: [String] {
        func text(_ value: (some CustomStringConvertible)?) -> String { value.map { "\($0)" } ?? "null" }
        return [
            "account_id \(text(account))", "status \(status)", "transaction_id \(text(transactionID))",
            "product_id \(text(productID))", "expires_at \(text(expiresAt))", "access_until \(text(accessUntil))",
            "will_renew \(text(renews))", "next_transaction_id \(text(nextTransactionID))",
            "next_expires_at \(text(nextExpiresAt))",
        ]
    }
}

extension SubscriptionFacts {
    /// From a row of `read_subscriptions.sql`.
    package init(_ row: PostgresRow) throws(PostgresError) {
        func seconds(_ column: Int) throws(PostgresError) -> Int64? { row.isNull(column) ? nil : try row.int64(column) }
        self.init(
            account: try row.optionalString(3), status: try row.string(4), transactionID: try row.optionalString(5),
            productID: try row.optionalString(6), expiresAt: try seconds(7), accessUntil: try seconds(8),
            renews: row.isNull(9) ? nil : try row.bool(9), nextTransactionID: try row.optionalString(10),
            nextExpiresAt: try seconds(11))
    }

    /// What is true of a life that Apple has told wholly: the rules once more, by the transactions as Apple has them.
    ///
    /// - Parameter account: whose it is.
    package init?(of life: SimulatedSubscription, at now: Date, account: String?) {
        let periods = life.transactions.filter { $0.additionalTransactionReason == nil || $0.transactionReason == "RENEWAL" || $0.transactionId == life.originalTransactionID }
            .sorted { $0.purchaseDate < $1.purchaseDate }
        let begun = periods.filter { $0.purchaseDate <= now }
        guard let latest = begun.last else { return nil }
        func end(_ period: SimulatedTransaction) -> Date {
            let end = period.expiresDate ?? period.purchaseDate
            let replacing = begun.first {
                $0.purchaseDate > period.purchaseDate && $0.purchaseDate < end && $0.productId != period.productId
            }
            return replacing?.purchaseDate ?? end
        }
        let running = begun.last { !$0.isWhollyRevoked && end($0) > now }
        let current = latest.isWhollyRevoked ? running ?? latest : latest
        let next = periods.first { $0.purchaseDate > now && !$0.isWhollyRevoked }
        let info = life.renewalInfo(at: now)
        let isLatest = current.transactionId == latest.transactionId && !current.isWhollyRevoked
        let grace = isLatest ? info.gracePeriodExpiresDate : nil
        func seconds(_ date: Date?) -> Int64? { date.map { Int64($0.timeIntervalSince1970.rounded(.down)) } }
        self.init(
            account: account, status: "", transactionID: current.transactionId, productID: current.productId,
            expiresAt: seconds(end(current)),
            accessUntil: seconds(
                current.isWhollyRevoked ? min(end(current), current.revocationDate ?? .distantFuture) : max(end(current), grace ?? .distantPast)),
            renews: info.autoRenewStatus == 1, nextTransactionID: next?.transactionId, nextExpiresAt: seconds(next?.expiresDate))
        status =
            if current.isWhollyRevoked {
                "revoked"
            } else if end(current) > now {
                "active"
            } else if grace != nil {
                "grace"
            } else {
                isLatest && info.isInBillingRetryPeriod == true ? "billing_retry" : "expired"
            }
    }
}
