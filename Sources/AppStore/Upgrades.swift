// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// Tells upgrades from refunds among the cancelled periods of subscriptions.
///
/// By Apple's list of receipt fields, the cancellation date of an upgraded period is the date of the upgrade. No money of that
/// period went back to the customer: its rest was set against the price of the new one.
struct Upgrades {
    /// How far the date of an upgrade may lie from the purchase of the new period, in seconds: a day.
    static let tolerance: TimeInterval = 24 * 3600

    private let byOriginal: [TransactionID: [Transaction]]

    init(_ transactions: [Transaction]) {
        // Most receipts have no cancelled purchase.
        byOriginal =
            transactions.contains { $0.revocation != nil } ? Dictionary(grouping: transactions, by: \.originalID) : [:]
    }

    /// Whether the period gave way to one of another product, bought about when it was cancelled.
    func explain(_ period: Transaction) -> Bool {
        guard let date = Self.cancellation(of: period) else { return false }
        return related(to: period).contains { other in
            abs(other.purchaseDate.timeIntervalSince(date)) <= Self.tolerance && other.supersedes(period)
        }
    }

    /// Whether the period was cancelled at another time than that of any upgrade.
    func contradict(_ period: Transaction) -> Bool {
        guard Self.cancellation(of: period) != nil else { return false }
        return !explain(period) && related(to: period).contains { $0.supersedes(period) }
    }

    private func related(to period: Transaction) -> [Transaction] {
        byOriginal[period.originalID] ?? []
    }

    /// Nil where the date couldn't be read: it is then that of the purchase.
    private static func cancellation(of period: Transaction) -> Date? {
        period.revocation?.date.flatMap { $0 > period.purchaseDate ? $0 : nil }
    }
}

extension Transaction {
    /// Whether this period is of another product than an earlier one.
    fileprivate func supersedes(_ period: Transaction) -> Bool {
        purchaseDate > period.purchaseDate && productID != period.productID
    }

    /// The same period, not cancelled.
    func withoutRevocation() -> Transaction {
        var paid = self
        paid.revocation = nil
        return paid
    }
}
